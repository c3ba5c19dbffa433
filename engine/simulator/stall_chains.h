#pragma once
// StallChains: walks through the time of a recorded run and keeps, as a forest, who waits for whom. A process
// that follows another - its lost cycles are due to whatever that one does - hangs below it; the root of a
// tree is running, has ended, or waits for a memory or for something that is on its way, and is to blame, or
// names who is. An event of one process moves one subtree, so a run costs O(log n) an event however long the
// chains are.

#include <functional>
#include <queue>

#include "engine/core/link_cut_forest.h"
#include "engine/simulator/stalls.h"

namespace sluice::inline simulator {

/// What a process does at a cycle, and whom that makes responsible.
struct StallStep {
  StateAt state;
  bool follows = false;  ///< the cause is whatever `next` does at that cycle
  OperatorId next = 0;
  StallCause cause;       ///< where it does not follow
  bool for_ever = false;  ///< it waits and never gets what it waits for
  Cycles until = 0;       ///< of all this
  bool waits() const { return static_cast<std::size_t>(state.state) < wait_kinds; }
};

StallStep stallStepAt(const FlatGraph& graph, const Timeline& timeline, OperatorId process, Cycles cycle);

/// What all forests sum up along their paths.
struct Finite {
  std::uint32_t finite = 0;  ///< processes that do not wait for ever
  Finite& operator+=(const Finite& other) {
    finite += other.finite;
    return *this;
  }
};

/// An account that keeps nothing, for others to begin with.
struct NoAccount {
  using Path = Finite;
  using Tree = NoSum;
  void charge(auto&, OperatorId, const StallCause&, Cycles) {}
  void begins(auto&, OperatorId, ProcessState) {}
  void ends(auto&, OperatorId, ProcessState) {}
  void links(auto&, OperatorId, OperatorId) {}
  void cuts(auto&, OperatorId, OperatorId) {}
};

/// `Account` has the sums that it keeps in the forest, Path (at least Finite) and Tree, and is told
///   charge(forest, root, cause, cycles): everybody in the tree of `root` went on as before for so many
///   cycles begins / ends(forest, process, state): at the first and last moment of each state links /
///   cuts(forest, process, next): before either; the process is the root of its tree, or will be.
template <class Account>
class StallChains {
 public:
  using Forest = LinkCutForest<typename Account::Path, typename Account::Tree>;

  StallChains(const FlatGraph& graph, const Timeline& timeline, Account& account)
      : graph_(graph),
        timeline_(timeline),
        account_(account),
        forest_(timeline.processes().size()),
        nodes_(timeline.processes().size()) {}

  /// `passed(from, to)`: nothing changes in that time; causeOf() and stateOf() tell of it.
  template <class Passed>
  void run(Passed&& passed) {
    using Event = std::pair<Cycles, OperatorId>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (OperatorId id = 0; id < nodes_.size(); ++id) events.emplace(0, id);
    Cycles now = 0;
    while (!events.empty() && events.top().first < timeline_.end()) {
      const auto [time, id] = events.top();
      if (time > now) passed(now, time);
      now = time;
      events.pop();
      events.emplace(change(id, time), id);
    }
    for (OperatorId id = 0; id < nodes_.size(); ++id)
      if (!nodes_[id].hangs) charge(id, timeline_.end());
    passed(now, timeline_.end());
    for (OperatorId id = 0; id < nodes_.size(); ++id) account_.ends(forest_, id, nodes_[id].step.state.state);
  }

  void run() {
    run([](Cycles, Cycles) {});
  }

  ProcessState stateOf(OperatorId id) const { return nodes_[id].step.state.state; }
  StallCause causeOf(OperatorId id) { return nodes_[forest_.root(id)].step.cause; }

 private:
  struct Node {
    StallStep step;
    bool begun = false;
    bool hangs = false;  ///< is no root
    bool cut = false;    ///< would follow, but that closes a cycle
    Cycles charged = 0;  ///< until when, of a root
  };

  void charge(OperatorId root, Cycles time) {
    Node& node = nodes_[root];
    if (node.begun && node.charged < time)
      account_.charge(forest_, root, node.step.cause, time - node.charged);
    node.charged = time;
  }

  /// The process goes over to what it does at `time`; returns when that ends.
  Cycles change(OperatorId id, Cycles time) {
    Node& node = nodes_[id];
    const OperatorId root = forest_.root(id);
    charge(root, time);
    if (node.begun) account_.ends(forest_, id, node.step.state.state);
    if (node.hangs) {
      account_.cuts(forest_, id, node.step.next);
      forest_.cut(id);
    }
    node = {stallStepAt(graph_, timeline_, id, time), true, false, false, time};
    forest_.change(id, [&](auto& path, auto&) { path.finite = node.step.for_ever ? 0 : 1; });
    account_.begins(forest_, id, node.step.state.state);
    if (node.step.follows) follow(id, time);
    if (root != id && nodes_[root].cut) follow(root, time);  // its cycle may be open now
    return std::max(node.step.until, time + 1);
  }

  /// A root, charged until `time`, is hung below whom it follows, unless that closes a cycle.
  void follow(OperatorId id, Cycles time) {
    Node& node = nodes_[id];
    const OperatorId next = node.step.next, root = forest_.root(next);
    node.cut = root == id;
    node.hangs = !node.cut;
    if (node.cut) {
      const bool for_ever = forest_.pathSum(next).finite == 0;
      node.step.cause =
          for_ever ? StallCause{StallSource::Deadlock, 0} : StallCause{StallSource::Process, id};
      return;
    }
    charge(root, time);
    account_.links(forest_, id, next);
    forest_.link(id, next);
  }

  const FlatGraph& graph_;
  const Timeline& timeline_;
  Account& account_;
  Forest forest_;
  std::vector<Node> nodes_;
};

}  // namespace sluice::inline simulator
