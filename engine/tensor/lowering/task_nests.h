#pragma once
// The compute tasks of a design as loop nests over its tensors: what unrolling, array partitioning and vector
// factors decide upon.

#include <span>
#include <vector>

#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/loop_nests/array_partition.h"
#include "engine/tensor/loop_nests/tiling.h"

namespace sluice::inline tensor {

/// The loops of an operator as a nest that can be tiled and unrolled: rows are parallel loops, and the
/// operations are rounded up to whole ones per iteration. Without accesses.
LoopNest loopNestOf(const TensorProgram& program, const TensorOperator& op);

/// A nest for each compute task, in the order of the tasks, over the tensors of the program. An access that
/// merges several loops into one dimension (a reshape) is left out: it connects no nests.
LoopProgram loopProgramOf(const DataflowDesign& design);

/// Tile, unroll factors and interval of every compute task, in the order of the tasks.
Result<std::vector<NestTiling>> taskTilings(const DataflowDesign& design, const TilingOptions& options);

/// The banks of every tensor of the program that the unrolled tasks ask for, at most `options.most_banks`.
std::vector<ArrayPartition> tensorPartitions(const DataflowDesign& design,
                                             std::span<const NestTiling> tilings,
                                             const TilingOptions& options);

/// The elements that an unrolled task takes or gives at once, of each port's tile: inputs, then outputs.
std::vector<std::vector<std::int64_t>> portVectors(const DataflowDesign& design, const Task& task,
                                                   const NestTiling& tiling);

}  // namespace sluice::inline tensor
