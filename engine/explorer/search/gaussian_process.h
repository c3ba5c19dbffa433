#pragma once
// A Gaussian process: what is known of a function from its values at some points. Matern 5/2 kernel with a
// length scale for each group of inputs. Private to the strategies.

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::inline explorer {

struct Gaussian {
  double mean = 0, deviation = 0;
};

/// Points as rows of numbers, of which those of one group have a length scale in common.
struct Inputs {
  std::vector<std::size_t> group_of;  ///< of each column, 0 and up
  std::vector<double> rows;           ///< row-major

  std::size_t columns() const { return group_of.size(); }
  std::size_t groups() const;
  std::size_t size() const { return columns() == 0 ? 0 : rows.size() / columns(); }
  std::span<const double> row(std::size_t i) const {
    return std::span(rows).subspan(i * columns(), columns());
  }
};

/// Relative to the range of the inputs; the noise to the variance of the function.
struct KernelScales {
  std::vector<double> lengths;  ///< of each group
  double noise = 1e-4;          ///< variance
};

/// 1 at the same place, 0 far away.
double matern(std::span<const double> a, std::span<const double> b, const Inputs& inputs,
              const KernelScales& scales);

class GaussianProcess {
 public:
  /// With the scales that make the values likeliest.
  GaussianProcess(Inputs inputs, std::vector<double> values);
  GaussianProcess(Inputs inputs, std::vector<double> values, KernelScales scales);
  /// With likelier scales than its own, if there are some near them.
  void improveScales();

  /// Of the function itself, without noise, at each of the rows of a matrix with the same columns.
  std::vector<Gaussian> at(std::span<const double> rows) const;
  /// Up to a constant; the variance of the function is the likeliest for the scales.
  double logLikelihood() const { return log_likelihood_; }
  const KernelScales& scales() const { return scales_; }
  /// The same scales with one more value.
  void add(std::span<const double> row, double value);

 private:
  void solve();
  void weigh();

  Inputs inputs_;
  std::vector<double> values_;
  KernelScales scales_;
  double noise_ = 0;  ///< that the factor has: more than was asked for where points (nearly) coincide
  double mean_ = 0, variance_ = 0, log_likelihood_ = 0;
  std::vector<double> factor_;  ///< lower triangle of the correlations' Cholesky factor, column-major
  std::vector<double> weights_;
};

}  // namespace sluice::inline explorer
