// What every process waits for when nothing can move; wait_graph.h makes wait cycles of it.

#include <algorithm>

#include "engine/simulator/network.h"
#include "engine/simulator/wait_graph.h"

namespace sluice::inline simulator {

const BlockedOperator* DeadlockReport::find(OperatorId op) const {
  const auto found = std::lower_bound(blocked.begin(), blocked.end(), op,
                                      [](const BlockedOperator& b, OperatorId id) { return b.op < id; });
  return found != blocked.end() && found->op == op ? &*found : nullptr;
}

StreamId Network::numberOf(const Channel& channel) const {
  const auto same = [&](const Channel& each) { return &each == &channel; };
  return static_cast<StreamId>(std::find_if(channels_.begin(), channels_.end(), same) - channels_.begin());
}

BlockedOperator Network::describe(const Context& context) const {
  BlockedOperator blocked;
  blocked.op = context.op_;
  blocked.since = context.now;
  blocked.reason = context.waiting_ == Waiting::ForToken  ? WaitReason::Empty
                   : context.waiting_ == Waiting::ForSlot ? WaitReason::Full
                                                          : WaitReason::Memory;
  const Channel* on = context.waiting_on_;
  if (context.waiting_ == Waiting::ForEvent) {
    blocked.reason = WaitReason::Empty;
    blocked.since = context.polls_since_;  // looking in vain moved its clock on
    for (const Channel* input : context.inputs_) {
      if (!input->empty() || input->closed()) continue;
      if (!on) on = input;
      blocked.any_of.push_back(numberOf(*input));
    }
  }
  if (context.either_) {
    for (const Channel* channel : {context.either_out_, context.either_in_})
      if (channel) blocked.any_of.push_back(numberOf(*channel));
  }
  if (!on) return blocked;
  blocked.stream = numberOf(*on);
  const bool empty = blocked.reason == WaitReason::Empty;
  blocked.waits_for = empty ? ends_[blocked.stream].producer : ends_[blocked.stream].consumer;
  blocked.token = empty ? on->received() : on->sent();
  return blocked;
}

DeadlockReport Network::diagnose() const {
  DeadlockReport report;
  std::vector<std::vector<OperatorId>> waits_for;
  for (const Context& context : contexts_) {
    if (context.done_) continue;
    report.blocked.push_back(describe(context));
    const BlockedOperator& blocked = report.blocked.back();
    std::vector<OperatorId>& others = waits_for.emplace_back();
    if (blocked.reason == WaitReason::Memory) continue;
    if (blocked.any_of.empty()) others.push_back(blocked.waits_for);
    for (const StreamId stream : blocked.any_of) {
      const Ends& ends = ends_[stream];
      others.push_back(ends.consumer == blocked.op ? ends.producer : ends.consumer);
    }
  }
  findCircles(report, waits_for);
  return report;
}

}  // namespace sluice::inline simulator
