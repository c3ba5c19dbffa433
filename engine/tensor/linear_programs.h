#pragma once
// The two kinds of linear program that the sizing of FIFOs solves, on COIN-OR CLP.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace sluice {

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
std::vector<double> cheapestPotentials(std::span<const PotentialArc> arcs,
                                       std::span<const std::size_t> tight);

/// Minimise the sum of weight * x with x >= least and the sums of chosen x at least a bound; such sums are
/// added one by one, and each solution starts from the last.
class CoveringProgram {
 public:
  CoveringProgram(std::span<const double> weights, std::span<const double> least);
  CoveringProgram(CoveringProgram&&) noexcept;
  ~CoveringProgram();

  void require(std::span<const std::size_t> chosen, double at_least);
  std::vector<double> solve();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

}  // namespace sluice
