#pragma once
// RunsAhead: runs of designs that are made before the search has decided them. One that it does decide is
// taken over, though it be under way; of the others nothing is told.

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "engine/designer/candidate.h"

namespace sluice::inline designer {

class RunsAhead {
 public:
  struct Run {
    Cycles horizon = 0;
    std::stop_source stop = {};
    // With the lock:
    bool ended = false;
    OwnRun made = {};
    std::function<void()> then = {};
  };

  // By who works ahead:
  /// Makes the run of a schedule by `simulate`, unless it is there. Nothing: work ahead is to stop.
  std::optional<OwnRun> make(const std::string& key, Cycles horizon, const std::stop_token& ahead,
                             const std::function<OwnRun(std::stop_source&)>& simulate);

  // By who decides:
  /// From now on no run is begun until there is a new token.
  void stop(std::stop_source& ahead);
  /// Null: it was not begun.
  std::shared_ptr<Run> take(const std::string& key);
  /// Calls `then` when the run has ended, on whatever thread; at once where it has.
  void whenEnded(Run& run, std::function<void()> then);
  /// Those under way that were not taken.
  void stopOthers();

 private:
  static constexpr std::size_t most_kept = 32;

  auto find(const std::string& key) {
    return std::ranges::find(runs_, key, &std::pair<std::string, std::shared_ptr<Run>>::first);
  }

  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<Run>>> runs_;  ///< in the order in which they were begun
};

/// Whether a run to one horizon tells what it would have come to at another: exactly, as a run may end beyond
/// its horizon.
bool tells(const OwnRun& run, Cycles horizon, Cycles wanted);

}  // namespace sluice::inline designer
