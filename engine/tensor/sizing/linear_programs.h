#pragma once
// Linear programs on COIN-OR CLP: the two kinds that the sizing of FIFOs solves, and the relaxations of the
// assignment to dies. A solution that is asked to stop gives nothing.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace sluice::inline tensor {

/// value(head) - value(tail) >= length.
struct PotentialArc {
  std::size_t tail = 0;
  std::size_t head = 0;
  double length = 0;
  double weight = 1;
};

/// The values that minimise the sum of weight * (value(head) - value(tail)) over all arcs. `tight` names for
/// each variable an arc into it that is tight in one feasible solution, or no arc (arcs.size()): the tree
/// from which the search starts. Weights are positive.
std::optional<std::vector<double>> cheapestPotentials(std::span<const PotentialArc> arcs,
                                                      std::span<const std::size_t> tight,
                                                      const std::stop_token& stop = {});

/// Minimise the sum of weight * x with x >= least and the sums of chosen x at least a bound; such sums are
/// added one by one, and each solution starts from the last.
class CoveringProgram {
 public:
  CoveringProgram(std::span<const double> weights, std::span<const double> least);
  CoveringProgram(CoveringProgram&&) noexcept;
  ~CoveringProgram();

  void require(std::span<const std::size_t> chosen, double at_least);
  std::optional<std::vector<double>> solve(const std::stop_token& stop = {});

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

/// Minimise cost * x with bounds on every x and on chosen sums. Bounds of x may change between two solutions,
/// the second of which starts from the first.
class BoundedProgram {
 public:
  struct Term {
    std::size_t variable = 0;
    double factor = 1;
  };
  struct Solution {
    double value = 0;
    std::vector<double> x;
  };
  static constexpr double unbounded = 1e30;

  BoundedProgram();
  BoundedProgram(BoundedProgram&&) noexcept;
  ~BoundedProgram();

  std::size_t addVariable(double cost, double least, double most);
  void addRow(std::span<const Term> terms, double least, double most);
  void setBounds(std::size_t variable, double least, double most);
  /// Nothing where no x keeps all bounds, too.
  std::optional<Solution> solve(const std::stop_token& stop = {});

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace sluice::inline tensor
