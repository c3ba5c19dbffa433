#pragma once
// Densities over points of a space of choices, and what is proposed by them: the model of the multi-objective
// tree-structured Parzen estimator (Ozaki et al., GECCO 2020, JAIR 2022). The points seen so far are divided
// into few good ones and the rest; a density is estimated over each, and what promises most has the highest
// ratio of the two.
//
// Good are the first fronts, and of a front that does not fit whole those that add most hypervolume; a good
// point weighs by the hypervolume that it alone contributes. Points that break a constraint come behind all
// that keep them, the least violation first, those that were not done last (as in c-TPE's ranking when few
// are feasible): so they are good only while there is nothing better, and lead towards what is feasible.
//
// Densities are joint over the axes, a product of kernels at each point: of an axis with ordered values a
// normal distribution over their numbers, cut off at both ends; of a category its own value with most of the
// weight and the others with the same share each.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/core/random.h"

namespace sluice::inline explorer {

/// The number of a value on each axis.
using Digits = std::vector<std::uint64_t>;
/// On an axis that a point does not have, as other choices leave it without.
constexpr std::uint64_t no_digit = std::numeric_limits<std::uint64_t>::max();

struct ParzenAxis {
  std::uint64_t values = 1;
  bool category = false;  ///< the values have no order
};

/// A mixture over the points of a space: one component at each of some points, and a uniform one.
class Parzen {
 public:
  /// `weights` of the points; the uniform component weighs as much as a mean one.
  Parzen(std::vector<ParzenAxis> axes, std::vector<Digits> centres, std::vector<double> weights);

  /// One more point, of the weight of a mean one.
  void add(Digits centre);
  /// Of a point that lacks an axis: the density over the others.
  double logDensity(const Digits& x) const;
  /// Every axis has a digit.
  Digits draw(SplitMix64& random) const;

 private:
  void setWidths();
  double mass(std::size_t k, double centre, double below, double above) const;
  double kernel(std::size_t k, std::uint64_t centre, std::uint64_t value) const;
  std::uint64_t drawNear(std::size_t k, std::uint64_t centre, SplitMix64& random) const;

  std::vector<ParzenAxis> axes_;
  std::vector<Digits> centres_;
  std::vector<double> weights_, widths_;
  double uniform_weight_ = 1, total_ = 0;
};

/// Points with their answers.
struct RatedPoints {
  std::size_t objectives = 1;
  std::span<const double> values;      ///< row-major, all to be minimised
  std::span<const double> violations;  ///< of the constraints: 0 of none, infinity of what was not done
  std::size_t size() const { return violations.size(); }
};

struct GoodAndBad {
  Parzen good, bad;
  /// How much likelier it is among the good ones: the more, the better.
  double promise(const Digits& x) const { return good.logDensity(x) - bad.logDensity(x); }
};

/// `points`: of each rated one its digits. At least one.
GoodAndBad goodAndBad(const std::vector<ParzenAxis>& axes, std::span<const Digits> points,
                      const RatedPoints& rated);

}  // namespace sluice::inline explorer
