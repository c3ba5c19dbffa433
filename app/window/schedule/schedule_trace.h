#pragma once
// ScheduleTrace: a schedule, step by step - the program before each step, what the step did or why it is
// refused, and which step made or changed a node.

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/patch.h"

namespace sluice::ui {

/// What a step compile_tensors compiled, and the nodes and streams that it became.
struct CompiledTensors {
  TensorCompilation compilation;
  LoweredDesign lowered;
};

struct ScheduleTrace {
  struct Step {
    enum class State { Applied, Disabled, Refused, NotReached };
    State state = State::NotReached;
    PatchSummary summary;                             ///< Applied
    std::size_t streams = 0;                          ///< Applied: new or with other ends or depth
    Diagnostics diagnostics;                          ///< Refused
    std::shared_ptr<const CompiledTensors> compiled;  ///< Applied, and the step compiles a tensor program
  };
  std::vector<Step> steps;  ///< parallel to the document's schedule
  std::vector<Document>
      stages;  ///< before each step that was reached, then after the last: the nodes there are
  std::map<std::string, std::size_t> made_by, changed_by;  ///< node path -> the last such step
  /// Types and costs of the program without its schedule; null if it has none by itself.
  std::shared_ptr<const SymbolicResult> plain;

  /// The program that a step at `position` works on, or the last before it that there is.
  const Document& before(std::size_t position) const { return stages[std::min(position, stages.size() - 1)]; }
};

/// Streams that a patch puts in, regions' insides included.
std::size_t streamsIn(const GraphPatch& patch);

/// Up to a stop request.
ScheduleTrace traceSchedule(const Workload& workload, const KnobValues& knobs,
                            const std::stop_token& stop = {});

}  // namespace sluice::ui
