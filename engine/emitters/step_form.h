#pragma once
// A scheduled program as a graph of STeP's simulator (interchange/step_format.md): graph.pb, the .npy files
// that it names, the settings of a run, and what Sluice says of one.

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/core/project_folder.h"
#include "engine/explorer/evaluate.h"
#include "engine/program/trace_source.h"

namespace sluice::inline emitters {

struct StepForm {
  bool expected = true;                             ///< with the cycles of a run
  std::string schema = {};                          ///< a folder of .proto files; empty: those of the program
  std::map<std::string, std::string> sources = {};  ///< as in ProjectOrigin
  std::optional<TraceName> trace = {};              ///< likewise
};
struct StepProject {
  std::vector<ProjectFile> files;
  Diagnostics notes;  ///< why its run will not give the cycles that are expected
};
/// The project of the workload at these knobs. Errors: what the simulator does not have of operators and
/// machine, depths of streams that no settings of its give; the run was cancelled.
Result<StepProject> stepProjectOf(const Workload& workload, const KnobValues& knobs, const StepForm& form,
                                  const std::stop_token& stop);

}  // namespace sluice::inline emitters
