#pragma once
// A deadlock in the list of diagnostics and on the canvas: the engine's explanation, with the names of the
// program as it was written.

#include <QHash>

#include "engine/core/diagnostic.h"
#include "engine/simulator/explanation.h"
#include "widgets/canvas/mark.h"

namespace sluice::ui {

/// How the window calls operators and streams. A line may break before the arrow, but not within it.
Naming shownNames(const FlatGraph& graph);

/// The deadlock as a whole, with the chain of its first wait cycle; at an operator of it.
Diagnostic deadlockDiagnostic(const FlatGraph& graph, const DeadlockReport& report);
/// By node path and stream origin.
QHash<QString, Mark> deadlockMarks(const FlatGraph& graph, const DeadlockReport& report);

}  // namespace sluice::ui
