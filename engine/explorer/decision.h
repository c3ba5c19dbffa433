#pragma once
// From explored points to a decision: the knee of a frontier, the best point under weights, and
// which knob moves which metric.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/explorer/point.h"

namespace sluice::inline explorer {

/// The knee of a two-objective frontier: of its points, both objectives scaled to 0..1, the one furthest
/// below the line between its two ends. Row-major pairs sorted by the first, both minimised. Nothing where no
/// point lies below that line.
std::optional<std::size_t> kneePoint(std::span<const double> frontier);

/// What one knob does to one metric, over the points that have it.
struct KnobEffect {
  /// The share of the metric's variance that the knob's main effect explains, 0..1: the variance between the
  /// means at each of the knob's values over the variance of all. On a full factorial design this is the
  /// first-order Sobol index. NaN where the metric does not vary.
  double share = 0;
  /// Pearson's correlation of the metric with the rank of the knob's value, -1..1: the direction. NaN
  /// likewise.
  double trend = 0;
  std::map<std::int64_t, double> means;  ///< of the metric at each value of the knob
};
/// A knob's values, each once, and which of them every point has.
struct KnobLevels {
  std::vector<double> values;        ///< rising
  std::vector<std::uint32_t> index;  ///< into `values`, parallel to the points
};
KnobLevels knobLevels(std::span<const double> of_points);
/// `values` of the metric are parallel to the levels' index; a NaN is left out.
KnobEffect knobEffect(const KnobLevels& levels, std::span<const double> values);

/// How much each metric matters; those left out do not.
using Weights = std::map<std::string, double>;
struct Choice {
  std::size_t point = 0;
  double score = 0;                        ///< 0: best in everything that matters
  std::map<std::string, double> given_up;  ///< per weighted metric: 0 (the best there is) .. 1 (the worst)
};
/// The point with the least weighted sum of what it gives up, each metric scaled between its best and its
/// worst among the candidates. Candidates that are not Done do not count. Nothing without one, or without a
/// weight.
std::optional<Choice> bestPoint(std::span<const DesignPoint> points, std::span<const std::size_t> candidates,
                                const Weights& weights);

}  // namespace sluice::inline explorer
