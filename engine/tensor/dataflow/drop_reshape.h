#pragma once
// Dropping a reshape: a plain reshape computes nothing, so where its tiles come in the order in which they
// leave, the task goes and the stream takes another name - the dimensions are reassociated, the scalars and
// their order stay.

#include "engine/tensor/dataflow/design_edit.h"

namespace sluice::inline tensor {

/// Legal where the reshape is fed by a stream of its own order and its readers take the order that leaves it.
Result<Done> checkDropReshape(const DesignIndex& index, std::size_t task);
Result<DataflowDesign> dropReshape(const DataflowDesign& design, std::size_t task);
/// Where it is legal.
void omitReshape(DesignEdit& edit, std::size_t task);

}  // namespace sluice::inline tensor
