#pragma once
// Values that a new knob may well have: those around the one that it takes the place of.

#include "engine/core/range.h"
#include "engine/program/document.h"

namespace sluice::ui {

/// A List has the divisors of `around`, a PowerOfTwo the powers up to four times smaller and larger, a Range
/// what lies between half and double; all within `range`. The default is `around`, or the value next to it.
/// A Choice has no values.
Knob proposedKnob(KnobKind kind, std::int64_t around, const Range& range);
/// The kind that suits the number: powers of two where it is one, else its divisors; a Range below 1.
KnobKind proposedKind(std::int64_t around);

}  // namespace sluice::ui
