#pragma once
// Applying a schedule: program -> program, step by step. Elaboration and simulation see only the result.

#include "engine/core/result.h"
#include "engine/schedule/transformation.h"

namespace sluice {

/// The program after all enabled steps, at one design point; its schedule is empty then. Errors name the
/// step: unknown transformation or argument, value out of range, and whatever makes the step illegal.
Result<Scheme> applySchedule(const Document& document, const InputSet& inputs, const KnobValues& knobs);

/// One step alone; `place` names it in diagnostics.
Result<Scheme> applyStep(Scheme scheme, const ScheduleStep& step, const KnobValues& knobs,
                         const std::string& place);

/// What a step would change, without changing anything.
struct Preview {
  struct Side {
    std::size_t operators = 0, streams = 0;
    std::optional<double> off_chip_bytes, on_chip_bytes, flops, compute;  ///< absent: only a run tells
    Cost cost;  ///< the same as expressions over knobs and dynamic symbols
  };
  Side before, after;
  std::vector<std::string> added, removed;  ///< nodes, by path
  struct Retyped {
    std::string stream, before, after;  ///< a stream that both programs have, with another type
  };
  std::vector<Retyped> retyped;
};
Result<Preview> preview(const Scheme& scheme, const ScheduleStep& step, const KnobValues& knobs);

}  // namespace sluice
