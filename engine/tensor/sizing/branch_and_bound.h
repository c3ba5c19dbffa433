#pragma once
// 0-1 programs: branch and bound over linear relaxations, best bound first. Deterministic: its limit counts
// nodes, not seconds.

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/tensor/sizing/linear_programs.h"

namespace sluice::inline tensor {

struct BinarySearch {
  /// Variables of the program that are to be 0 or 1, with these bounds in it.
  std::vector<std::size_t> binaries;
  /// A solution with all binaries whole near a relaxed one (values of all variables), and its objective;
  /// nothing where none is found.
  struct Proposal {
    std::vector<bool> values;  ///< per binary
    double objective = 0;
  };
  std::function<std::optional<Proposal>(std::span<const double> relaxed)> round;
  std::optional<Proposal> incumbent;  ///< a known solution to start from
  std::size_t node_limit = 1000;
  std::stop_token stop = {};  ///< a request ends the search like its limit
};

struct BinaryOutcome {
  std::optional<BinarySearch::Proposal> best;
  double bound = 0;       ///< no solution is below it
  bool complete = false;  ///< the best is optimal, or there is no solution
  std::size_t nodes = 0;  ///< relaxations solved
};

/// Relaxations whose binaries are all whole are solutions as they are: `round` must return them.
BinaryOutcome branchAndBound(BoundedProgram& program, const BinarySearch& search);

}  // namespace sluice::inline tensor
