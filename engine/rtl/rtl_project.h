#pragma once
// A scheduled program as a SystemVerilog project at the level of timing: README.md.

#include <vector>

#include "engine/core/project_folder.h"
#include "engine/rtl/rtl_plan.h"

namespace sluice::inline rtl {

/// All files of the project. Errors: an operator without RTL, sizes that do not fit; then there is no file.
Result<std::vector<ProjectFile>> rtlProject(const RtlProgram& program);
/// Several programs, which share no stream and no memory, in one test bench: one compile for many.
Result<std::vector<ProjectFile>> rtlProject(std::vector<RtlProgram> programs);

}  // namespace sluice::inline rtl
