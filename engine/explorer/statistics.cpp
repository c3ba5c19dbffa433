#include "engine/explorer/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/explorer/pareto.h"

namespace sluice::inline explorer {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

double geometricMean(std::span<const double> values) {
  if (values.empty()) return nothing;
  double logs = 0;
  for (const double value : values) logs += std::log(value);
  return std::exp(logs / static_cast<double>(values.size()));
}

double correlation(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || a.size() != b.size()) return nothing;
  const double mean_a = mean(a), mean_b = mean(b);
  double together = 0, alone_a = 0, alone_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    together += (a[i] - mean_a) * (b[i] - mean_b);
    alone_a += (a[i] - mean_a) * (a[i] - mean_a);
    alone_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return alone_a > 0 && alone_b > 0 ? together / std::sqrt(alone_a * alone_b) : nothing;
}

double paretoImprovementDistance(double cycles, double bytes, std::span<const double> frontier) {
  const double point[] = {cycles, bytes};
  return paretoImprovementDistance(point, frontier);
}

double paretoImprovementDistance(std::span<const double> point, std::span<const double> frontier) {
  double least = nothing;
  for (const std::size_t q : paretoFrontier(frontier, point.size())) {
    double distance = 0;
    for (std::size_t k = 0; k < point.size(); ++k)
      distance = std::max(distance, frontier[q * point.size() + k] / point[k]);
    least = std::isnan(least) ? distance : std::min(least, distance);
  }
  return least;
}

}  // namespace sluice::inline explorer
