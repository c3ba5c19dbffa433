#pragma once
// Work on many machines by MPI: rank 0 decides, owns the store and hands out tasks, and works on some itself;
// the others work. What a task is, is the matter of commands (ranked_points.h, ranked_designs.h).
// cluster.cpp is the only file that speaks MPI; it is built where that is found (SLUICE_WITH_MPI).
//
// A rank that dies keeps its tasks to itself: after a while they are handed out again, and the first answer
// counts. At the end the others leave without MPI_Finalize(), which would wait for it. mpirun must be told
// not to end the job when a rank dies (OpenMPI 4: --enable-recovery; 5: --with-ft ulfm); plain mpirun kills
// all.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include <nlohmann/json.hpp>

#include "app/cli/json.h"
#include "engine/core/result.h"

namespace sluice::cli {

struct ClusterTraffic {
  std::uint64_t tasks = 0, messages = 0, bytes = 0;
  std::uint64_t repeated = 0;  ///< tasks that were handed out again
  double busy_seconds = 0;     ///< of rank 0, with messages: what bounds the number of ranks
};

/// What a rank does with a task, one at a time, beside its first thread.
struct RankWork {
  std::function<Json(const Json& task, const std::stop_token& stop)> answer;
  /// The answer where that has thrown.
  std::function<Json(const Json& task, const Diagnostic& why)> failed;
};

/// Rank 0 and those that work for it.
class Crew {
 public:
  using Finished = std::function<void(std::size_t task, Json answer)>;
  virtual ~Crew() = default;  ///< sends the others home
  /// Calls `finished` once for each task, in any order. After a stop request tasks may stay out.
  virtual void distribute(std::span<const Json> tasks, const Finished& finished,
                          const std::stop_token& stop) = 0;
};

/// MPI from construction to destruction; one in a process.
class Cluster {
 public:
  virtual ~Cluster() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  /// Of rank 0; the cluster must live longer. `subject`: what the tasks are about, a hash that ranks must
  /// share.
  virtual std::unique_ptr<Crew> crew(const std::string& subject, RankWork work) = 0;
  virtual const ClusterTraffic& traffic() const = 0;
  /// Of the others: works until rank 0 is done. Errors: rank 0 has another subject, or is gone.
  virtual Result<Done> serve(const std::string& subject, RankWork work) = 0;
};

std::unique_ptr<Cluster> joinMpi();

}  // namespace sluice::cli
