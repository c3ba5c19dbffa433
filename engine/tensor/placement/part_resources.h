#pragma once
// What each part of a placed design takes of the chip: kernels, converters, transfers, FIFOs. Parts add up to
// what the dies hold (DieAssignment::used).

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/units.h"
#include "engine/tensor/placement/design_placement.h"

namespace sluice::inline tensor {

enum class PartKind { Kernel, Converter, Transfer, Fifo };
std::string_view text(PartKind kind);  ///< "kernel", "converter", "transfer", "fifo"

struct PartResources {
  PartKind kind = PartKind::Kernel;
  std::string name;
  Resources resources;
  std::int64_t bits = 0;  ///< that its memories are to hold
};

/// Of one group, in the order of its tasks, then of its streams. Forks and joins take nothing.
std::vector<PartResources> partsOf(const DataflowDesign& design, const DesignPlacement& placement);

/// "group,part,kind,LUT,...": a part a line, of all groups.
std::string partsCsv(const DataflowDesign& design, std::span<const DesignPlacement> groups);

/// Bytes that cross borders of dies while the group runs once: of each stream all that it passes, a border a
/// time.
Bytes crossingBytes(const DataflowDesign& design, const DesignPlacement& placement);

}  // namespace sluice::inline tensor
