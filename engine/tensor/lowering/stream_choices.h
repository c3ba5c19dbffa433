#pragma once
// What a compiler decides about the streams of a materialised design once kernels are unrolled: which of them
// send their tiles in vectors, and which need no FIFO because both ends work in one buffer.

#include <span>

#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/loop_nests/tiling.h"
#include "engine/tensor/sizing/fifo_sizing.h"

namespace sluice::inline tensor {

enum class StreamVectors {
  Tiles,   ///< whole tiles
  Unroll,  ///< what the unrolled kernels at the ends take and give at once: the larger of both
  Bus      ///< the widest that a bus of 512 bits takes
};

/// Streams to and from external memory stay as they are: transfers move tiles. Readers of one converter get
/// one vector. `tilings` are those of the compute tasks, in order.
DataflowDesign withVectors(DataflowDesign design, std::span<const NestTiling> tilings, StreamVectors vectors);

/// Folds every stream where that is legal and whose FIFO, sized for whole tiles, would hold no more than the
/// buffer that takes its place.
DataflowDesign withFolds(DataflowDesign design, const FifoSizing& sizing);

}  // namespace sluice::inline tensor
