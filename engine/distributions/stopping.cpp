#include "engine/distributions/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sluice::inline distributions {
namespace {

/// The point that a standard normal variable exceeds with this probability, by halving.
double normalTail(double probability) {
  double low = 0, high = 40;
  for (int round = 0; round < 100; ++round) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > probability ? low : high) = middle;
  }
  return low;
}

/// Of the mean of what has ended; those that have not are not in it.
Interval meanInterval(const PointSamples& samples, const MetricSpec& metric, std::size_t total,
                      double error) {
  const Summary summary = summaryOf(samples, metric, {});
  if (summary.values < 2) return {-infinity, infinity};
  const auto count = static_cast<double>(summary.values), all = static_cast<double>(total);
  const double left = std::max(0.0, 1 - count / all);  // drawn without putting back
  const double half = normalTail(error / 2) * summary.deviation * std::sqrt(left / (count - 1));
  return {summary.mean - half, summary.mean + half};
}

}  // namespace

std::vector<std::size_t> looksAt(std::size_t traces) {
  std::vector<std::size_t> looks;
  for (std::size_t look = 64; look < traces; look *= 2) looks.push_back(look);
  if (looks.empty() || looks.back() < traces) looks.push_back(traces);
  return looks;
}

Ranks quantileRanks(std::size_t count, double quantile, double error) {
  // Cumulated from both ends of the binomial distribution, in logarithms as its terms are tiny.
  const auto n = static_cast<double>(count);
  const auto probability = [&](std::size_t successes) {
    const auto k = static_cast<double>(successes);
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(quantile) + (n - k) * std::log1p(-quantile));
  };
  Ranks ranks{0, count + 1};
  double below = 0;  // that fewer than low values lie at the quantile or before
  while (ranks.low < count && (below += probability(ranks.low)) <= error / 2) ++ranks.low;
  double above = 0;
  while (ranks.high > 1 && (above += probability(ranks.high - 1)) <= error / 2) --ranks.high;
  return ranks;
}

Interval intervalOf(const PointSamples& samples, const Statistic& of, std::size_t total, double error) {
  if (samples.evaluated() >= total) {
    const double exact = statistic(samples, of);
    return {exact, exact};
  }
  if (of.kind == StatisticKind::Mean) return meanInterval(samples, *of.of, total, error);
  if (of.kind != StatisticKind::Quantile) return {-infinity, infinity};
  const std::vector<double> ordered = orderedValues(samples, *of.of);
  if (ordered.empty()) return {-infinity, infinity};
  const Ranks ranks = quantileRanks(ordered.size(), of.quantile, error);
  return {ranks.low == 0 ? -infinity : ordered[ranks.low - 1],
          ranks.high > ordered.size() ? infinity : ordered[ranks.high - 1]};
}

bool knownWell(const PointSamples& samples, std::span<const Statistic> statistics, std::size_t total,
               const SamplingPrecision& precision) {
  if (samples.evaluated() >= total) return true;
  if (precision.relative <= 0 || statistics.empty()) return false;
  const double error = (1 - precision.confidence) / static_cast<double>(looksAt(total).size());
  return std::ranges::all_of(statistics, [&](const Statistic& of) {
    const double value = statistic(samples, of);
    const Interval interval = intervalOf(samples, of, total, error);
    const double off = std::max(interval.high - value, value - interval.low);
    return std::isfinite(off) && off <= precision.relative * std::abs(value);
  });
}

}  // namespace sluice::inline distributions
