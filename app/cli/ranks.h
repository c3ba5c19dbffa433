#pragma once
// Whether this process is one of many that mpirun has started, and which. ranks.cpp alone knows whether MPI
// is there.

#include <memory>

#include "app/cli/cluster.h"

namespace sluice::cli {

/// By mpirun or srun.
bool startedByMpi();
/// Before MPI can be asked.
int rankHere();
/// Errors: sluice-cli was built without MPI.
Result<std::unique_ptr<Cluster>> joinRanks();
/// Rank 0 gets what hands out tasks; the others work until it is done, and then get null. The cluster must
/// live longer. `subject`: as Cluster::crew() has it.
Result<std::unique_ptr<Crew>> crewOrWork(Cluster& cluster, const std::string& subject, RankWork work);
/// Of what one process does alone. `otherwise`: "or give one trace".
Diagnostic refuseRanks(const std::string& cause, const std::string& otherwise);
/// What the cluster has done, on stderr. `tasks`: what they are called.
void tellTraffic(const Cluster& cluster, const std::string& tasks, double seconds);

}  // namespace sluice::cli
