#pragma once
// ScheduleTrace: a schedule, step by step - the program before each step, what the step did or why it is
// refused, and which step made or changed a node.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/explorer/evaluate.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/schedule/patch.h"

namespace sluice::ui {

struct ScheduleTrace {
  struct Step {
    enum class State { Applied, Disabled, Refused, NotReached };
    State state = State::NotReached;
    PatchSummary summary;                ///< Applied; of rewrites in a row at the last of them
    std::size_t streams = 0;             ///< likewise: new or with other ends or depth
    Diagnostics diagnostics;             ///< Refused
    std::string program;                 ///< that the step compiles, or whose design it rewrites; empty: none
    std::string target;                  ///< the region or operator that it works on; empty: neither
    bool rewrites = false;               ///< that program's design
    std::optional<RewriteMade> rewrite;  ///< Applied: what it did to the design
  };
  std::vector<Step> steps;  ///< parallel to the document's schedule
  std::vector<Document>
      stages;  ///< before each step that was reached, then after the last: the nodes there are
  std::vector<CompiledPrograms> compiled;                  ///< likewise
  std::map<std::string, std::size_t> made_by, changed_by;  ///< node path -> the last such step
  /// Types and costs of the program without its schedule; null if it has none by itself.
  std::shared_ptr<const SymbolicResult> plain;

  /// The node of the program without its schedule that a node behind it comes from: itself, what it is a copy
  /// of, the tensor program that it was compiled from, or the region or operator that a step has added it to.
  /// Empty where there is none.
  std::string originOf(const std::string& path) const;
  void addStage(const ScheduledProgram& scheduled);
  /// The program that a step at `position` works on, or the last before it that there is.
  const Document& before(std::size_t position) const { return stages[std::min(position, stages.size() - 1)]; }
  const CompiledPrograms& compiledBefore(std::size_t position) const {
    return compiled[std::min(position, compiled.size() - 1)];
  }
};

/// Streams that a patch puts in, regions' insides included.
std::size_t streamsIn(const GraphPatch& patch);

/// Up to a stop request.
ScheduleTrace traceSchedule(const Workload& workload, const KnobValues& knobs,
                            const std::stop_token& stop = {});
/// The same where it is known what the whole schedule makes of the program: its last step is not applied
/// again.
ScheduleTrace traceSchedule(const Workload& workload, const KnobValues& knobs, const ScheduledProgram& whole,
                            const std::stop_token& stop);

}  // namespace sluice::ui
