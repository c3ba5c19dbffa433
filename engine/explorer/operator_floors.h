#pragma once
// What is left of the cost of each operator of a program whatever further steps its schedule gets: where the
// bounds of programs come from (program_bounds.h).

#include <set>
#include <string>
#include <vector>

#include "engine/explorer/evaluate.h"

namespace sluice::inline explorer {

/// Transformations that may still be applied, by name.
using FurtherSteps = std::set<std::string>;

/// All numbers are 0 where nothing is proved.
struct OperatorFloor {
  Flops flops = 0;             ///< operations
  Bytes off_chip_bytes = 0;    ///< traffic as the metric counts it
  std::uint64_t requests = 0;  ///< that move it
  Bytes moved_bytes = 0;       ///< by the requests: a float may move as two bytes
  Bytes on_chip_bytes = 0;
  bool shares_memory = false;  ///< the instances of one origin may hold `on_chip_bytes` only once
  Cycles serial_cycles = 0;    ///< that one copy of the operator is busy
  Cycles start = 0;            ///< no copy of it begins in an earlier cycle
};

/// Parallel to the operators of the graph. `document`: the program that the graph was made of.
std::vector<OperatorFloor> operatorFloors(const SymbolicResult& symbolic, const Document& document,
                                          const FurtherSteps& further);

}  // namespace sluice::inline explorer
