#pragma once
// An experiment of the figures, built and bound to its traces, for who runs it in another way than runAll().

#include <filesystem>

#include "engine/figures/experiment.h"

namespace sluice::inline figures {

struct BuiltExperiment {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
  FigureInputs inputs;
  std::vector<std::int64_t> expert_tokens;  ///< of each expert; empty without routing
};
/// Of the request: traces and controller_wait. Errors: sizes that do not fit, a trace that cannot be read.
Result<BuiltExperiment> build(const Experiment& experiment, const FigureRequest& request);

Diagnostic noFolderOfTraces(const std::filesystem::path& folder);

}  // namespace sluice::inline figures
