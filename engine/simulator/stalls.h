#pragma once
// Stall attribution: who is to blame for every cycle that a process lost. A process that waits is followed to
// the process at the other end of the stream that it is starved or blocked on, as that process is at the same
// cycle, and so on, until somebody is found who really was busy: a process, or a memory. A token that has
// been pushed, or a slot that has been freed, and is on its way is still the work of who pushed or freed it.
// So every lost cycle has one cause, and the causes sum to all lost cycles.
//
// In a graph of n operators there may be n^2 pairs of a cause and a victim. So a report is by cause, and the
// victims of a cause are found when they are asked for. Both take O(log n) an event of the timeline.

#include <span>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/simulator/timeline.h"

namespace sluice::inline simulator {

enum class StallSource {
  Process,   ///< it was running
  Ended,     ///< it had nothing more to give or to take
  OffChip,   ///< off-chip memory
  OnChip,    ///< an on-chip memory unit that others use
  Deadlock,  ///< a wait cycle of processes that wait for each other for ever
};

struct StallCause {
  StallSource source = StallSource::Process;
  OperatorId op = 0;  ///< of Process and Ended
  auto operator<=>(const StallCause&) const = default;
};

/// Cycles that all processes together lost for one cause.
struct StallBlame {
  StallCause cause;
  Cycles lost = 0;
  std::array<Cycles, wait_kinds> by_state{};  ///< by ProcessState of who lost them; sum to `lost`
};

struct StallReport {
  std::vector<StallBlame> causes;  ///< most lost cycles first; every cause
  Cycles lost = 0;                 ///< sum of the causes
  bool exact = true;               ///< the timeline was
};

StallReport attributeStalls(const FlatGraph& graph, const Timeline& timeline);

/// Cycles that one process lost in one way for one cause.
struct StallRow {
  OperatorId victim = 0;
  ProcessState state = ProcessState::Starved;
  StallCause cause;
  Cycles lost = 0;
};

/// Whom one cause held up.
struct StallVictims {
  std::vector<StallRow> rows;  ///< most lost cycles first
  std::size_t left_out = 0;    ///< rows that there are besides
};

/// How many causes are listed with their victims, and how many victims of each, by default.
inline constexpr std::size_t stall_detail = 20;

/// For each of the causes at most `most` rows. Every ten causes take as long as the report.
std::vector<StallVictims> stallVictims(const FlatGraph& graph, const Timeline& timeline,
                                       std::span<const StallCause> causes, std::size_t most = stall_detail);
/// The first causes of a report, for stallVictims().
std::vector<StallCause> mostBlamed(const StallReport& report, std::size_t most = stall_detail);

/// A report, and the victims of its first causes.
struct StallFindings {
  StallReport report;
  std::vector<StallVictims> victims;
};
/// `top`: of how many causes, and how many of each.
StallFindings findStalls(const FlatGraph& graph, const Timeline& timeline, std::size_t top = stall_detail);

/// The cause of the cycle that `process` loses at `cycle`, and how long it stays so; it must be waiting then.
struct StallAt {
  StallCause cause;
  Cycles until = 0;
};
StallAt stallAt(const FlatGraph& graph, const Timeline& timeline, OperatorId process, Cycles cycle);

struct StallInterval {
  Cycles begin = 0, end = 0;
};
/// When the cycles of a row were lost; at most `most` intervals.
std::vector<StallInterval> stallIntervals(const FlatGraph& graph, const Timeline& timeline,
                                          const StallRow& row, std::size_t most = 100000);

/// "gate", "off-chip memory", "a deadlock", ...
std::string text(const FlatGraph& graph, const StallCause& cause);

}  // namespace sluice::inline simulator
