#pragma once
// Types that rewrites of a dataflow design derive from others: a token sent in vectors, every nth token of a
// stream, a stream under a reshaped tensor's name; and the transfers to external memory.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::inline tensor {

/// Whether the vector divides the type's tile in every dimension.
bool vectorDivides(std::span<const std::int64_t> vector, const ITensor& type);
/// What flows where tiles are sent in vectors, row-major within each tile: one inner loop more per dimension
/// that is cut. An empty vector leaves the type.
ITensor vectorisedType(const ITensor& type, std::span<const std::int64_t> vector);

/// The largest part of a tile that divides it in every dimension and has at most `elements`; of several, the
/// one nearest to a square, then the longest in the last dimension. Empty where no part is larger than one.
std::vector<std::int64_t> widestVector(std::span<const std::int64_t> tile, std::int64_t elements);

/// The tokens part, part + ways, part + 2 ways ... of a stream; empty where `ways` does not divide its
/// innermost loop (of more than one trip).
std::optional<ITensor> interleavedSlice(const ITensor& type, std::size_t ways, std::size_t part);

/// The stream under the other tensor's name: dimensions split or merged, the same scalars in the same order.
/// Empty where no type of that tensor sends them.
std::optional<ITensor> reassociatedType(const ITensor& type, std::span<const std::int64_t> from,
                                        std::span<const std::int64_t> to);
/// Whether one port's tensor is a plain reshape of the other's, and both types send the same scalars in the
/// same order.
/// `written_by`: writers(program).
bool isReassociated(const TensorProgram& program, std::span<const std::optional<std::size_t>> written_by,
                    const TaskPort& from, const TaskPort& to);

/// A transfer to or from external memory, by a load or store task or not materialised yet.
struct ExternalAccess {
  PortRef at;  ///< an output where a load reads or a compute task writes, otherwise an input
  TaskPort port;
  std::string task;
  std::size_t group = 0;
  bool written = false;
};
std::vector<ExternalAccess> externalAccesses(const DataflowDesign& design);

}  // namespace sluice::inline tensor
