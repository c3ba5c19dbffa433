#pragma once
// What the step compile_tensors of a schedule makes of its tensor program, before it is lowered into the
// program: for reports and for sizing FIFOs in other ways.

#include <string>

#include "engine/schedule/schedule.h"
#include "engine/tensor/compile.h"
#include "engine/tensor/lowering.h"

namespace sluice {

struct TensorCompilation {
  std::string node;  ///< the tensor program
  CompileOptions options;
  CompiledDesign compiled;
  std::string sizing;  ///< as the step names it
};

/// The scheme behind the step, and what the step made of it.
struct CompiledStep {
  Scheme scheme;
  TensorCompilation compilation;
  LoweredDesign lowered;
};

/// applyStep() of a compile_tensors step that keeps what it compiled.
Result<CompiledStep> applyCompileStep(Scheme scheme, const ScheduleStep& step, const KnobValues& knobs,
                                      const std::string& place);

/// Whether an enabled step compiles a tensor program.
bool compilesTensors(const Document& document);
/// The first enabled such step behind those before it, at one design point; fails where there is none.
Result<CompiledStep> firstCompileStep(const Document& document, const InputSet& inputs,
                                      const KnobValues& knobs);
Result<TensorCompilation> tensorCompilation(const Document& document, const InputSet& inputs,
                                            const KnobValues& knobs);

}  // namespace sluice
