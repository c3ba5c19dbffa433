#pragma once
// TimelineRecorder: gathers the waits of processes while a network runs, for a Timeline. Memory is bounded:
// all tracks draw on one budget of events, and one that gets no more joins neighbours.

#include <algorithm>
#include <vector>

#include "engine/simulator/timeline.h"

namespace sluice::inline simulator {

/// Room for events, handed out in chunks.
class EventBudget {
 public:
  explicit EventBudget(std::size_t events) : left_(events) {}
  bool take(std::size_t events) {
    if (events > left_) return false;
    left_ -= events;
    return true;
  }

 private:
  std::size_t left_;
};

class TimelineRecorder {
 public:
  /// `events`: how many are kept exactly, about.
  TimelineRecorder(std::size_t processes, std::size_t events) : budget_(events), processes_(processes) {}

  EventBudget& budget() { return budget_; }
  /// In the order of time for each process and kind.
  void waited(OperatorId process, ProcessState kind, Wait wait);
  /// It takes a token of `stream` that was pushed at `pushed`: what it waited for where it watched several.
  void took(OperatorId process, StreamId stream, Cycles pushed);
  void finished(OperatorId process, Cycles clock) { processes_[process].finished = clock; }
  /// Streams that were watched when they ended, not for a token: `last` tells the one that ended last, and
  /// when.
  template <class Last>
  void nameTheRest(Last&& last) {
    for (OperatorId id = 0; id < processes_.size(); ++id) {
      for (Wait& wait : processes_[id].tracks[static_cast<std::size_t>(ProcessState::Starved)].waits) {
        if (wait.stream != Wait::any_stream || wait.end == Wait::never) continue;
        const auto [stream, time] = last(id);
        wait.stream = stream;
        wait.handed = std::min(wait.end, time);
      }
    }
  }
  Timeline take(std::vector<OccupancySeries> streams, Cycles end);

 private:
  struct Track {
    std::vector<Wait> waits;
    Cycles grain = 1;
    std::size_t limit = 64;
    void decimate();
  };
  struct Process {
    std::array<Track, wait_kinds> tracks;
    std::size_t unnamed = 0;  ///< of the starved waits: those before it have a stream
    Cycles finished = Wait::never;
  };

  EventBudget budget_;
  std::vector<Process> processes_;
};

}  // namespace sluice::inline simulator
