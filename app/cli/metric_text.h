#pragma once
// Metrics in text for people, by what their descriptions say.

#include <string>

#include "engine/explorer/metrics/registry.h"

namespace sluice::cli {

/// "1 234", "12.3 %", "3.200".
std::string metricText(const MetricSpec& metric, MetricValue value);
/// "off-chip traffic, bytes"; a count's title says what is counted.
std::string metricLabel(const MetricSpec& metric);

}  // namespace sluice::cli
