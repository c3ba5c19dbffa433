#include "engine/simulator/because.h"

#include <algorithm>

namespace sluice {
namespace {

std::string quoted(const FlatStream& stream) {
  return "'" + stream.name + "'";
}

/// Who is at the other end of a stream.
OperatorId otherEnd(const FlatGraph& graph, OperatorId op, StreamId id) {
  const FlatStream& stream = graph.streams[id];
  return stream.consumer == op ? stream.producer : stream.consumer;
}

/// Of the streams that an operator waits for any of, the one that leads to somebody who is not in the chain.
OperatorId nextOf(const FlatGraph& graph, const BlockedOperator& blocked,
                  const std::vector<OperatorId>& chain) {
  for (const StreamId stream : blocked.any_of) {
    const OperatorId other = otherEnd(graph, blocked.op, stream);
    if (std::find(chain.begin(), chain.end(), other) == chain.end()) return other;
  }
  return blocked.waits_for;
}

/// "a token of 'a.out -> merge.in[0]' (empty) or room in 'merge.out -> b.in' (full, depth 2)".
std::string anyOf(const FlatGraph& graph, const BlockedOperator& blocked) {
  std::string list;
  for (const StreamId id : blocked.any_of) {
    const FlatStream& stream = graph.streams[id];
    list += list.empty() ? "" : " or ";
    list += stream.consumer == blocked.op
                ? "a token of " + quoted(stream) + " (empty)"
                : "room in " + quoted(stream) + " (full, depth " + std::to_string(stream.depth) + ")";
  }
  return list;
}

}  // namespace

std::string waitSentence(const FlatGraph& graph, const BlockedOperator& blocked) {
  const std::string self = graph.operators[blocked.op].name;
  if (blocked.reason == WaitReason::Memory) return self + " is waiting, because memory has not answered";
  if (blocked.any_of.size() > 1) return self + " is waiting for " + anyOf(graph, blocked);
  const FlatStream& stream = graph.streams[blocked.stream];
  const std::string token = std::to_string(blocked.token);
  if (blocked.reason == WaitReason::Empty)
    return self + " is waiting for token " + token + " of " + quoted(stream) + ", because it is empty";
  return self + " is waiting to push token " + token + " into " + quoted(stream) +
         ", because it is full (depth " + std::to_string(stream.depth) + ")";
}

std::vector<StreamId> waitedFor(const BlockedOperator& blocked) {
  if (blocked.reason == WaitReason::Memory) return {};
  return blocked.any_of.empty() ? std::vector<StreamId>{blocked.stream} : blocked.any_of;
}

std::vector<std::string> becauseChain(const FlatGraph& graph, const DeadlockReport& report, OperatorId op) {
  std::vector<std::string> sentences;
  for (BecauseStep& step : becauseSteps(graph, report, op)) sentences.push_back(std::move(step.sentence));
  return sentences;
}

std::vector<BecauseStep> becauseSteps(const FlatGraph& graph, const DeadlockReport& report, OperatorId op) {
  std::vector<BecauseStep> steps;
  std::vector<OperatorId> chain;
  const BlockedOperator* blocked = report.find(op);
  while (blocked) {
    chain.push_back(blocked->op);
    std::string sentence = std::to_string(chain.size()) + ". " + waitSentence(graph, *blocked);
    const OperatorId next = nextOf(graph, *blocked, chain);
    const auto before = std::find(chain.begin(), chain.end(), next);
    const BlockedOperator* other = before == chain.end() ? report.find(next) : nullptr;
    if (blocked->reason != WaitReason::Memory) {
      if (before != chain.end()) {
        sentence += ", because of " + std::to_string(before - chain.begin() + 1) + ": the circle closes";
      } else if (!other) {
        sentence += ", and " + graph.operators[next].name + " has finished: it never takes another token";
      } else if (blocked->distance > 0 && other->distance == 0) {
        sentence += ", because " + graph.operators[next].name + " is stuck itself";
        other = nullptr;
      } else {
        sentence += ", because";
      }
    }
    steps.push_back({blocked->op, std::move(sentence)});
    blocked = blocked->reason == WaitReason::Memory ? nullptr : other;
  }
  return steps;
}

}  // namespace sluice
