#pragma once
// Interleaving a load over several load tasks, each of which fetches every nth tile, and a join that takes
// them in turn: more channels of external memory for one stream.

#include "engine/tensor/dataflow/design_index.h"

namespace sluice::inline tensor {

/// Legal where `ways` divides the innermost loop of the stream.
Result<Done> checkInterleave(const DesignIndex& index, std::size_t load, std::int64_t ways);
Result<DataflowDesign> interleave(const DataflowDesign& design, std::size_t load, std::int64_t ways);

/// Legal where nothing but load tasks feeds the join.
Result<Done> checkMergeLoads(const DesignIndex& index, std::size_t join);
/// One load task instead of the join and its loads.
Result<DataflowDesign> mergeLoads(const DataflowDesign& design, std::size_t join);

}  // namespace sluice::inline tensor
