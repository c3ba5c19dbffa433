#pragma once
// An assignment of tasks to dies that is changed task by task: what it costs, and the way downhill from it.

#include <map>

#include "engine/tensor/placement/die_assignment.h"

namespace sluice::inline tensor {

/// What the search knows of a design and a platform.
struct DieProblem {
  std::vector<Resources> need;  ///< per task
  std::vector<bool> tied;       ///< per task: to `external_die`
  /// Bits between each two tasks that are joined, in either direction, as a part of all bits.
  std::map<std::pair<std::size_t, std::size_t>, double> joined;
  std::vector<Resources> size;   ///< per die
  std::vector<Resources> room;   ///< per die: the part that may be used
  std::vector<Resource> in_use;  ///< that some task needs
  std::size_t external_die = 0;
  double crossing_weight = 1;
  double imbalance_weight = 1;
};

class DieLayout {
 public:
  DieLayout(const DieProblem& problem, std::vector<std::size_t> die);

  const std::vector<std::size_t>& die() const { return die_; }
  const std::vector<Resources>& used() const { return used_; }
  double crossing() const { return crossing_; }
  double imbalance() const;
  double objective() const;
  /// By how much rooms are exceeded; 0: a solution.
  double excess() const;

  void move(std::size_t task, std::size_t die);
  /// Single tasks to other dies and pairs exchanged, as long as that lowers the excess, then the objective.
  void improve();

 private:
  bool moveIfBetter(std::size_t task, std::size_t die);
  bool exchangeIfBetter(std::size_t a, std::size_t b);

  const DieProblem& problem_;
  std::vector<std::size_t> die_;
  std::vector<std::vector<std::pair<std::size_t, double>>> neighbours_;
  std::vector<Resources> used_;
  double crossing_ = 0;
};

}  // namespace sluice::inline tensor
