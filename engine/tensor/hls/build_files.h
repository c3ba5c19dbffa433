#pragma once
// The files around an HLS project's sources: how it is built, clocked and joined to the card's memory.

#include <span>
#include <string>

#include "engine/tensor/hls/memory_channels.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::inline tensor {

/// `target`: what the design was made for, in words.
std::string projectReadme(const HlsPlan& plan, const std::string& target);
/// `vendor_headers`: a folder whose path needs no escapes, or nothing.
std::string projectMakefile(const HlsPlan& plan, const Platform& platform, const std::string& vendor_headers);
/// Kernels, clock, and the memory channels of every transfer.
std::string connectivity(const HlsPlan& plan, const Platform& platform, const std::string& target,
                         std::span<const MemoryChannels> channels);

}  // namespace sluice::inline tensor
