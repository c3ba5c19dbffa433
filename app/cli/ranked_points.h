#pragma once
// Points of an exploration as the tasks of a cluster, and what a point is in JSON between two processes.

#include <memory>

#include "app/cli/cluster.h"
#include "engine/explorer/point_evaluator.h"

namespace sluice::cli {

/// As crewOrWork(): null for all but rank 0. All must live as long as the evaluator.
Result<std::unique_ptr<PointEvaluator>> rankedEvaluator(Cluster& cluster, const Workload& workload);

/// All of a point but its knobs and its level, which the asker knows.
Json outcomeJson(const PointOutcome& outcome);
PointOutcome outcomeFrom(const Json& body, const PointTask& task);

}  // namespace sluice::cli
