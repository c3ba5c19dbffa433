#pragma once
// Rewrites of compiled designs in words: "fold everywhere", "vectorise stream 'a.out0 -> b.in0' by 2x4".
// Files had lists of them in the argument 'rewrites' of compile_tensors before each was a step of its own,
// and the command line takes them still.

#include <optional>
#include <string>

#include "engine/program/document.h"

namespace sluice::inline program {

/// The step for a compiled program, by the path of its node. Nothing for "none", which changes nothing. Words
/// that are no rewrite become the name of the step, which is refused when it is applied.
std::optional<ScheduleStep> rewriteStep(const Value& program, const std::string& words);

/// Puts steps in the place of 'rewrites'. Of a knob "=knob" every choice becomes a step, which is applied
/// when the knob has it.
void separateRewrites(Document& document);

}  // namespace sluice::inline program
