#pragma once
// What is around the modules of a project: test bench, Makefile, README, and what the simulator expects.

#include <string>
#include <vector>

#include "engine/core/project_folder.h"
#include "engine/rtl/rtl_plan.h"
#include "engine/simulator/result.h"

namespace sluice::inline rtl {

/// Sizes of tokens: of the value, of all groups together; of elements at the functional level.
struct TokenSizes {
  std::uint64_t value_bits = 0, group_tokens = 0, elements = 0;  ///< no elements: the level of timing
  bool bfloat16 = false;
};
std::string sizesFile(const TokenSizes& sizes);
/// `runs`: the modules that run a program each (rtl_code.h).
std::string testBench(const std::vector<std::string>& prefixes, const std::string& runs);
/// `synthesizable`: with targets for Yosys; they are for one program, at the level of timing.
/// `data`: files of a number a line that the test bench reads.
std::string projectMakefile(const std::vector<RtlModule>& library, const std::vector<ProjectFile>& data,
                            bool synthesizable);
std::string projectReadme();
/// What the test bench prints if RTL and simulator agree: a line for the end, for the tokens of each stream,
/// and in a deadlock for who waits; sorted.
std::string expectedText(const RtlPlan& plan, const SimulationResult& run, const std::string& prefix);

}  // namespace sluice::inline rtl
