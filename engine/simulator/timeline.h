#pragma once
// Timeline: what a recorded run tells of its time - what every process did and how full every stream was, at
// any cycle. Exact up to a number of events; beyond it neighbouring events are joined, and it says so.
//
// A process that does not wait is running until it is done. One with two activities (converters, kernels)
// waits when either of them does.

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/simulator/occupancy.h"

namespace sluice::inline simulator {

/// The four ways to wait come first, in the order in which they are reported where two hold at once.
enum class ProcessState : std::uint8_t { Blocked, Memory, Unit, Starved, Running, Done };
inline constexpr std::size_t wait_kinds = 4;
const char* text(ProcessState state);

/// A stretch of time in which a process waited.
struct Wait {
  static constexpr Cycles never = std::numeric_limits<Cycles>::max();
  static constexpr StreamId any_stream = std::numeric_limits<StreamId>::max();

  Cycles begin = 0, end = 0;  ///< end: never, in a deadlock
  Cycles handed = never;      ///< when the token that it got was pushed, or the slot freed: on its way since
  Cycles lost = 0;            ///< cycles of [begin, end) that were waited: all, unless waits were joined
  StreamId stream = any_stream;  ///< that it was starved or blocked on
  bool contains(Cycles cycle) const { return begin <= cycle && cycle < end; }
};

/// Waits of one kind of one process: in the order of time, none overlaps another.
class WaitTrack {
 public:
  WaitTrack() = default;
  /// `grain`: waits less than that apart were joined; 1: none were.
  WaitTrack(std::vector<Wait> waits, Cycles grain);

  std::span<const Wait> waits() const { return waits_; }
  bool exact() const { return grain_ == 1; }
  const Wait* at(Cycles cycle) const;  ///< null: it did not wait then
  /// Cycles waited before `cycle`.
  Cycles lostBefore(Cycles cycle) const { return lostBefore(cycle, firstAfter(cycle)); }
  Cycles lostBefore(Cycles cycle, std::size_t first_after) const;
  /// Position of the first wait that ends after `cycle`.
  std::size_t firstAfter(Cycles cycle) const { return firstAfter(cycle, 0); }
  /// The same, not before `from`: fast where it is near.
  std::size_t firstAfter(Cycles cycle, std::size_t from) const;

 private:
  std::vector<Wait> waits_;
  std::vector<Cycles> before_;  ///< lost in all waits before each
  Cycles grain_ = 1;
};

struct ProcessTimeline {
  std::array<WaitTrack, wait_kinds> waits;  ///< by ProcessState
  Cycles finished = Wait::never;            ///< its last clock; never: it is stuck

  const WaitTrack& track(ProcessState kind) const { return waits[static_cast<std::size_t>(kind)]; }
};

struct StateAt {
  ProcessState state = ProcessState::Running;
  Cycles since = 0, until = 0;  ///< until: of the last state, the end of the run
  std::optional<StreamId> stream;
};

/// Cycles of a stretch of time that a process spent in each state, by ProcessState.
using StateCycles = std::array<Cycles, 6>;

/// What the next event is looked for in.
struct TimelineSelection {
  std::vector<OperatorId> processes;
  std::vector<StreamId> streams;
};

class Timeline {
 public:
  Timeline() = default;
  /// `end`: the cycles of the run.
  Timeline(std::vector<ProcessTimeline> processes, std::vector<OccupancyTrack> streams, Cycles end);

  Cycles end() const { return end_; }
  std::span<const ProcessTimeline> processes() const { return processes_; }
  std::span<const OccupancyTrack> streams() const { return streams_; }
  std::size_t events() const { return events_; }
  bool exact() const { return exact_; }

  StateAt stateAt(OperatorId process, Cycles cycle) const;
  /// All of them until the end of the run, in order; each begins where the one before ends.
  std::vector<StateAt> statesOf(OperatorId process) const;
  /// Tokens in the FIFO after everything that happens at `cycle`.
  std::uint32_t occupancyAt(StreamId stream, Cycles cycle) const;
  StateCycles statesWithin(OperatorId process, Cycles from, Cycles to) const;
  /// The same for each stretch between two of `bounds`, which ascend.
  std::vector<StateCycles> statesBetween(OperatorId process, std::span<const Cycles> bounds) const;
  /// The first cycle after `cycle` at which one of them changes its state or level; the last before it.
  std::optional<Cycles> nextEvent(const TimelineSelection& of, Cycles cycle) const;
  std::optional<Cycles> previousEvent(const TimelineSelection& of, Cycles cycle) const;

 private:
  std::vector<ProcessTimeline> processes_;
  std::vector<OccupancyTrack> streams_;
  Cycles end_ = 0;
  std::size_t events_ = 0;
  bool exact_ = true;
};

}  // namespace sluice::inline simulator
