#pragma once
// Runs of designs as the tasks of a cluster.

#include <memory>

#include "app/cli/cluster.h"
#include "engine/designer/design_run.h"

namespace sluice::cli {

/// As crewOrWork(): null for all but rank 0. All must live as long as the runner.
Result<std::unique_ptr<DesignRunner>> rankedRunner(Cluster& cluster, const Workload& workload,
                                                   const KnobValues& knobs);

}  // namespace sluice::cli
