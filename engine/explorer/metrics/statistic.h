#pragma once
// Statistics over a set of traces, which are metrics themselves, so that all that reads a metric by its name
// takes them: "p95(cycles)", "worst(power)", "P(deadlock)".

#include <optional>
#include <string>
#include <string_view>

#include "engine/core/diagnostic.h"
#include "engine/explorer/metrics/metric.h"

namespace sluice::inline explorer {

enum class StatisticKind {
  Mean,      ///< mean(METRIC), over the traces whose run ended
  Quantile,  ///< p95(METRIC): the least value that 95 % of the traces do not exceed; one that does not end is
             ///< the worst
  Minimum,   ///< min(METRIC)
  Maximum,   ///< max(METRIC)
  Worst,     ///< worst(METRIC): the maximum, or the minimum where more is better
  Variation,   ///< cv(METRIC): deviation over mean
  Deadlocks,   ///< P(deadlock): the share of the traces under which the design deadlocks
  Infeasible,  ///< P(overflow): the share of those under which it needs more memory than there is on chip
};

struct Statistic {
  StatisticKind kind = StatisticKind::Mean;
  double quantile = 0;             ///< of Quantile, between 0 and 1
  const MetricSpec* of = nullptr;  ///< null: the last two
};

/// Nothing where it is none.
std::optional<Statistic> parseStatistic(std::string_view text);
std::string text(const Statistic& statistic);
/// It as a metric: one object for each name, as long as the program runs. No run has it; who evaluates sets
/// sets it.
const MetricSpec& metricOf(const Statistic& statistic);
/// The statistic that such a metric is; nothing of another metric.
std::optional<Statistic> statisticOf(const MetricSpec& metric);

/// That no metric, and no statistic of one, has this name; with the names that are like it.
Diagnostic unknownMetric(const std::string& name, const Location& place);

/// Why a search over one trace cannot have these objectives and constraints: one of them is a statistic.
std::optional<Diagnostic> statisticOfOneTrace(const std::vector<std::string>& names);

}  // namespace sluice::inline explorer
