#pragma once
// The host program of an HLS project, for the vendor's runtime (XRT): it packs the inputs into the card's
// memory, runs the groups one after the other, and compares and times them. C simulation runs it, too,
// against a runtime of ours that calls the functions of the project.

#include <span>
#include <string>

#include "engine/tensor/hls/memory_channels.h"

namespace sluice::inline tensor {

/// "host.cpp". `channels` of every tensor (memoryChannels).
std::string hostSource(const HlsPlan& plan, std::span<const MemoryChannels> channels,
                       const PlatformMemory& memory);
/// The kernels as our runtime calls them: "kernels.cpp".
std::string simulatedKernels(const HlsPlan& plan, std::span<const MemoryChannels> channels);

}  // namespace sluice::inline tensor
