#include "app/cli/ranks.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "app/cli/table.h"

namespace sluice::cli {

bool startedByMpi() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMIX_RANK") || std::getenv("PMI_RANK");
}

int rankHere() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return 0;
}

Result<std::unique_ptr<Cluster>> joinRanks() {
#ifdef SLUICE_WITH_MPI
  return joinMpi();
#else
  return error("unsupported-build", "mpirun", "this sluice-cli was built without MPI",
               "install libopenmpi-dev and openmpi-bin and build again, or start it without mpirun");
#endif
}

Result<std::unique_ptr<Crew>> crewOrWork(Cluster& cluster, const std::string& subject, RankWork work) {
  if (cluster.rank() == 0) return cluster.crew(subject, std::move(work));
  SLUICE_CHECK(cluster.serve(subject, std::move(work)));
  return std::unique_ptr<Crew>();
}

Diagnostic refuseRanks(const std::string& cause, const std::string& otherwise) {
  return error("conflicting-options", "mpirun", cause, "start sluice-cli without it, " + otherwise);
}

void tellTraffic(const Cluster& cluster, const std::string& tasks, double seconds) {
  const ClusterTraffic& traffic = cluster.traffic();
  const auto done = static_cast<double>(std::max<std::uint64_t>(1, traffic.tasks));
  std::cerr << cluster.ranks() << " ranks: " << decimal(done / seconds, 1) << " " << tasks << "/s, "
            << decimal(static_cast<double>(traffic.bytes) / done, 0) << " message bytes and "
            << decimal(1e6 * traffic.busy_seconds / done, 1) << " us of rank 0 each; " << traffic.repeated
            << " " << tasks << " handed out again\n";
}

}  // namespace sluice::cli
