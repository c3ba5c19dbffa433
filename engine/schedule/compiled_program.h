#pragma once
// CompiledProgram: what the step compile_tensors makes of a tensor program, for steps that rewrite its
// design, for reports and for sizing FIFOs in other ways. It is compiled to where rewrites begin first; the
// rest, as far as the nodes that take the program's place, follows when the rewrites are done.

#include <string>

#include "engine/schedule/transformation.h"
#include "engine/tensor/lowering/compile.h"
#include "engine/tensor/lowering/lowering.h"

namespace sluice::inline schedule {

struct TensorCompilation {
  std::string node;  ///< the tensor program
  CompileOptions options;
  CompiledDesign compiled;
  std::string sizing;             ///< as the step names it
  std::string platform = "none";  ///< likewise
};

struct CompiledProgram {
  TensorCompilation compilation;
  LoweredDesign lowered = {};  ///< what stands in the program; nothing before it is lowered first
  bool finished = false;       ///< the design was not rewritten since it was lowered
  std::size_t position = 0;    ///< among the programs that were compiled
};

/// Lowers what was compiled or rewritten since: its nodes take the place of the tensor program, or of the
/// nodes that it was lowered to before.
Result<Done> lowerCompiled(Rewrite& rewrite);
/// Whether the nodes and streams that it was lowered to are in the program as they were put there.
bool standsAsLowered(const Rewrite& rewrite, const CompiledProgram& program);

}  // namespace sluice::inline schedule
