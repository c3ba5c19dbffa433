#pragma once
// Least squares over whole numbers: Levenberg-Marquardt steps in the logarithms of the parameters, rounded,
// and a search among their neighbours, as what is fitted moves in steps. The same result however many threads
// evaluate.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/range.h"

namespace sluice::inline measurements {

struct WholeParameter {
  std::int64_t start = 1;
  Range range;
  std::vector<std::int64_t> values = {};  ///< ascending; empty: every number of the range
};

using WholePoint = std::vector<std::int64_t>;
/// What is left at a point, by group; a group is what is left out at once.
using Residuals = std::vector<std::vector<double>>;
/// Of several points, which may be evaluated at once; nothing for a point that cannot be.
using EvaluatePoints = std::function<std::vector<std::optional<Residuals>>(std::span<const WholePoint>)>;

class LeastSquares {
 public:
  LeastSquares(std::vector<WholeParameter> parameters, EvaluatePoints evaluate)
      : parameters_(std::move(parameters)), held_(parameters_.size()), evaluate_(std::move(evaluate)) {}

  WholePoint start() const;
  /// The best of fits from the starting values, and from those among four times as much and a quarter that
  /// are best.
  WholePoint fit();
  /// The best point near `from`, without the residuals of a group.
  WholePoint fitFrom(const WholePoint& from, std::optional<std::size_t> left_out = {});
  /// The best point with the parameter at its starting value, unless the F test at 95 % tells it from `best`:
  /// then nothing. All later fits leave the parameter there, too.
  std::optional<WholePoint> leave(std::size_t parameter, const WholePoint& best);
  /// Null: it cannot be evaluated.
  const Residuals* at(const WholePoint& point);
  /// Half the width of each parameter's 95 % confidence interval by the delta method: the residuals are taken
  /// as linear around the point, with errors that are independent and equally large. Nothing where they do
  /// not depend on the parameter, where not enough is left to tell, and of parameters that are left.
  std::vector<std::optional<double>> halfWidths(const WholePoint& point);
  /// How many more residuals there are than parameters that are fitted; not below 0.
  double freedom(const WholePoint& point);
  std::size_t evaluations() const { return known_.size(); }

 private:
  void evaluate(const std::vector<WholePoint>& points);
  double cost(const WholePoint& point, std::optional<std::size_t> left_out);
  std::int64_t snapped(std::size_t parameter, double value) const;
  double scaled(std::size_t parameter, std::int64_t value) const;
  /// The points on both sides of it that derivatives are taken from.
  std::pair<WholePoint, WholePoint> around(const WholePoint& point, std::size_t parameter) const;
  std::vector<double> flat(const WholePoint& point, std::optional<std::size_t> left_out);
  std::vector<WholePoint> steps(const WholePoint& point, std::optional<std::size_t> left_out);
  std::vector<WholePoint> neighbours(const WholePoint& point) const;

  std::vector<WholeParameter> parameters_;
  std::vector<bool> held_;  ///< at their starting values
  EvaluatePoints evaluate_;
  std::map<WholePoint, std::optional<Residuals>> known_;
};

/// The number that Student's t with so many degrees of freedom stays below with this probability, which is
/// above 1/2.
double studentQuantile(double probability, double freedom);

}  // namespace sluice::inline measurements
