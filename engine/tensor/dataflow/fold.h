#pragma once
// Folding: where a task writes its tiles in exactly the order in which the only task behind reads them, both
// work in one buffer and the FIFO between them goes.

#include "engine/tensor/dataflow/design_edit.h"

namespace sluice::inline tensor {

Result<Done> checkFold(const DesignIndex& index, std::size_t stream);
Result<DataflowDesign> fold(const DataflowDesign& design, std::size_t stream);

Result<Done> checkUnfold(const DesignIndex& index, std::size_t stream);
/// The FIFO and the second buffer come back.
Result<DataflowDesign> unfold(const DataflowDesign& design, std::size_t stream);

/// Either, where it is legal.
void setFolded(DesignEdit& edit, std::size_t stream, bool folded);

}  // namespace sluice::inline tensor
