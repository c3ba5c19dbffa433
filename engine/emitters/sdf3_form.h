#pragma once
// A compiled design as a dataflow graph (tensor/sizing/kernel_dataflow.h), and that graph's files.

#include <cstdint>
#include <vector>

#include "engine/core/project_folder.h"
#include "engine/emitters/project_origin.h"
#include "engine/schedule/compiled_program.h"
#include "engine/tensor/sizing/kernel_dataflow.h"

namespace sluice::inline emitters {

struct DesignDataflow {
  KernelDataflow kernels;                ///< the graph has the name of the design's node
  std::vector<std::int64_t> capacities;  ///< of channels: the depths of FIFOs, -1 of what is no FIFO
};
/// Errors: those of kernelDataflow().
Result<DesignDataflow> dataflowOf(const TensorCompilation& compilation);

/// graph.xml has FIFOs of the design's depths, as channels back, unlimited.xml has none of these; fifos.csv
/// says which channel is which FIFO. Errors: as dataflowOf().
Result<std::vector<ProjectFile>> sdf3FilesOf(const TensorCompilation& compilation, ProjectOrigin origin);

}  // namespace sluice::inline emitters
