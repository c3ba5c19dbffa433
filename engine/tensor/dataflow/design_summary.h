#pragma once
// A dataflow design in numbers, to compare before and after a rewrite.

#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::inline tensor {

struct DesignSummary {
  std::size_t tasks = 0;
  std::size_t converters = 0;
  std::size_t transfers = 0;  ///< to and from external memory
  std::size_t streams = 0;
  std::int64_t fifo_words = 0;  ///< tokens or vectors that the FIFOs hold
  std::int64_t fifo_bytes = 0;
  std::int64_t on_chip_bytes = 0;  ///< buffers of tasks, and the FIFOs
  std::int64_t largest_group_bytes = 0;
  std::int64_t external_bytes = 0;     ///< moved, repeats included
  std::int64_t external_bursts = 0;    ///< that the transfers take, one per run of addresses
  std::int64_t external_accesses = 0;  ///< words of the layout, at most one bus wide
  std::int64_t host_bytes = 0;         ///< packed and unpacked by the host at every run (stacked layers)

  bool operator==(const DesignSummary&) const = default;
};

/// Depth of a FIFO that is not sized yet.
constexpr std::int64_t unsized_depth = 2;

DesignSummary summarise(const DataflowDesign& design);
/// Both halves of a converter and of a transfer, a tile for each port of a compute task - one for the two
/// ends of a folded stream - and what FIFOs hold.
std::int64_t onChipBytes(const DataflowDesign& design, std::size_t group);
std::vector<std::int64_t> onChipBytesOfGroups(const DataflowDesign& design);
std::string text(const DesignSummary& summary);
/// "tasks 12 -> 13, on-chip bytes 4096 -> 3072": what differs, or "no change".
std::string difference(const DesignSummary& before, const DesignSummary& after);

}  // namespace sluice::inline tensor
