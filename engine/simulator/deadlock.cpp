// Deadlock diagnosis: every blocked process waits for exactly one other (the end of one stream), so the
// wait-for graph is a function and its circular waits are disjoint.

#include <algorithm>

#include "engine/simulator/network.h"

namespace sluice::sim {

BlockedOperator Network::describe(const Context& context) const {
  BlockedOperator blocked;
  blocked.op = context.op_;
  blocked.since = context.now;
  blocked.reason = context.waiting_ == Waiting::ForToken  ? WaitReason::Empty
                   : context.waiting_ == Waiting::ForSlot ? WaitReason::Full
                                                          : WaitReason::Memory;
  const Channel* on = context.waiting_on_;
  if (context.waiting_ == Waiting::ForEvent) {
    // It waits for any of its inputs; the first that could still bring something stands for them.
    for (const Channel* input : context.inputs_) {
      if (!on && input->empty() && !input->closed()) on = input;
    }
    blocked.reason = WaitReason::Empty;
  }
  if (!on) return blocked;
  const auto same = [&](const Channel& channel) { return &channel == on; };
  blocked.stream =
      static_cast<StreamId>(std::find_if(channels_.begin(), channels_.end(), same) - channels_.begin());
  const bool empty = blocked.reason == WaitReason::Empty;
  blocked.waits_for = empty ? ends_[blocked.stream].producer : ends_[blocked.stream].consumer;
  blocked.token = empty ? on->received() : on->sent();
  return blocked;
}

DeadlockReport Network::diagnose() const {
  DeadlockReport report;
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> position(contexts_.size(), none);  // operator -> its place in report.blocked
  for (const Context& context : contexts_) {
    if (context.done_) continue;
    position[context.op_] = report.blocked.size();
    report.blocked.push_back(describe(context));
    report.at = std::max(report.at, context.now);
  }
  enum : char { Unseen, OnPath, Settled };
  std::vector<char> state(report.blocked.size(), Unseen);
  std::vector<char> member(report.blocked.size(), 0);
  for (std::size_t start = 0; start < report.blocked.size(); ++start) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    while (at != none && state[at] == Unseen) {
      state[at] = OnPath;
      path.push_back(at);
      at = position[report.blocked[at].waits_for];
    }
    if (at != none && state[at] == OnPath) {
      std::vector<OperatorId> cycle;
      for (auto it = std::find(path.begin(), path.end(), at); it != path.end(); ++it) {
        cycle.push_back(report.blocked[*it].op);
        member[*it] = 1;
      }
      report.cycles.push_back(std::move(cycle));
    }
    for (const std::size_t seen : path) state[seen] = Settled;
  }
  for (std::size_t i = 0; i < report.blocked.size(); ++i) {
    if (!member[i]) report.victims.push_back(report.blocked[i].op);
  }
  return report;
}

}  // namespace sluice::sim
