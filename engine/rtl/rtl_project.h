#pragma once
// A scheduled program as a SystemVerilog project at the level of timing: README.md.

#include <vector>

#include "engine/core/project_folder.h"
#include "engine/operators/inference.h"
#include "engine/simulator/result.h"

namespace sluice::inline rtl {

/// A program for a project.
struct RtlProgram {
  const FlatGraph& graph;
  const Inference& inference;
  const InputSet& inputs;
  const SimulationResult* run = nullptr;  ///< what the simulator says of it: expected.txt; null: no such file
};

/// All files of the project. Errors: an operator without RTL, sizes that do not fit; then there is no file.
Result<std::vector<ProjectFile>> rtlProject(const RtlProgram& program);
/// Several programs, which share no stream and no memory, in one test bench: one compile for many.
Result<std::vector<ProjectFile>> rtlProject(std::vector<RtlProgram> programs);

}  // namespace sluice::inline rtl
