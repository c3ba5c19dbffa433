#include "engine/simulator/because.h"

#include <algorithm>

namespace sluice {
namespace {

std::string quoted(const FlatStream& stream) {
  return "'" + stream.name + "'";
}

/// Of the streams that an operator waits for any of, the one whose producer is not in the chain yet.
OperatorId nextOf(const FlatGraph& graph, const BlockedOperator& blocked,
                  const std::vector<OperatorId>& chain) {
  for (const StreamId stream : blocked.any_of) {
    const OperatorId producer = graph.streams[stream].producer;
    if (std::find(chain.begin(), chain.end(), producer) == chain.end()) return producer;
  }
  return blocked.waits_for;
}

}  // namespace

std::string waitSentence(const FlatGraph& graph, const BlockedOperator& blocked) {
  const std::string self = graph.operators[blocked.op].name;
  if (blocked.reason == WaitReason::Memory) return self + " is waiting, because memory has not answered";
  const FlatStream& stream = graph.streams[blocked.stream];
  const std::string token = std::to_string(blocked.token);
  if (blocked.reason == WaitReason::Full) {
    return self + " is waiting to push token " + token + " into " + quoted(stream) +
           ", because it is full (depth " + std::to_string(stream.depth) + ")";
  }
  if (blocked.any_of.size() < 2)
    return self + " is waiting for token " + token + " of " + quoted(stream) + ", because it is empty";
  std::string streams;
  for (const StreamId each : blocked.any_of)
    streams += (streams.empty() ? "" : ", ") + quoted(graph.streams[each]);
  return self + " is waiting for a token of any of " + streams + ", because all of them are empty";
}

std::vector<std::string> becauseChain(const FlatGraph& graph, const DeadlockReport& report, OperatorId op) {
  std::vector<std::string> sentences;
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
    sentences.push_back(std::move(sentence));
    blocked = blocked->reason == WaitReason::Memory ? nullptr : other;
  }
  return sentences;
}

}  // namespace sluice
