#pragma once
// A materialised dataflow design on a platform: the buffers of its tasks and streams in the chip's memories,
// its tasks on dies.

#include <optional>
#include <span>
#include <vector>

#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/loop_nests/array_partition.h"
#include "engine/tensor/placement/die_assignment.h"
#include "engine/tensor/placement/memory_allocation.h"

namespace sluice::inline tensor {

struct DesignBuffer {
  std::size_t task = 0;  ///< that it lies beside; a FIFO beside its consumer
  MemoryBuffer memory;
  std::optional<std::size_t> stream = {};  ///< whose FIFO it is
};

/// Bits that a stream passes in one access: its vectors, or the rows of its tiles in words of at most the
/// bus's width.
std::int64_t accessBits(const DataflowDesign& design, const DataflowStream& stream);

/// Both halves of converters and transfers, one tile of every port of a compute task, every FIFO that is not
/// folded (two tokens where it is not sized). Only of one group's tasks: groups do not share a device at one
/// time. Tiles and halves lie in the banks of their tensor, as many as their extents have room for; a word of
/// a bank is its part of an access. `partitions` are each tensor's; without them, one bank.
std::vector<DesignBuffer> buffersOf(const DataflowDesign& design, std::size_t group,
                                    std::span<const ArrayPartition> partitions = {});

struct PlacementOptions {
  MemoryThresholds memory;
  DieOptions dies;
};

struct DesignPlacement {
  std::vector<std::size_t> tasks;    ///< of the design: the group's
  std::vector<std::size_t> streams;  ///< of the design: between these tasks
  std::vector<DesignBuffer> buffers;
  MemoryAllocation memory;         ///< of `buffers`
  std::vector<Resources> logic;    ///< as `tasks`: what each takes beside its buffers
  std::vector<DieTask> die_tasks;  ///< as `tasks`: what each takes of its die
  DieAssignment dies;              ///< as `tasks` and `streams`
};

/// What a buffer takes where it lies; of a FIFO also its logic.
Resources takenBy(const DesignBuffer& buffer, const PlacedBuffer& placed);

/// `logic` has every task's, by the design's numbers, `partitions` every tensor's banks. Memory is what the
/// fill and the logic leave of all dies together.
Result<DesignPlacement> placeDesign(const DataflowDesign& design, std::size_t group,
                                    std::span<const Resources> logic, const Platform& platform,
                                    const PlacementOptions& options = {},
                                    std::span<const ArrayPartition> partitions = {});

/// Borders that each stream of a design of `streams` streams crosses; 0 for those of other groups. With
/// withCrossings() the timed graph of the design learns of them.
std::vector<std::int64_t> crossingsOf(const DesignPlacement& placement, std::size_t streams);

}  // namespace sluice::inline tensor
