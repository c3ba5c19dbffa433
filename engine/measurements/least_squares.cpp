// The only file of measurements that includes Eigen.

#include "engine/measurements/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sluice::inline measurements {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int most_rounds = 40;
constexpr double worthwhile = 1e-4;  // a round must gain that share of the sum of squares

/// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method.
double betaFraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d), c = away(1 + even / c), result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d), c = away(1 + odd / c), result *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

double incompleteBeta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a
                                   : 1 - front * betaFraction(b, a, 1 - x) / b;
}

}  // namespace

double studentQuantile(double probability, double freedom) {
  const auto below = [&](double t) {
    return 1 - incompleteBeta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
  };
  double low = 0, high = 1;
  while (below(high) < probability && high < 1e9) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (below(middle) < probability ? low : high) = middle;
  }
  return high;
}

WholePoint LeastSquares::start() const {
  WholePoint point;
  for (const WholeParameter& parameter : parameters_) point.push_back(parameter.start);
  return point;
}

void LeastSquares::evaluate(const std::vector<WholePoint>& points) {
  std::set<WholePoint> fresh;
  for (const WholePoint& point : points)
    if (!known_.contains(point)) fresh.insert(point);
  if (fresh.empty()) return;
  const std::vector<WholePoint> asked(fresh.begin(), fresh.end());
  std::vector<std::optional<Residuals>> answers = evaluate_(asked);
  for (std::size_t i = 0; i < asked.size(); ++i) known_[asked[i]] = std::move(answers[i]);
}

const Residuals* LeastSquares::at(const WholePoint& point) {
  evaluate({point});
  const std::optional<Residuals>& found = known_.at(point);
  return found ? &*found : nullptr;
}

std::vector<double> LeastSquares::flat(const WholePoint& point, std::optional<std::size_t> left_out) {
  std::vector<double> all;
  const Residuals* residuals = at(point);
  if (!residuals) return all;
  for (std::size_t group = 0; group < residuals->size(); ++group)
    if (group != left_out) all.insert(all.end(), (*residuals)[group].begin(), (*residuals)[group].end());
  return all;
}

double LeastSquares::cost(const WholePoint& point, std::optional<std::size_t> left_out) {
  if (!at(point)) return never;
  double sum = 0;
  for (const double each : flat(point, left_out)) sum += each * each;
  return sum;
}

double LeastSquares::freedom(const WholePoint& point) {
  const auto fitted = std::ranges::count(held_, false);
  return std::max(0.0, static_cast<double>(flat(point, std::nullopt).size()) - static_cast<double>(fitted));
}

std::int64_t LeastSquares::snapped(std::size_t parameter, double value) const {
  const WholeParameter& of = parameters_[parameter];
  if (held_[parameter]) return of.start;
  const auto least = static_cast<double>(of.range.minimum), most = static_cast<double>(of.range.maximum);
  const auto rounded =
      static_cast<std::int64_t>(std::llround(std::clamp(value, least, std::min(most, 9e15))));
  if (of.values.empty()) return rounded;
  return *std::ranges::min_element(
      of.values, {}, [&](std::int64_t each) { return std::abs(static_cast<double>(each) - value); });
}

/// Numbers that may be 0 are moved away from it.
double LeastSquares::scaled(std::size_t parameter, std::int64_t value) const {
  const std::int64_t least = parameters_[parameter].range.minimum;
  return std::log(static_cast<double>(value - std::min<std::int64_t>(least, 1) + 1));
}

std::pair<WholePoint, WholePoint> LeastSquares::around(const WholePoint& point, std::size_t parameter) const {
  const auto value = static_cast<double>(point[parameter]);
  const double step = std::max(1.0, std::round(value * 0.05));
  WholePoint below = point, above = point;
  below[parameter] = snapped(parameter, value - step);
  above[parameter] = snapped(parameter, value + step);
  if (const auto& values = parameters_[parameter].values; !values.empty() && !held_[parameter]) {
    const auto here = std::ranges::lower_bound(values, point[parameter]);
    if (here != values.begin()) below[parameter] = *(here - 1);
    if (here != values.end() && here + 1 != values.end()) above[parameter] = *(here + 1);
  }
  return {below, above};
}

/// Where Levenberg-Marquardt would go, for several dampings.
std::vector<WholePoint> LeastSquares::steps(const WholePoint& point, std::optional<std::size_t> left_out) {
  std::vector<WholePoint> asked;
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    const auto [below, above] = around(point, j);
    asked.push_back(below), asked.push_back(above);
  }
  evaluate(asked);
  const std::vector<double> here = flat(point, left_out);
  const VectorXd r = Eigen::Map<const VectorXd>(here.data(), static_cast<Index>(here.size()));
  MatrixXd jacobian = MatrixXd::Zero(r.size(), static_cast<Index>(parameters_.size()));
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    const std::vector<double> low = flat(asked[2 * j], left_out), high = flat(asked[2 * j + 1], left_out);
    const double width = scaled(j, asked[2 * j + 1][j]) - scaled(j, asked[2 * j][j]);
    if (low.size() != here.size() || high.size() != here.size() || width <= 0) continue;
    for (std::size_t i = 0; i < here.size(); ++i)
      jacobian(static_cast<Index>(i), static_cast<Index>(j)) = (high[i] - low[i]) / width;
  }
  const MatrixXd normal = jacobian.transpose() * jacobian;
  const VectorXd slope = jacobian.transpose() * r;
  std::vector<WholePoint> found;
  for (const double damping : {1e-6, 1e-3, 1e-1, 1.0, 10.0}) {
    MatrixXd damped = normal;
    damped.diagonal() += damping * normal.diagonal() + VectorXd::Constant(normal.rows(), 1e-12);
    const VectorXd step = damped.ldlt().solve(-slope);
    WholePoint next = point;
    for (std::size_t j = 0; j < parameters_.size(); ++j) {
      const double by = std::clamp(step(static_cast<Index>(j)), -1.5, 1.5);
      const double moved = std::exp(scaled(j, point[j]) + by) - std::exp(scaled(j, point[j]));
      next[j] = snapped(j, static_cast<double>(point[j]) + (std::isfinite(moved) ? moved : 0));
    }
    found.push_back(std::move(next));
  }
  return found;
}

std::vector<WholePoint> LeastSquares::neighbours(const WholePoint& point) const {
  std::vector<WholePoint> found;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const auto [below, above] = around(point, j);
    found.push_back(below), found.push_back(above);
    const double far = std::max(2.0, static_cast<double>(point[j]) / 2);
    for (double step = 1; step <= far; step *= 2)
      for (const double sign : {-1.0, 1.0}) {
        WholePoint next = point;
        next[j] = snapped(j, static_cast<double>(point[j]) + sign * step);
        found.push_back(std::move(next));
      }
  }
  for (std::size_t j = 0; j < point.size(); ++j)
    for (std::size_t k = 0; k < j; ++k)
      for (const WholePoint& of_j : {around(point, j).first, around(point, j).second})
        for (const WholePoint& of_k : {around(point, k).first, around(point, k).second}) {
          WholePoint next = of_j;
          next[k] = of_k[k];
          found.push_back(std::move(next));
        }
  return found;
}

WholePoint LeastSquares::fitFrom(const WholePoint& from, std::optional<std::size_t> left_out) {
  WholePoint best = from;
  double least = cost(best, left_out);
  const auto improve = [&](const std::vector<WholePoint>& candidates) {
    evaluate(candidates);
    const double before = least;
    for (const WholePoint& candidate : candidates)
      if (const double found = cost(candidate, left_out); found < least) least = found, best = candidate;
    return least < before * (1 - worthwhile);
  };
  if (least == never) return best;
  for (int round = 0; round < most_rounds && least > 0; ++round)
    if (!improve(steps(best, left_out)) && !improve(neighbours(best))) break;
  return best;
}

WholePoint LeastSquares::fit() {
  std::vector<WholePoint> starts{start()};
  const bool few = parameters_.size() <= 3;
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    const std::size_t so_far = few ? starts.size() : 1;
    for (std::size_t i = 0; i < so_far; ++i)
      for (const double factor : {0.25, 4.0}) {
        WholePoint next = starts[i];
        next[j] = snapped(j, static_cast<double>(next[j]) * factor);
        starts.push_back(std::move(next));
      }
  }
  evaluate(starts);
  std::stable_sort(starts.begin() + 1, starts.end(), [&](const WholePoint& a, const WholePoint& b) {
    return cost(a, std::nullopt) < cost(b, std::nullopt);
  });
  starts.resize(std::min<std::size_t>(starts.size(), 3));
  WholePoint best = start();
  for (const WholePoint& each : starts)
    if (WholePoint found = fitFrom(each); cost(found, std::nullopt) < cost(best, std::nullopt))
      best = std::move(found);
  return best;
}

std::optional<WholePoint> LeastSquares::leave(std::size_t parameter, const WholePoint& best) {
  const double least = cost(best, std::nullopt), rest = freedom(best);
  held_[parameter] = true;
  WholePoint from = best;
  from[parameter] = parameters_[parameter].start;
  WholePoint left = fitFrom(from);
  if (WholePoint found = fitFrom(start()); cost(found, std::nullopt) < cost(left, std::nullopt))
    left = std::move(found);
  const double more = cost(left, std::nullopt) - least;
  const double quantile = rest > 0 ? studentQuantile(0.975, rest) : 0;  // whose square is that of F(1, rest)
  if (more <= 0 || (rest > 0 && more <= least / rest * quantile * quantile)) return left;
  held_[parameter] = false;
  return std::nullopt;
}

std::vector<std::optional<double>> LeastSquares::halfWidths(const WholePoint& point) {
  std::vector<std::optional<double>> widths(parameters_.size());
  const std::vector<double> here = flat(point, std::nullopt);
  if (freedom(point) == 0) return widths;
  MatrixXd jacobian = MatrixXd::Zero(static_cast<Index>(here.size()), static_cast<Index>(parameters_.size()));
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    if (held_[j]) continue;
    const auto [below, above] = around(point, j);
    const std::vector<double> low = flat(below, std::nullopt), high = flat(above, std::nullopt);
    const auto width = static_cast<double>(above[j] - below[j]);
    if (low.size() != here.size() || high.size() != here.size() || width <= 0) return widths;
    for (std::size_t i = 0; i < here.size(); ++i)
      jacobian(static_cast<Index>(i), static_cast<Index>(j)) = (high[i] - low[i]) / width;
  }
  // Columns of length 1: which parameters the residuals do not tell apart does not depend on their units. A
  // parameter that they do not depend on is as good as known for the others.
  const VectorXd lengths = jacobian.colwise().norm();
  std::vector<Index> told;
  for (Index j = 0; j < lengths.size(); ++j)
    if (lengths(j) > 0) told.push_back(j);
  MatrixXd columns(jacobian.rows(), static_cast<Index>(told.size()));
  for (std::size_t k = 0; k < told.size(); ++k)
    columns.col(static_cast<Index>(k)) = jacobian.col(told[k]) / lengths(told[k]);
  const Eigen::LDLT<MatrixXd> factor((columns.transpose() * columns).eval());
  if (told.empty() || factor.vectorD().minCoeff() < 1e-8) return widths;
  const MatrixXd inverse = factor.solve(MatrixXd::Identity(columns.cols(), columns.cols()));
  const double rest = freedom(point);
  const double variance = cost(point, std::nullopt) / rest, quantile = studentQuantile(0.975, rest);
  for (std::size_t k = 0; k < told.size(); ++k) {
    const auto at = static_cast<Index>(k);
    widths[static_cast<std::size_t>(told[k])] =
        quantile * std::sqrt(variance * inverse(at, at)) / lengths(told[k]);
  }
  return widths;
}

}  // namespace sluice::inline measurements
