#pragma once
// From a tensor program and a fusion plan to an abstract dataflow design.

#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/fusion/fusion.h"

namespace sluice::inline tensor {

/// One compute task per kernel of fusionGraph(program, tile), with the types that its tiles make. Kernels of
/// one group are joined by streams, whose ends may disagree; inputs, weights, results and what groups
/// exchange are external ports. Fails where `plan` is not one of this program's kernels.
Result<DataflowDesign> abstractDesign(const TensorProgram& program, const FusionPlan& plan,
                                      std::int64_t tile);

}  // namespace sluice::inline tensor
