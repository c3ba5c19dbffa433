#pragma once
// Whether a program can do with the values of its inputs that are not written in it: those of files that it
// names, and those that are given in place of its own. What is wrong is told at the input and its file: the
// program, in which an error would name operators, is right.

#include <optional>
#include <span>

#include "engine/explorer/workload_set.h"

namespace sluice::inline explorer {

/// Where the program, before its schedule, has no types because of such values: the input at fault. For who
/// has found that it cannot be evaluated; evaluate() and evaluateSymbolic() ask. Nothing: it is not them.
std::optional<Diagnostic> blameInputs(const Workload& workload, const KnobValues& knobs);

/// The error of blameInputs(). Warnings, of all traces of a set: values that no operator takes; more tiles of
/// a request than its part of a cache has. Looks at the program before its schedule, and runs nothing; what
/// is wrong with the program itself is not told here. Costs nothing where all values are in the document.
Diagnostics checkInputs(const Workload& workload, std::span<const TraceMember> traces,
                        const KnobValues& knobs);

}  // namespace sluice::inline explorer
