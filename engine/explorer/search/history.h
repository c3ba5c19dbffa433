#pragma once
// History: the points that a model-based search has asked for, with their answers, and those that are left.
// Private to the strategies.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/random.h"
#include "engine/explorer/search/search_context.h"

namespace sluice::inline explorer {

class History {
 public:
  /// Begins with the points known from elsewhere.
  explicit History(SearchContext& context);

  /// Evaluates those that are not known.
  void ask(std::span<const std::uint64_t> points);
  std::size_t size() const { return points_.size(); }
  std::uint64_t point(std::size_t i) const { return points_[i]; }
  const std::vector<std::uint64_t>& points() const { return points_; }
  /// Objectives of the i-th point, all to be minimised.
  std::span<const double> values(std::size_t i) const {
    return std::span(values_).subspan(i * objectives_, objectives_);
  }
  /// Those of all points, row-major.
  std::span<const double> values() const { return values_; }
  /// Those of several points.
  std::vector<double> values(std::span<const std::size_t> points) const;
  /// Done, and within the constraints.
  bool feasible(std::size_t i) const { return violations_[i] == 0; }
  /// By how much it breaks the constraints; infinity if it was not done.
  double violation(std::size_t i) const { return violations_[i]; }
  std::span<const double> violations() const { return violations_; }
  std::vector<std::size_t> feasiblePoints() const;

  /// Up to `most` different points, none of them known or among `taken`; fewer only if no more are left.
  std::vector<std::uint64_t> untried(std::span<const std::uint64_t> taken, std::size_t most,
                                     SplitMix64& random) const;

 private:
  void keep(std::uint64_t point, std::span<const double> values);

  SearchContext& context_;
  std::size_t objectives_;
  std::vector<std::uint64_t> points_;
  std::vector<double> values_, violations_;
};

/// Objectives span orders of magnitude: their logarithms, in the same order.
double compressed(double value);
/// Uniform in [0, 1).
double uniform(SplitMix64& random);
double normalDensity(double z);
double normalDistribution(double z);

}  // namespace sluice::inline explorer
