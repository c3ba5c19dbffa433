#pragma once
// Tells a deadlock as a chain of sentences: who waits for whom, and why. The marks show the same on the
// canvas.

#include <QHash>

#include "engine/core/diagnostic.h"
#include "engine/simulator/result.h"
#include "widgets/canvas/mark.h"

namespace sluice::ui {

/// First the deadlock as a whole, then each circular wait in order, then those that wait behind it.
Diagnostics deadlockDiagnostics(const FlatGraph& graph, const DeadlockReport& report);
/// By node path and stream origin.
QHash<QString, Mark> deadlockMarks(const FlatGraph& graph, const DeadlockReport& report);

}  // namespace sluice::ui
