#include "engine/distributions/point_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/explorer/metrics/registry.h"

namespace sluice::inline distributions {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::vector<double> finishedValues(const PointSamples& samples, const MetricSpec& metric) {
  std::vector<double> values;
  for (std::size_t trace = 0; trace < samples.traces(); ++trace)
    if (const double value = samples.value(trace, metric); !std::isnan(value)) values.push_back(value);
  return values;
}

double meanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? nothing : sum / static_cast<double>(values.size());
}

double deviationOf(const std::vector<double>& values) {
  const double mean = meanOf(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.empty() ? nothing : std::sqrt(squares / static_cast<double>(values.size()));
}

double variationOf(const std::vector<double>& values) {
  const double mean = meanOf(values);
  return std::isnan(mean) || mean == 0 ? nothing : deviationOf(values) / std::abs(mean);
}

double shareIn(const PointSamples& samples, PointState state) {
  if (samples.evaluated() == 0) return nothing;
  return static_cast<double>(samples.tracesIn(state).size()) / static_cast<double>(samples.evaluated());
}

}  // namespace

PointSamples::PointSamples(std::size_t traces)
    : states_(traces), values_(traces * registeredMetrics().size(), nothing) {}

void PointSamples::set(std::size_t trace, const DesignPoint& point) {
  if (!states_[trace]) ++evaluated_;
  states_[trace] = point.state;
  const auto metrics = registeredMetrics();
  for (std::size_t i = 0; i < metrics.size(); ++i)
    values_[trace * metrics.size() + i] = metric(point, *metrics[i]);
  if (!point.cause.empty()) causes_[trace] = point.cause;
  if (point.deadlock && (!deadlock_ || trace < deadlocked_)) {
    deadlock_ = point.deadlock;
    deadlocked_ = trace;
  }
  wall_seconds_ += point.wall_seconds;
}

double PointSamples::value(std::size_t trace, const MetricSpec& metric) const {
  const auto metrics = registeredMetrics();
  const auto at = std::ranges::find(metrics, &metric);
  return at == metrics.end()
             ? nothing
             : values_[trace * metrics.size() + static_cast<std::size_t>(at - metrics.begin())];
}

std::string PointSamples::cause(std::size_t trace) const {
  const auto at = causes_.find(trace);
  return at == causes_.end() ? "" : at->second;
}

std::vector<std::size_t> PointSamples::tracesIn(PointState state) const {
  std::vector<std::size_t> in;
  for (std::size_t trace = 0; trace < states_.size(); ++trace)
    if (states_[trace] == state) in.push_back(trace);
  return in;
}

std::vector<double> orderedValues(const PointSamples& samples, const MetricSpec& metric) {
  std::vector<double> values = finishedValues(samples, metric);
  if (values.empty()) return values;
  values.resize(samples.evaluated(), metric.smaller_is_better ? infinity : -infinity);
  std::ranges::sort(values);
  return values;
}

Cycles longestRun(const PointSamples& samples) {
  Cycles longest = 0;
  for (const double each : orderedValues(samples, *findMetric("cycles")))
    if (std::isfinite(each)) longest = std::max(longest, static_cast<Cycles>(each));
  return longest;
}

double quantileOf(const std::vector<double>& ordered, double quantile) {
  if (ordered.empty()) return nothing;
  // A hair less, so that 0.95 of 100 is the 95th and not, by rounding, the 96th.
  const double rank = std::ceil(quantile * static_cast<double>(ordered.size()) * (1 - 1e-12));
  return ordered[std::clamp<std::size_t>(static_cast<std::size_t>(std::max(rank, 1.0)), 1, ordered.size()) -
                 1];
}

double statistic(const PointSamples& samples, const Statistic& statistic) {
  if (statistic.kind == StatisticKind::Deadlocks) return shareIn(samples, PointState::Deadlocked);
  if (statistic.kind == StatisticKind::Infeasible) return shareIn(samples, PointState::Infeasible);
  const MetricSpec& of = *statistic.of;
  const std::vector<double> ordered = orderedValues(samples, of);
  if (ordered.empty()) return nothing;
  switch (statistic.kind) {
    case StatisticKind::Mean:
      return meanOf(finishedValues(samples, of));
    case StatisticKind::Variation:
      return variationOf(finishedValues(samples, of));
    case StatisticKind::Quantile:
      return quantileOf(ordered, statistic.quantile);
    case StatisticKind::Minimum:
      return ordered.front();
    case StatisticKind::Maximum:
      return ordered.back();
    default:
      return of.smaller_is_better ? ordered.back() : ordered.front();
  }
}

Summary summaryOf(const PointSamples& samples, const MetricSpec& metric,
                  const std::vector<double>& quantiles) {
  Summary summary;
  const std::vector<double> finished = finishedValues(samples, metric),
                            ordered = orderedValues(samples, metric);
  summary.values = finished.size();
  summary.mean = meanOf(finished);
  summary.deviation = deviationOf(finished);
  summary.variation = variationOf(finished);
  summary.minimum = ordered.empty() ? nothing : ordered.front();
  summary.maximum = ordered.empty() ? nothing : ordered.back();
  for (const double quantile : quantiles) summary.quantiles.push_back(quantileOf(ordered, quantile));
  return summary;
}

double percentileOf(const PointSamples& samples, const MetricSpec& metric, std::size_t trace) {
  const std::vector<double> ordered = orderedValues(samples, metric);
  double value = samples.value(trace, metric);
  if (ordered.empty() || !samples.state(trace)) return nothing;
  if (std::isnan(value)) value = metric.smaller_is_better ? infinity : -infinity;
  // Sums of the same parts in another order are equal but for their last digits.
  if (!metric.isWhole() && std::isfinite(value)) value += 1e-12 * std::abs(value);
  const auto above = std::ranges::upper_bound(ordered, value);
  return static_cast<double>(above - ordered.begin()) / static_cast<double>(ordered.size());
}

}  // namespace sluice::inline distributions
