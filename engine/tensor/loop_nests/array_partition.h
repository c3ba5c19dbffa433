#pragma once
// How many banks an array needs so that all iterations that are unrolled find their elements at once.

#include <span>

#include "engine/tensor/loop_nests/loop_nest.h"

namespace sluice::inline tensor {

enum class PartitionKind {
  None,    ///< one bank
  Cyclic,  ///< neighbours in different banks
  Block    ///< one piece a bank, for indices without a common stride
};

std::string text(PartitionKind kind);

struct DimensionPartition {
  std::int64_t factor = 1;
  PartitionKind kind = PartitionKind::None;

  bool operator==(const DimensionPartition&) const = default;
};

struct ArrayPartition {
  std::vector<DimensionPartition> dimensions;

  std::int64_t banks() const;
  bool operator==(const ArrayPartition&) const = default;
};

/// Per array; `unroll` has the factors of every nest's loops. The program passes the check. Accesses are
/// affine, so no index needs a multiplexer to be found.
std::vector<ArrayPartition> partitionArrays(const LoopProgram& program,
                                            std::span<const std::vector<std::int64_t>> unroll);

/// With at most `most` banks: the largest factors halved until they fit.
ArrayPartition withinBanks(ArrayPartition partition, std::int64_t most);

}  // namespace sluice::inline tensor
