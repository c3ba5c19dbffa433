#pragma once
// Evaluating points on many machines by MPI: rank 0 searches, owns the store and hands out points, and works
// on some itself; the others work. cluster.cpp is the only file that speaks MPI; it is built where that is
// found (SLUICE_WITH_MPI).
//
// A rank that dies keeps its points to itself: after a while they are handed out again, and the first answer
// counts. At the end the others leave without MPI_Finalize(), which would wait for it. mpirun must be told
// not to end the job when a rank dies (OpenMPI 4: --enable-recovery; 5: --with-ft ulfm); plain mpirun kills
// all.

#include <cstdint>
#include <memory>

#include "engine/explorer/point_evaluator.h"

namespace sluice::cli {

struct ClusterTraffic {
  std::uint64_t points = 0, messages = 0, bytes = 0;
  std::uint64_t repeated = 0;  ///< points that were handed out again
  double busy_seconds = 0;     ///< of rank 0, with messages: what bounds the number of ranks
};

/// MPI from construction to destruction; one in a process.
class Cluster {
 public:
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Of rank 0. The workload must live as long, the cluster longer; its end sends the others home.
  std::unique_ptr<PointEvaluator> evaluator(const Workload& workload);
  const ClusterTraffic& traffic() const { return traffic_; }
  /// Of the others: works until rank 0 is done. Errors: rank 0 has another workload, or is gone.
  Result<Done> serve(const Workload& workload);

 private:
  class Evaluator;
  int rank_ = 0, ranks_ = 1;
  bool complete_ = true;  ///< no rank is lost
  ClusterTraffic traffic_;
};

}  // namespace sluice::cli
