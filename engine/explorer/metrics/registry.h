#pragma once
// The registry: every metric of Sluice, in the order of tables and files; behind them those of plug-ins. To
// add one: a file, and a line in metric.h.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer {

/// Plug-ins add to it.
Registry<const MetricSpec*>& metricRegistry();
std::span<const MetricSpec* const> registeredMetrics();
/// Those that points of a workload have: the metrics of a technology only where it has one.
std::span<const MetricSpec* const> metricsWith(bool technology);
/// A point has them: of a workload without a technology none has.
bool isPriced(const Metrics& metrics);
/// Null if there is none.
const MetricSpec* findMetric(const std::string& name);
/// As people write it: by its name, title or short title, without regard to case, spaces, '_' and '-'.
const MetricSpec* findMetricTyped(std::string_view text);
const std::vector<std::string>& metricNames();
/// As MetricSpec::minimised(); of a name that is no metric the value as it is.
double minimised(const std::string& name, double value);
/// What is searched for and plotted unless others are chosen: two, the horizontal axis first.
const std::vector<std::string>& defaultObjectives();

}  // namespace sluice::inline explorer
