#pragma once
// What the step compile_tensors compiles a TensorProgram to, for those who want to see more of it than the
// nodes and streams that it leaves in the program.

#include <string>

#include "engine/schedule/transformation.h"
#include "engine/tensor/compile.h"

namespace sluice {

struct CompiledTensors {
  std::string node;  ///< the path of the TensorProgram
  CompiledDesign compiled;
  LoweredDesign lowered;  ///< its nodes stand where the TensorProgram stood
};

Result<CompiledTensors> compiledTensors(const Rewrite& rewrite, const Arguments& arguments);

/// The same for a step of a schedule, `before` being the program that it works on; nothing for steps of other
/// transformations and for one that is refused.
std::optional<CompiledTensors> compiledByStep(const Scheme& before, const ScheduleStep& step,
                                              const KnobValues& knobs);

}  // namespace sluice
