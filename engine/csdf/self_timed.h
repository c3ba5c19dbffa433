#pragma once
// The self-timed execution of a dataflow graph: every firing starts as soon as it may. Exact, firing by
// firing; it knows nothing of schedules, and so checks what throughput.h says.

#include <cstdint>
#include <deque>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/csdf/graph.h"

namespace sluice::inline csdf {

class SelfTimedExecution {
 public:
  static constexpr std::uint64_t most_firings = 50'000'000;

  SelfTimedExecution(const CsdfGraph& graph, const Repetition& repetition);

  /// Fires that many iterations more, the initial phases before the first; false: it deadlocked. Errors:
  /// "cancelled", "too-many" behind most_firings.
  Result<bool> iterate(std::int64_t iterations, const std::stop_token& stop = {});

  /// Iterates until the state is one that was there before, and gives the time of an iteration between the
  /// two. Absent: it deadlocked. Only strongly connected graphs are sure to come back to a state; others may
  /// end with an error "too-many".
  Result<std::optional<Rational>> period(const std::stop_token& stop = {});

 private:
  /// Tokens that came together.
  struct Tokens {
    std::int64_t count = 0, time = 0;
  };
  struct Actor {
    std::vector<std::size_t> inputs, outputs;
    std::int64_t fired = 0, wanted = 0;  ///< firings, initial ones too
    std::int64_t started = 0;            ///< the last one; at least the one before
  };

  static std::int64_t rate(const std::vector<std::int64_t>& initial, const std::vector<std::int64_t>& phases,
                           std::int64_t firing);
  bool ready(std::size_t actor) const;
  void fire(std::size_t actor);
  std::vector<std::int64_t> state(std::int64_t since) const;

  const CsdfGraph& graph_;
  const Repetition& repetition_;
  std::vector<Actor> actors_;
  std::vector<std::deque<Tokens>> waiting_;
  std::vector<std::int64_t> available_;
  std::uint64_t firings_ = 0;
  bool begun_ = false;
};

/// The period of the self-timed execution of a graph that is consistent, in time units; absent: it deadlocks.
/// Each strongly connected part is executed by itself. What comes from other parts makes it no faster, and in
/// the long run no slower than the slowest of them: an iteration takes as long as in the slowest part.
Result<std::optional<Rational>> selfTimedPeriod(const CsdfGraph& graph, const std::stop_token& stop = {});

}  // namespace sluice::inline csdf
