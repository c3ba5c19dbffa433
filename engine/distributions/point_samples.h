#pragma once
// What a design point came to under each trace of a set, and the statistics of it.

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/explorer/metrics/statistic.h"
#include "engine/explorer/point.h"

namespace sluice::inline distributions {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

class PointSamples {
 public:
  explicit PointSamples(std::size_t traces = 0);

  void set(std::size_t trace, const DesignPoint& point);
  std::size_t traces() const { return states_.size(); }
  std::size_t evaluated() const { return evaluated_; }
  /// Absent: not evaluated.
  std::optional<PointState> state(std::size_t trace) const { return states_[trace]; }
  /// NaN where it was not evaluated, its run did not end, or it has no such metric.
  double value(std::size_t trace, const MetricSpec& metric) const;
  /// Why a run did not end, or its memory does not fit; empty where it is done.
  std::string cause(std::size_t trace) const;
  const std::optional<DeadlockCause>& deadlock() const { return deadlock_; }  ///< of the first trace with one
  /// Those in a state, ascending.
  std::vector<std::size_t> tracesIn(PointState state) const;
  double wallSeconds() const { return wall_seconds_; }

 private:
  std::vector<std::optional<PointState>> states_;
  std::vector<double> values_;  ///< a row of all registered metrics for each trace
  std::map<std::size_t, std::string> causes_;
  std::optional<DeadlockCause> deadlock_;
  std::size_t deadlocked_ = 0;  ///< the trace of `deadlock_`
  std::size_t evaluated_ = 0;
  double wall_seconds_ = 0;
};

/// Of all traces that were evaluated, ascending; where a run did not end stands what is worse than every
/// number, which is minus infinity of metrics that are to be large. Empty where no run has the metric.
std::vector<double> orderedValues(const PointSamples& samples, const MetricSpec& metric);
/// Cycles of the longest of the runs that ended; 0 where none did.
Cycles longestRun(const PointSamples& samples);
/// Of ascending values: the least that a share of `quantile` of them does not exceed.
double quantileOf(const std::vector<double>& ordered, double quantile);

/// NaN where there is nothing to say; infinite where too many runs do not end.
double statistic(const PointSamples& samples, const Statistic& statistic);

/// What stands in a summary of a metric.
struct Summary {
  std::size_t values = 0;  ///< runs that ended
  double mean = 0, deviation = 0, variation = 0, minimum = 0, maximum = 0;
  std::vector<double> quantiles;  ///< parallel to what was asked for
};
Summary summaryOf(const PointSamples& samples, const MetricSpec& metric,
                  const std::vector<double>& quantiles);

/// The share of the traces, in 0..1, whose value is not above that of `trace`.
double percentileOf(const PointSamples& samples, const MetricSpec& metric, std::size_t trace);

}  // namespace sluice::inline distributions
