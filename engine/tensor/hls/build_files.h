#pragma once
// The files around an HLS project's sources: how it is built, clocked and joined to the card's memory.

#include <string>

#include "engine/tensor/hls/hls_plan.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::inline tensor {

std::string projectReadme(const HlsPlan& plan, const Platform& platform);
/// `vendor_headers`: a folder whose path needs no escapes, or nothing.
std::string projectMakefile(const HlsPlan& plan, const Platform& platform, const std::string& vendor_headers);
/// Kernels, clock, and the memory channel of every transfer: a tensor lies in one channel.
std::string connectivity(const HlsPlan& plan, const Platform& platform);

}  // namespace sluice::inline tensor
