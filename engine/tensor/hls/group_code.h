#pragma once
// The source files of groups: the functions of their tasks and the dataflow region that joins them.

#include <string>

#include "engine/tensor/hls/hls_plan.h"

namespace sluice::inline tensor {

/// "group_0.cpp".
std::string groupSource(const HlsPlan& plan, std::size_t group);
/// Declarations of all top functions: "design.h".
std::string designHeader(const HlsPlan& plan);
/// The addresses of tensors in memory, for kernels and host: "layout.h".
std::string layoutHeader(const HlsPlan& plan);
/// The transfers of a group, in the order of its top function's parameters.
std::vector<std::size_t> transfersOf(const HlsPlan& plan, std::size_t group);
/// What the transfer's parameter is: "const hls::vector<float, 16>*".
std::string memoryPointer(const HlsPlan& plan, std::size_t transfer);

}  // namespace sluice::inline tensor
