#include "engine/tensor/sizing/branch_and_bound.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace sluice::inline tensor {
namespace {

constexpr double whole = 1e-6;  ///< how near to a whole number counts as one: CLP's tolerances are 1e-7

/// A part of the space: some binaries fixed, the rest relaxed.
struct Node {
  double bound = 0;
  std::size_t number = 0;  ///< decides between equal bounds: the later one, which is deeper
  std::size_t branch = 0;  ///< the binary that is not whole
  std::vector<std::pair<std::size_t, bool>> fixed;
};

struct Worse {
  bool operator()(const Node& a, const Node& b) const {
    return a.bound != b.bound ? a.bound > b.bound : a.number < b.number;
  }
};

class Search {
 public:
  Search(BoundedProgram& program, const BinarySearch& search) : program_(program), search_(search) {
    outcome_.best = search.incumbent;
  }

  BinaryOutcome run() {
    relax({});
    while (!open_.empty() && outcome_.nodes < search_.node_limit && !search_.stop.stop_requested() &&
           !prunes(open_.top().bound)) {
      const Node node = open_.top();
      open_.pop();
      for (const bool value : {false, true}) {
        auto fixed = node.fixed;
        fixed.emplace_back(node.branch, value);
        relax(std::move(fixed));
      }
    }
    outcome_.complete = !search_.stop.stop_requested() && (open_.empty() || prunes(open_.top().bound));
    if (!open_.empty() && !outcome_.complete)
      outcome_.bound = open_.top().bound;
    else if (outcome_.best)
      outcome_.bound = outcome_.best->objective;
    return std::move(outcome_);
  }

 private:
  /// Nothing that much better than the best is left at this bound.
  bool prunes(double bound) const {
    return outcome_.best &&
           bound >= outcome_.best->objective - 1e-7 * std::max(1.0, std::abs(outcome_.best->objective));
  }

  void fix(const std::vector<std::pair<std::size_t, bool>>& fixed, bool release) {
    for (const auto& [binary, value] : fixed)
      program_.setBounds(search_.binaries[binary], !release && value ? 1 : 0, release || value ? 1 : 0);
  }

  void relax(std::vector<std::pair<std::size_t, bool>> fixed) {
    ++outcome_.nodes;
    fix(fixed, false);
    const std::optional<BoundedProgram::Solution> relaxed = program_.solve(search_.stop);
    fix(fixed, true);
    if (!relaxed || prunes(relaxed->value)) return;
    if (const auto proposal = search_.round(relaxed->x);
        proposal && (!outcome_.best || proposal->objective < outcome_.best->objective))
      outcome_.best = proposal;
    const std::optional<std::size_t> branch = mostFractional(relaxed->x);
    if (!branch || prunes(relaxed->value)) return;
    open_.push({relaxed->value, outcome_.nodes, *branch, std::move(fixed)});
  }

  std::optional<std::size_t> mostFractional(const std::vector<double>& x) const {
    std::optional<std::size_t> found;
    double farthest = whole;
    for (std::size_t binary = 0; binary < search_.binaries.size(); ++binary) {
      const double value = x[search_.binaries[binary]];
      const double distance = std::abs(value - std::round(value));
      if (distance <= farthest) continue;
      farthest = distance;
      found = binary;
    }
    return found;
  }

  BoundedProgram& program_;
  const BinarySearch& search_;
  BinaryOutcome outcome_;
  std::priority_queue<Node, std::vector<Node>, Worse> open_;
};

}  // namespace

BinaryOutcome branchAndBound(BoundedProgram& program, const BinarySearch& search) {
  return Search(program, search).run();
}

}  // namespace sluice::inline tensor
