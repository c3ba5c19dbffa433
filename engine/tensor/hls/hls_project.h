#pragma once
// A compiled design as a Vitis HLS dataflow project that also runs without the vendor's tools: README.md.

#include <optional>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/core/project_folder.h"
#include "engine/tensor/hls/hls_plan.h"
#include "engine/tensor/placement/platform.h"

namespace sluice::inline tensor {

struct HlsOptions {
  Platform platform;  ///< clock and memory channels
  TensorSet tensors;  ///< of the test bench; others are filled from their names
  /// The numbers of the program's scalars (number_format.h) instead of float32; the program is computed once,
  /// also without data.
  bool narrow = false;
  /// The folder of the vendor's headers, with which `make csim` compiles instead of the project's; empty:
  /// none.
  std::string vendor_headers = {};
  bool data = true;  ///< write the test bench's arrays; without them `make csim` compiles, but has no inputs
  /// The program's machine where the design is on no card: the platform then is one that stands in for it.
  std::optional<std::string> unplaced = {};
};

/// All files of the project. Errors: an operator without HLS, sizes that do not fit; then there is no file.
Result<std::vector<ProjectFile>> hlsProject(const CompiledDesign& compiled, const HlsOptions& options);

}  // namespace sluice::inline tensor
