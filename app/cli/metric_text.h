#pragma once
// Metrics in text for people, by what their descriptions say.

#include <string>

#include "engine/explorer/metrics/registry.h"

namespace sluice::cli {

/// "12.300 mJ"; square millimetres have no prefix.
std::string siText(double number, const std::string& unit);
/// "1 234", "12.3 %", "3.200", "1.700 mJ"; a mean of counts is rounded, and what is not finite "-".
std::string metricText(const MetricSpec& metric, MetricValue value);
/// "off-chip traffic, bytes"; a count's title says what is counted.
std::string metricLabel(const MetricSpec& metric);

}  // namespace sluice::cli
