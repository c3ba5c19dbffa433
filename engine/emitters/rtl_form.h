#pragma once
// What the SystemVerilog project of a program needs beside the project itself (rtl): its elaborated graph,
// and one run of the simulator, for what the test bench expects.

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/core/project_folder.h"
#include "engine/explorer/evaluate.h"
#include "engine/operators/functional.h"
#include "engine/program/trace_source.h"

namespace sluice::inline emitters {

/// How the project is written.
struct RtlForm {
  std::optional<ComputeOptions> compute = {};       ///< the functional level; nothing: that of timing
  bool expected = true;                             ///< with what the simulator says of a run
  std::map<std::string, std::string> sources = {};  ///< as in ProjectOrigin
  std::optional<TraceName> trace = {};              ///< as in ProjectOrigin
};
/// The project of the workload at these knobs. What has no RTL is reported before anything runs, and the
/// program runs once at most. Errors: those of rtlPlan(), of computedTensors(); the run was cancelled.
Result<std::vector<ProjectFile>> rtlFilesOf(const Workload& workload, const KnobValues& knobs,
                                            const RtlForm& form, const std::stop_token& stop);

}  // namespace sluice::inline emitters
