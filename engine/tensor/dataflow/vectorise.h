#pragma once
// Vectorising a stream: tiles are sent in vectors, so that the FIFO is as wide as the unrolled kernels need
// it and no wider. Token count and size change, the volume does not. Each stream has its own vector.

#include <span>

#include "engine/tensor/dataflow/design_edit.h"

namespace sluice::inline tensor {

/// Legal where the vector divides the tiles of both ends in every dimension.
Result<Done> checkVectorise(const DesignIndex& index, std::size_t stream,
                            std::span<const std::int64_t> vector);
Result<DataflowDesign> vectorise(const DataflowDesign& design, std::size_t stream,
                                 std::span<const std::int64_t> vector);
/// The widest vector of at most `bits` that is smaller than the tiles; empty where there is none.
std::vector<std::int64_t> suggestedVector(const DesignIndex& index, std::size_t stream, std::int64_t bits);

Result<Done> checkUnvectorise(const DesignIndex& index, std::size_t stream);
/// Whole tiles again.
Result<DataflowDesign> unvectorise(const DataflowDesign& design, std::size_t stream);

/// Either, where it is legal; an empty vector: whole tiles.
void setVector(DesignEdit& edit, std::size_t stream, std::span<const std::int64_t> vector);

/// The type of what flows: vectors, where the stream has them. Of a stream that needs no converter.
ITensor streamType(const DataflowDesign& design, const DataflowStream& stream);

}  // namespace sluice::inline tensor
