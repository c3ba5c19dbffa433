// The only file of the strategies that includes Eigen. The values' mean is taken off and their variance is
// profiled out: what remains to be found are the length scales and the noise, by a search along one of them
// at a time in steps that shrink. It needs no derivatives, cannot diverge, and is the same everywhere.

#include "engine/explorer/search/gaussian_process.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace sluice::inline explorer {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double maternAt(double squared) {
  const double distance = std::sqrt(5 * squared);
  return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

Eigen::Map<const VectorXd> vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

/// Rows as columns, each number divided by its length scale.
MatrixXd scaled(std::span<const double> rows, const Inputs& inputs, const KernelScales& scales) {
  const auto columns = static_cast<Index>(inputs.columns());
  const Index points = columns == 0 ? 0 : static_cast<Index>(rows.size()) / columns;
  MatrixXd all = Eigen::Map<const MatrixXd>(rows.data(), columns, points);
  for (Index k = 0; k < columns; ++k)
    all.row(k) /= scales.lengths[inputs.group_of[static_cast<std::size_t>(k)]];
  return all;
}

/// Correlations of every point of `a` with every one of `b`.
MatrixXd correlations(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd all(a.cols(), b.cols());
  for (Index j = 0; j < b.cols(); ++j) {
    for (Index i = 0; i < a.cols(); ++i) all(i, j) = maternAt((a.col(i) - b.col(j)).squaredNorm());
  }
  return all;
}

}  // namespace

std::size_t Inputs::groups() const {
  return group_of.empty() ? 0 : std::ranges::max(group_of) + 1;
}

double matern(std::span<const double> a, std::span<const double> b, const Inputs& inputs,
              const KernelScales& scales) {
  double squared = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double step = (a[k] - b[k]) / scales.lengths[inputs.group_of[k]];
    squared += step * step;
  }
  return maternAt(squared);
}

GaussianProcess::GaussianProcess(Inputs inputs, std::vector<double> values)
    : inputs_(std::move(inputs)), values_(std::move(values)) {
  scales_.lengths.assign(inputs_.groups(), 0.5);
  solve();
  improveScales();
}

GaussianProcess::GaussianProcess(Inputs inputs, std::vector<double> values, KernelScales scales)
    : inputs_(std::move(inputs)), values_(std::move(values)), scales_(std::move(scales)) {
  solve();
}

/// One more row of the factor: those that are there stay, so that it takes the square of the points' number
/// instead of the cube.
void GaussianProcess::add(std::span<const double> row, double value) {
  const auto points = static_cast<Index>(values_.size());
  VectorXd added = correlations(scaled(inputs_.rows, inputs_, scales_), scaled(row, inputs_, scales_)).col(0);
  const Eigen::Map<const MatrixXd> factor(factor_.data(), points, points);
  factor.triangularView<Eigen::Lower>().solveInPlace(added);
  const double rest = 1 + noise_ - added.squaredNorm();
  inputs_.rows.insert(inputs_.rows.end(), row.begin(), row.end());
  values_.push_back(value);
  constexpr double least = 1e-9;  // below it, what is left is rounding
  if (rest < least) return solve();
  MatrixXd larger = MatrixXd::Zero(points + 1, points + 1);
  larger.topLeftCorner(points, points) = factor;
  larger.row(points).head(points) = added;
  larger(points, points) = std::sqrt(rest);
  factor_.assign(larger.data(), larger.data() + larger.size());
  weigh();
}

void GaussianProcess::solve() {
  const MatrixXd places = scaled(inputs_.rows, inputs_, scales_);
  MatrixXd covariance = correlations(places, places);
  Eigen::LLT<MatrixXd> cholesky;
  for (noise_ = scales_.noise;; noise_ = std::max(10 * noise_, 1e-10)) {
    covariance.diagonal().setConstant(1 + noise_);
    cholesky.compute(covariance);
    if (cholesky.info() == Eigen::Success) break;
  }
  const MatrixXd lower = cholesky.matrixL();
  factor_.assign(lower.data(), lower.data() + lower.size());
  weigh();
}

/// What follows from the values and the factor.
void GaussianProcess::weigh() {
  const auto points = static_cast<Index>(values_.size());
  const Eigen::Map<const MatrixXd> factor(factor_.data(), points, points);
  mean_ = vector(values_).mean();
  const VectorXd centred = vector(values_).array() - mean_;
  VectorXd weights = factor.triangularView<Eigen::Lower>().solve(centred);
  factor.triangularView<Eigen::Lower>().transpose().solveInPlace(weights);
  variance_ = std::max(0.0, centred.dot(weights) / static_cast<double>(points));
  const double least = 1e-300;  // all values equal
  log_likelihood_ = -0.5 * static_cast<double>(points) * std::log(std::max(variance_, least)) -
                    factor.diagonal().array().log().sum();
  weights_.assign(weights.data(), weights.data() + weights.size());
}

void GaussianProcess::improveScales() {
  constexpr double shortest = 0.05, longest = 20, least_noise = 1e-6, most_noise = 0.1;
  const auto [low, high] = std::ranges::minmax(values_);
  if (low == high) return;  // any are as likely
  KernelScales best = scales_;
  double likelihood = log_likelihood_;
  const auto try_step = [&](std::size_t which, double factor) {
    scales_ = best;
    double& scale = which < scales_.lengths.size() ? scales_.lengths[which] : scales_.noise;
    scale = which < scales_.lengths.size() ? std::clamp(scale * factor, shortest, longest)
                                           : std::clamp(scale * factor, least_noise, most_noise);
    solve();
    if (log_likelihood_ <= likelihood) return false;
    best = scales_;
    likelihood = log_likelihood_;
    return true;
  };
  for (const double factor : {4.0, 2.0, 1.5}) {
    for (int sweep = 0; sweep < 3; ++sweep) {
      bool better = false;
      for (std::size_t which = 0; which <= scales_.lengths.size(); ++which)
        better |= try_step(which, factor) || try_step(which, 1 / factor);
      if (!better) break;
    }
  }
  scales_ = best;
  solve();
}

std::vector<Gaussian> GaussianProcess::at(std::span<const double> rows) const {
  const auto points = static_cast<Index>(values_.size());
  MatrixXd cross = correlations(scaled(inputs_.rows, inputs_, scales_), scaled(rows, inputs_, scales_));
  const VectorXd means = cross.transpose() * vector(weights_);
  Eigen::Map<const MatrixXd>(factor_.data(), points, points)
      .triangularView<Eigen::Lower>()
      .solveInPlace(cross);
  std::vector<Gaussian> found;
  for (Index i = 0; i < cross.cols(); ++i) {
    const double rest = std::max(0.0, 1 - cross.col(i).squaredNorm());
    found.push_back({mean_ + means(i), std::sqrt(variance_ * rest)});
  }
  return found;
}

}  // namespace sluice::inline explorer
