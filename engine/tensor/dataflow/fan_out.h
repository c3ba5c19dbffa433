#pragma once
// Fan-out of a task's output: by a fork task, or by the producer itself, which pushes every token into all
// its streams and waits where any of them is full.

#include "engine/tensor/dataflow/design_edit.h"

namespace sluice::inline tensor {

/// Legal where several streams leave the output.
Result<Done> checkInsertFork(const DesignIndex& index, PortRef output);
Result<DataflowDesign> insertFork(const DataflowDesign& design, PortRef output);
/// Where it is legal.
void addFork(DesignEdit& edit, PortRef output);

Result<Done> checkRemoveFork(const DesignIndex& index, std::size_t fork);
/// The fork's source feeds its readers itself.
Result<DataflowDesign> removeFork(const DataflowDesign& design, std::size_t fork);
/// Where it is legal.
void dissolveFork(DesignEdit& edit, std::size_t fork);

}  // namespace sluice::inline tensor
