#include "engine/simulator/stalls.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace sluice {

namespace {

bool waits(ProcessState state) {
  return static_cast<std::size_t>(state) < waitKinds;
}

/// What a process does at a cycle, and whom that makes responsible.
struct Step {
  StateAt state;
  bool follows = false;  ///< the cause is whatever `next` does at that cycle
  OperatorId next = 0;
  StallCause cause;       ///< where it does not follow
  bool for_ever = false;  ///< it waits and never gets what it waits for
  Cycles until = 0;       ///< of all this
};

class Blame {
 public:
  Blame(const FlatGraph& graph, const Timeline& timeline) : graph_(graph), timeline_(timeline) {}

  Step stepAt(OperatorId process, Cycles cycle) const {
    Step step;
    step.state = timeline_.stateAt(process, cycle);
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
    const Wait& wait = *timeline_.processes()[process].track(step.state.state).at(cycle);
    step.for_ever = wait.end == Wait::never;
    if (wait.stream == Wait::anyStream) {
      step.cause = {StallSource::Deadlock, 0};
      return step;
    }
    const FlatStream& stream = graph_.streams[wait.stream];
    step.next = step.state.state == ProcessState::Starved ? stream.producer : stream.consumer;
    step.follows = cycle < wait.handed;
    if (step.follows) step.until = std::min(step.until, wait.handed);
    step.cause = {StallSource::Process, step.next};
    return step;
  }

 private:
  const FlatGraph& graph_;
  const Timeline& timeline_;
};

/// Walks through time and keeps, for every process, an account of whom its cycles are due to. While it
/// follows another, the entries of that one's account are its own, too; they are carried over when either
/// changes what it does.
class Ledger {
 public:
  Ledger(const FlatGraph& graph, const Timeline& timeline)
      : timeline_(timeline),
        blame_(graph, timeline),
        nodes_(timeline.processes().size()),
        sums_(2 * nodes_.size() + 3) {}

  StallReport report() {
    using Event = std::pair<Cycles, OperatorId>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (OperatorId id = 0; id < nodes_.size(); ++id) events.emplace(0, id);
    while (!events.empty() && events.top().first < timeline_.end()) {
      const auto [time, id] = events.top();
      events.pop();
      events.emplace(change(id, time), id);
    }
    StallReport report;
    report.exact = timeline_.exact();
    for (OperatorId id = 0; id < nodes_.size(); ++id) {
      settle(id, timeline_.end());
      for (const auto& [key, lost] : nodes_[id].lost) {
        const auto state = static_cast<ProcessState>(key % waitKinds);
        report.rows.push_back({id, state, causeOf(key / waitKinds), lost});
        report.lost += lost;
      }
    }
    std::sort(report.rows.begin(), report.rows.end(), [](const StallRow& a, const StallRow& b) {
      return std::tuple(b.lost, a.victim, a.state, a.cause) < std::tuple(a.lost, b.victim, b.state, b.cause);
    });
    return report;
  }

 private:
  struct Entry {
    std::size_t cause;
    Cycles cycles;
  };
  struct Node {
    Step step;
    bool cut = false;  ///< would follow, but that closes a circle
    Cycles settled = 0;
    std::size_t read = 0;       ///< entries of the account that it follows
    std::size_t followers = 0;  ///< who read its account
    std::vector<Entry> account;
    std::unordered_map<std::size_t, Cycles> lost;  ///< by cause * waitKinds + state
    bool follows() const { return step.follows && !cut; }
  };

  std::size_t numberOf(const StallCause& cause) const {
    switch (cause.source) {
      case StallSource::Process:
        return cause.op;
      case StallSource::Ended:
        return nodes_.size() + cause.op;
      case StallSource::OffChip:
        return 2 * nodes_.size();
      case StallSource::OnChip:
        return 2 * nodes_.size() + 1;
      case StallSource::Deadlock:
        break;
    }
    return 2 * nodes_.size() + 2;
  }
  StallCause causeOf(std::size_t number) const {
    const std::size_t count = nodes_.size();
    if (number < 2 * count) {
      return {number < count ? StallSource::Process : StallSource::Ended,
              static_cast<OperatorId>(number % count)};
    }
    constexpr std::array others{StallSource::OffChip, StallSource::OnChip, StallSource::Deadlock};
    return {others[number - 2 * count], 0};
  }

  /// The process goes over to what it does at `time`; returns when that ends.
  Cycles change(OperatorId id, Cycles time) {
    settle(id, time);
    release(id);
    Node& node = nodes_[id];
    node.step = blame_.stepAt(id, time);
    if (node.step.follows) follow(id, time);
    for (const OperatorId other : std::exchange(cut_, {})) {  // the circle may be open now
      if (other != id) {
        settle(other, time);
        nodes_[other].cut = false;
        follow(other, time);
      } else {
        cut_.push_back(id);
      }
    }
    return std::max(node.step.until, time + 1);
  }

  void release(OperatorId id) {
    Node& node = nodes_[id];
    if (node.follows()) {
      Node& followed = nodes_[node.step.next];
      if (--followed.followers == 0) followed.account.clear();
    }
    if (std::exchange(node.cut, false)) std::erase(cut_, id);
  }

  void follow(OperatorId id, Cycles time) {
    Node& node = nodes_[id];
    bool for_ever = node.step.for_ever;
    OperatorId other = node.step.next;
    for (; other != id && nodes_[other].follows(); other = nodes_[other].step.next)
      for_ever &= nodes_[other].step.for_ever;
    if (other == id) {
      node.cut = true;
      node.step.cause =
          for_ever ? StallCause{StallSource::Deadlock, 0} : StallCause{StallSource::Process, id};
      if (!for_ever) cut_.push_back(id);
      return;
    }
    Node& followed = nodes_[node.step.next];
    settle(node.step.next, time);
    ++followed.followers;
    node.read = followed.account.size();
  }

  /// Brings the account up to `time`.
  void settle(OperatorId id, Cycles time) {
    Node& node = nodes_[id];
    if (node.settled == time) return;
    if (node.follows()) {
      settle(node.step.next, time);
      const std::vector<Entry>& entries = nodes_[node.step.next].account;
      std::vector<std::size_t> causes;
      for (; node.read < entries.size(); ++node.read) {
        Cycles& sum = sums_[entries[node.read].cause];
        if (sum == 0) causes.push_back(entries[node.read].cause);
        sum += entries[node.read].cycles;
      }
      for (const std::size_t cause : causes) enter(node, {cause, std::exchange(sums_[cause], 0)});
    } else {
      enter(node, {numberOf(node.step.cause), time - node.settled});
    }
    node.settled = time;
  }

  static void enter(Node& node, Entry entry) {
    if (node.followers > 0) node.account.push_back(entry);
    if (waits(node.step.state.state))
      node.lost[entry.cause * waitKinds + static_cast<std::size_t>(node.step.state.state)] += entry.cycles;
  }

  const Timeline& timeline_;
  Blame blame_;
  std::vector<Node> nodes_;
  std::vector<Cycles> sums_;  ///< by cause; all 0 between uses
  std::vector<OperatorId> cut_;
};

}  // namespace

StallReport attributeStalls(const FlatGraph& graph, const Timeline& timeline) {
  return Ledger(graph, timeline).report();
}

StallAt stallAt(const FlatGraph& graph, const Timeline& timeline, OperatorId process, Cycles cycle) {
  const Blame blame(graph, timeline);
  std::vector<std::pair<OperatorId, Step>> chain;
  Cycles until = timeline.end();
  for (OperatorId id = process;;) {
    const auto circle =
        std::find_if(chain.begin(), chain.end(), [&](const auto& each) { return each.first == id; });
    if (circle != chain.end()) {
      // Its last wait to begin closed it.
      const bool for_ever =
          std::all_of(circle, chain.end(), [](const auto& each) { return each.second.for_ever; });
      if (for_ever) return {{StallSource::Deadlock, 0}, until};
      const auto last = std::max_element(circle, chain.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.state.since, a.first) < std::pair(b.second.state.since, b.first);
      });
      return {{StallSource::Process, last->first}, until};
    }
    const Step step = blame.stepAt(id, cycle);
    until = std::min(until, step.until);
    if (!step.follows) return {step.cause, until};
    chain.emplace_back(id, step);
    id = step.next;
  }
}

std::vector<StallInterval> stallIntervals(const FlatGraph& graph, const Timeline& timeline,
                                          const StallRow& row, std::size_t most) {
  std::vector<StallInterval> intervals;
  for (const Wait& wait : timeline.processes()[row.victim].track(row.state).waits()) {
    const Cycles end = std::min(wait.end, timeline.end());
    for (Cycles cycle = wait.begin; cycle < end;) {
      const StateAt state = timeline.stateAt(row.victim, cycle);
      if (state.state != row.state) {  // another kind of wait is told instead
        cycle = state.until;
        continue;
      }
      const StallAt at = stallAt(graph, timeline, row.victim, cycle);
      const Cycles until = std::min(at.until, end);
      if (at.cause == row.cause) {
        if (!intervals.empty() && intervals.back().end == cycle) {
          intervals.back().end = until;
        } else if (intervals.size() == most) {
          return intervals;
        } else {
          intervals.push_back({cycle, until});
        }
      }
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

}  // namespace sluice
