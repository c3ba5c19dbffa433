#pragma once
// The wait-for graph of a network in which nothing can move: its wait cycles, who is stranded, who merely
// queues behind them. A process that waits for one stream has one edge; one that watches several inputs has
// an edge to the producer of each, and is part of a deadlock only if all of them are: so a wait cycle is a
// strongly connected component that no edge leaves (a knot).

#include "engine/simulator/result.h"

namespace sluice::inline simulator {

/// `waits_for[i]`: whom report.blocked[i] waits for, any of them. Fills in the cycles, the stranded, the
/// victims and their distances, and `at`.
void findCircles(DeadlockReport& report, const std::vector<std::vector<OperatorId>>& waits_for);

}  // namespace sluice::inline simulator
