#pragma once
// A deadlock in the list of diagnostics, as one row that leads to its panel, and on the canvas, with the
// names of the program as it was written.

#include <QHash>

#include "engine/core/diagnostic.h"
#include "engine/simulator/explanation.h"
#include "widgets/canvas/mark.h"

namespace sluice::ui {

/// How the window calls operators and streams. A line may break before the arrow, but not within it.
Naming shownNames(const FlatGraph& graph);

/// That there is one, at an operator of its first wait cycle: the panel tells the rest.
Diagnostic deadlockDiagnostic(const FlatGraph& graph, const DeadlockReport& report);
/// By node path and stream origin.
QHash<QString, Mark> deadlockMarks(const FlatGraph& graph, const DeadlockReport& report);

}  // namespace sluice::ui
