#pragma once
// The files of a compiled design as a dataflow graph of SDF3 (tensor/sizing/kernel_dataflow.h).

#include "engine/core/project_folder.h"
#include "engine/schedule/compiled_program.h"

namespace sluice::inline emitters {

/// graph.xml has FIFOs of the design's depths, as channels back, unlimited.xml has none of these; fifos.csv
/// says which channel is which FIFO. Errors: those of kernelDataflow().
Result<std::vector<ProjectFile>> sdf3FilesOf(const TensorCompilation& compilation);

}  // namespace sluice::inline emitters
