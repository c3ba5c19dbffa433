#pragma once
// The channels of external memory that the tensors of a project lie in.

#include <vector>

#include "engine/core/result.h"
#include "engine/tensor/hls/hls_plan.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::inline tensor {

/// Channels that lie side by side; one where a tensor fits one.
struct MemoryChannels {
  std::int64_t first = 0, count = 0;

  bool operator==(const MemoryChannels&) const = default;
};

/// "HBM[3]", "HBM[0:2]", "DDR[1]", as the linker has them.
std::string channelText(const MemoryChannels& channels, const PlatformMemory& memory);

/// Of every tensor of the plan, those of the memory that it lies in; none where no transfer moves it. In
/// turn, in the order in which groups first move them, past channels that have no room. Error: a tensor has
/// none anywhere.
Result<std::vector<MemoryChannels>> memoryChannels(const HlsPlan& plan, const Platform& platform);

}  // namespace sluice::inline tensor
