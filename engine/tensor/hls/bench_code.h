#pragma once
// The test bench of an HLS project: it packs the inputs as external memory has them, runs the groups one
// after the other and compares the results with what the program computes.

#include <string>

#include "engine/core/float_tensor.h"
#include "engine/core/project_folder.h"
#include "engine/tensor/hls/hls_plan.h"

namespace sluice::inline tensor {

/// "testbench.cpp".
std::string benchSource(const HlsPlan& plan);
/// Errors: what the bench reads has more than a GiB.
Result<Done> checkBenchData(const TensorProgram& program);
/// The tensors from outside and the expected results, as .npy files; `values` of every tensor of the program.
std::vector<ProjectFile> benchData(const HlsPlan& plan, const TensorSet& given,
                                   std::span<const FloatTensor> values);

}  // namespace sluice::inline tensor
