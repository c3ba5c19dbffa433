#pragma once
// What the step compile_tensors of a schedule makes of its tensor program, before it is lowered into the
// program: for reports and for sizing FIFOs in other ways.

#include <string>

#include "engine/schedule/schedule.h"
#include "engine/tensor/lowering/compile.h"
#include "engine/tensor/lowering/lowering.h"

namespace sluice {

struct TensorCompilation {
  std::string node;  ///< the tensor program
  CompileOptions options;
  CompiledDesign compiled;
  std::string sizing;  ///< as the step names it
};

constexpr std::size_t mostCompileSteps = 1 << 20;

/// The scheme behind the step, and what the step made of it.
struct CompiledStep {
  Scheme scheme;
  TensorCompilation compilation;
  LoweredDesign lowered;
};

/// applyStep() of a compile_tensors step that keeps what it compiled.
Result<CompiledStep> applyCompileStep(Scheme scheme, const ScheduleStep& step, const KnobValues& knobs,
                                      const Location& place, const std::stop_token& stop = {});

/// Whether an enabled step compiles a tensor program.
bool compilesTensors(const Document& document);
/// The enabled such steps, the first `most` of them, at one design point, each behind all steps before it;
/// fails where there is none.
Result<std::vector<CompiledStep>> compileSteps(const Document& document, const InputSet& inputs,
                                               const KnobValues& knobs, std::size_t most = mostCompileSteps,
                                               const std::stop_token& stop = {});
/// Of the first such step.
Result<TensorCompilation> tensorCompilation(const Document& document, const InputSet& inputs,
                                            const KnobValues& knobs, const std::stop_token& stop = {});

/// A document with the program as the text of a node, and the step that compiles it.
Document tensorProgramDocument(const TensorProgram& program);

}  // namespace sluice
