#include "engine/simulator/stalls.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "engine/simulator/stall_chains.h"

namespace sluice::inline simulator {

namespace {

/// In graphs of so many processes the few waits of one are followed one by one, which the length of the
/// chains makes slow in larger ones.
constexpr std::size_t short_chains = 1000;

std::size_t kindOf(ProcessState state) {
  return static_cast<std::size_t>(state);
}
bool waits(ProcessState state) {
  return kindOf(state) < wait_kinds;
}

/// Causes as numbers: processes, processes that have ended, and the three others.
std::size_t numberOf(const StallCause& cause, std::size_t processes) {
  switch (cause.source) {
    case StallSource::Process:
      return cause.op;
    case StallSource::Ended:
      return processes + cause.op;
    case StallSource::OffChip:
      return 2 * processes;
    case StallSource::OnChip:
      return 2 * processes + 1;
    case StallSource::Deadlock:
      break;
  }
  return 2 * processes + 2;
}

/// The sums of all causes: how many in the tree of a root wait, and how.
class Totals : public NoAccount {
 public:
  struct Tree {
    std::array<std::uint32_t, wait_kinds> waiting{};
    Tree& operator+=(const Tree& other) {
      for (std::size_t i = 0; i < wait_kinds; ++i) waiting[i] += other.waiting[i];
      return *this;
    }
    Tree& operator-=(const Tree& other) {
      for (std::size_t i = 0; i < wait_kinds; ++i) waiting[i] -= other.waiting[i];
      return *this;
    }
  };

  explicit Totals(std::size_t processes) : processes_(processes), blames_(2 * processes + 3) {}

  void charge(auto& forest, OperatorId root, const StallCause& cause, Cycles cycles) {
    StallBlame& blame = blames_[numberOf(cause, processes_)];
    blame.cause = cause;
    const Tree& tree = forest.treeSum(root);
    for (std::size_t i = 0; i < wait_kinds; ++i) {
      blame.by_state[i] += cycles * tree.waiting[i];
      blame.lost += cycles * tree.waiting[i];
    }
  }
  void begins(auto& forest, OperatorId process, ProcessState state) {
    forest.change(process, [&](Path&, Tree& tree) {
      tree = {};
      if (waits(state)) tree.waiting[kindOf(state)] = 1;
    });
  }

  std::vector<StallBlame> take() {
    std::erase_if(blames_, [](const StallBlame& blame) { return blame.lost == 0; });
    std::sort(blames_.begin(), blames_.end(), [](const StallBlame& a, const StallBlame& b) {
      return std::tuple(b.lost, a.cause) < std::tuple(a.lost, b.cause);
    });
    return std::move(blames_);
  }

 private:
  std::size_t processes_;
  std::vector<StallBlame> blames_;
};

/// Whom a few causes held up. The sum from a root to a process is how long each of the causes has been that
/// process's own: it grows at the root, for all below at once, and a subtree that moves takes what it had
/// along.
class Victims {
 public:
  static constexpr std::size_t batch = 10;
  using Tree = NoSum;
  using Each = std::array<Cycles, batch>;  ///< by cause
  struct Path : Finite {
    Each cycles{};
    Path& operator+=(const Path& other) {
      Finite::operator+=(other);
      for (std::size_t i = 0; i < batch; ++i) cycles[i] += other.cycles[i];
      return *this;
    }
  };

  /// At most `batch` causes.
  Victims(std::span<const StallCause> causes, std::size_t processes)
      : processes_(processes), causes_(causes), before_(processes), lost_(processes) {
    for (std::size_t i = 0; i < causes.size(); ++i) numbers_[numberOf(causes[i], processes)] = i;
  }

  void charge(auto& forest, OperatorId root, const StallCause& cause, Cycles cycles) {
    const auto found = numbers_.find(numberOf(cause, processes_));
    if (found != numbers_.end())
      forest.change(root, [&](Path& path, Tree&) { path.cycles[found->second] += cycles; });
  }
  void begins(auto& forest, OperatorId process, ProcessState state) {
    if (waits(state)) before_[process] = forest.pathSum(process).cycles;
  }
  void ends(auto& forest, OperatorId process, ProcessState state) {
    if (!waits(state)) return;
    const Each& now = forest.pathSum(process).cycles;
    for (std::size_t i = 0; i < batch; ++i) lost_[process][kindOf(state)][i] += now[i] - before_[process][i];
  }
  void links(auto& forest, OperatorId process, OperatorId next) {
    const Each above = forest.pathSum(next).cycles;
    forest.change(process, [&](Path& path, Tree&) {
      for (std::size_t i = 0; i < batch; ++i) path.cycles[i] -= above[i];
    });
  }
  void cuts(auto& forest, OperatorId process, OperatorId next) {
    const Each above = forest.pathSum(next).cycles;
    forest.change(process, [&](Path& path, Tree&) {
      for (std::size_t i = 0; i < batch; ++i) path.cycles[i] += above[i];
    });
  }

  StallVictims of(std::size_t cause, std::size_t most) const {
    StallVictims victims;
    for (OperatorId id = 0; id < processes_; ++id)
      for (std::size_t kind = 0; kind < wait_kinds; ++kind)
        if (const Cycles lost = lost_[id][kind][cause]; lost > 0)
          victims.rows.push_back({id, static_cast<ProcessState>(kind), causes_[cause], lost});
    std::sort(victims.rows.begin(), victims.rows.end(), [](const StallRow& a, const StallRow& b) {
      return std::tuple(b.lost, a.victim, a.state) < std::tuple(a.lost, b.victim, b.state);
    });
    if (victims.rows.size() > most) {
      victims.left_out = victims.rows.size() - most;
      victims.rows.resize(most);
      victims.rows.shrink_to_fit();
    }
    return victims;
  }

 private:
  std::size_t processes_;
  std::span<const StallCause> causes_;
  std::unordered_map<std::size_t, std::size_t> numbers_;
  std::vector<Each> before_;
  std::vector<std::array<Each, wait_kinds>> lost_;
};

}  // namespace

StallStep stallStepAt(const FlatGraph& graph, const Timeline& timeline, OperatorId process, Cycles cycle) {
  StallStep step;
  step.state = timeline.stateAt(process, cycle);
  step.until = step.state.until;
  switch (step.state.state) {
    case ProcessState::Running:
      step.cause = {StallSource::Process, process};
      return step;
    case ProcessState::Done:
      step.cause = {StallSource::Ended, process};
      return step;
    case ProcessState::Memory:
      step.cause = {StallSource::OffChip, 0};
      return step;
    case ProcessState::Unit:
      step.cause = {StallSource::OnChip, 0};
      return step;
    default:
      break;
  }
  const Wait& wait = *timeline.processes()[process].track(step.state.state).at(cycle);
  step.for_ever = wait.end == Wait::never;
  if (wait.stream == Wait::any_stream) {
    step.cause = {StallSource::Deadlock, 0};
    return step;
  }
  const FlatStream& stream = graph.streams[wait.stream];
  step.next = step.state.state == ProcessState::Starved ? stream.producer : stream.consumer;
  step.follows = cycle < wait.handed;
  if (step.follows) step.until = std::min(step.until, wait.handed);
  step.cause = {StallSource::Process, step.next};
  return step;
}

StallReport attributeStalls(const FlatGraph& graph, const Timeline& timeline) {
  Totals totals(timeline.processes().size());
  StallChains(graph, timeline, totals).run();
  StallReport report;
  report.exact = timeline.exact();
  report.causes = totals.take();
  for (const StallBlame& blame : report.causes) report.lost += blame.lost;
  return report;
}

std::vector<StallVictims> stallVictims(const FlatGraph& graph, const Timeline& timeline,
                                       std::span<const StallCause> causes, std::size_t most) {
  std::vector<StallVictims> all;
  for (std::size_t first = 0; first < causes.size(); first += Victims::batch) {
    const auto some = causes.subspan(first, std::min(Victims::batch, causes.size() - first));
    Victims victims(some, timeline.processes().size());
    StallChains(graph, timeline, victims).run();
    for (std::size_t i = 0; i < some.size(); ++i) all.push_back(victims.of(i, most));
  }
  return all;
}

std::vector<StallCause> mostBlamed(const StallReport& report, std::size_t most) {
  std::vector<StallCause> causes;
  for (std::size_t i = 0; i < std::min(most, report.causes.size()); ++i)
    causes.push_back(report.causes[i].cause);
  return causes;
}

StallFindings findStalls(const FlatGraph& graph, const Timeline& timeline, std::size_t top) {
  StallFindings stalls{attributeStalls(graph, timeline), {}};
  stalls.victims = stallVictims(graph, timeline, mostBlamed(stalls.report, top), top);
  return stalls;
}

StallAt stallAt(const FlatGraph& graph, const Timeline& timeline, OperatorId process, Cycles cycle) {
  std::vector<std::pair<OperatorId, StallStep>> chain;
  std::unordered_map<OperatorId, std::size_t> places;
  Cycles until = timeline.end();
  for (OperatorId id = process;;) {
    if (const auto place = places.find(id); place != places.end()) {
      // Its last wait to begin closed it.
      const auto begin = chain.begin() + static_cast<std::ptrdiff_t>(place->second);
      const bool for_ever =
          std::all_of(begin, chain.end(), [](const auto& each) { return each.second.for_ever; });
      if (for_ever) return {{StallSource::Deadlock, 0}, until};
      const auto last = std::max_element(begin, chain.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.state.since, a.first) < std::pair(b.second.state.since, b.first);
      });
      return {{StallSource::Process, last->first}, until};
    }
    const StallStep step = stallStepAt(graph, timeline, id, cycle);
    until = std::min(until, step.until);
    if (!step.follows) return {step.cause, until};
    places[id] = chain.size();
    chain.emplace_back(id, step);
    id = step.next;
  }
}

std::vector<StallInterval> stallIntervals(const FlatGraph& graph, const Timeline& timeline,
                                          const StallRow& row, std::size_t most) {
  std::vector<StallInterval> intervals;
  const auto lost = [&](Cycles begin, Cycles end) {
    if (!intervals.empty() && intervals.back().end == begin)
      intervals.back().end = end;
    else if (intervals.size() < most)
      intervals.push_back({begin, end});
  };
  if (timeline.processes().size() > short_chains) {
    NoAccount none;
    StallChains chains(graph, timeline, none);
    chains.run([&](Cycles from, Cycles to) {
      if (chains.stateOf(row.victim) == row.state && chains.causeOf(row.victim) == row.cause) lost(from, to);
    });
    return intervals;
  }
  for (const Wait& wait : timeline.processes()[row.victim].track(row.state).waits()) {
    const Cycles end = std::min(wait.end, timeline.end());
    for (Cycles cycle = wait.begin; cycle < end;) {
      const StateAt state = timeline.stateAt(row.victim, cycle);
      if (state.state != row.state) {  // another kind of wait is reported instead
        cycle = state.until;
        continue;
      }
      const StallAt at = stallAt(graph, timeline, row.victim, cycle);
      const Cycles until = std::min(at.until, end);
      if (at.cause == row.cause) lost(cycle, until);
      cycle = until;
    }
  }
  return intervals;
}

std::string text(const FlatGraph& graph, const StallCause& cause) {
  switch (cause.source) {
    case StallSource::Process:
      return graph.operators.at(cause.op).name;
    case StallSource::Ended:
      return graph.operators.at(cause.op).name + " (has ended)";
    case StallSource::OffChip:
      return "off-chip memory";
    case StallSource::OnChip:
      return "on-chip memory unit";
    case StallSource::Deadlock:
      break;
  }
  return "deadlock";
}

}  // namespace sluice::inline simulator
