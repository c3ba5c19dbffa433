#include "engine/simulator/explanation.h"

#include <algorithm>
#include <string_view>

namespace sluice::inline simulator {
namespace {

/// Of the streams that an operator waits at, the one that leads to somebody who is not in the chain; else
/// whom it waits for first.
OperatorId nextOf(const WaitClause& wait, const BlockedOperator& blocked,
                  const std::vector<BecauseClause>& chain) {
  for (const WaitClause::At& at : wait.at) {
    const bool told = at.other == wait.op || std::any_of(chain.begin(), chain.end(), [&](const auto& clause) {
                        return clause.wait.op == at.other;
                      });
    if (!told) return at.other;
  }
  return blocked.waits_for;
}

BecauseClause clauseOf(WaitClause wait, const DeadlockReport& report,
                       const std::vector<BecauseClause>& chain) {
  BecauseClause clause{std::move(wait)};
  if (clause.wait.at.empty()) {
    clause.kind = BecauseClause::Kind::Memory;
    return clause;
  }
  const BlockedOperator& blocked = *report.find(clause.wait.op);
  clause.who = nextOf(clause.wait, blocked, chain);
  const auto before = std::find_if(chain.begin(), chain.end(),
                                   [&](const BecauseClause& each) { return each.wait.op == clause.who; });
  const BlockedOperator* other = report.find(clause.who);
  if (before != chain.end() || clause.who == clause.wait.op) {
    clause.kind = BecauseClause::Kind::Closes;
    clause.step = static_cast<std::size_t>(before - chain.begin());
  } else if (!other) {
    clause.kind = BecauseClause::Kind::Finished;
  } else if (blocked.distance > 0 && other->distance == 0) {
    clause.kind = BecauseClause::Kind::Stuck;
  }
  return clause;
}

std::string becauseText(const BecauseClause& clause, const Naming& names) {
  switch (clause.kind) {
    case BecauseClause::Kind::Next:
      return ", because";
    case BecauseClause::Kind::Closes:
      return ", because of " + std::to_string(clause.step + 1) + ": the wait cycle closes";
    case BecauseClause::Kind::Finished:
      return ", and " + names.op(clause.who) + " has finished: it never takes another token";
    case BecauseClause::Kind::Stuck:
      return ", because " + names.op(clause.who) + " is stuck itself";
    case BecauseClause::Kind::Memory:
      return "";
  }
  return "";
}

}  // namespace

std::string Naming::op(OperatorId id) const {
  constexpr std::string_view inferred = ".broadcast";
  const FlatOperator& named = graph.operators.at(id);
  return as_written && named.inferred ? named.name.substr(0, named.name.size() - inferred.size())
                                      : named.name;
}

std::string Naming::ends(StreamId id) const {
  constexpr std::string_view between = " -> ";
  const FlatStream& named = graph.streams.at(id);
  const std::size_t at = named.name.find(between);
  if (at == std::string::npos) return named.name;
  std::string from = named.name.substr(0, at), to = named.name.substr(at + between.size());
  if (as_written && graph.operators.at(named.producer).inferred) from = op(named.producer);
  if (as_written && graph.operators.at(named.consumer).inferred)
    to.replace(0, graph.operators[named.consumer].name.size(), op(named.consumer));
  return from + arrow + to;
}

std::string Naming::stream(StreamId id) const {
  return "'" + ends(id) + "'";
}

WaitClause waitClause(const FlatGraph& graph, const BlockedOperator& blocked) {
  WaitClause wait{blocked.op, {}, blocked.token, blocked.since};
  if (blocked.reason == WaitReason::Memory) return wait;
  const auto add = [&](StreamId id, bool full) {
    const FlatStream& stream = graph.streams[id];
    wait.at.push_back({id, full, stream.depth, full ? stream.consumer : stream.producer});
  };
  if (blocked.any_of.size() < 2) {
    add(blocked.stream, blocked.reason == WaitReason::Full);
  } else {
    for (const StreamId id : blocked.any_of) add(id, graph.streams[id].consumer != blocked.op);
  }
  return wait;
}

std::string text(const WaitClause& wait, const Naming& names) {
  const std::string self = names.op(wait.op);
  if (wait.at.empty()) return self + " is waiting, because memory has not answered";
  if (wait.at.size() == 1) {
    const WaitClause::At& at = wait.at.front();
    const std::string token = std::to_string(wait.token);
    if (!at.full)
      return self + " is waiting for token " + token + " of " + names.stream(at.stream) +
             ", because it is empty";
    return self + " is waiting to push token " + token + " into " + names.stream(at.stream) +
           ", because it is full (depth " + std::to_string(at.depth) + ")";
  }
  std::string list;
  for (const WaitClause::At& at : wait.at) {
    list += list.empty() ? "" : " or ";
    list += at.full ? "room in " + names.stream(at.stream) + " (full, depth " + std::to_string(at.depth) + ")"
                    : "a token of " + names.stream(at.stream) + " (empty)";
  }
  return self + " is waiting for " + list;
}

std::vector<BecauseClause> becauseChain(const FlatGraph& graph, const DeadlockReport& report, OperatorId op) {
  std::vector<BecauseClause> chain;
  const BlockedOperator* blocked = report.find(op);
  while (blocked) {
    chain.push_back(clauseOf(waitClause(graph, *blocked), report, chain));
    blocked = chain.back().kind == BecauseClause::Kind::Next ? report.find(chain.back().who) : nullptr;
  }
  return chain;
}

std::vector<std::string> texts(const std::vector<BecauseClause>& chain, const Naming& names) {
  std::vector<std::string> sentences;
  for (const BecauseClause& clause : chain)
    sentences.push_back(std::to_string(sentences.size() + 1) + ". " + text(clause.wait, names) +
                        becauseText(clause, names));
  return sentences;
}

std::string text(const DeadlockReport& report, const Naming& names) {
  std::string line = "deadlock at cycle " + std::to_string(report.at);
  if (!report.cycles.empty()) {
    const std::vector<OperatorId>& members = report.cycles.front().members;
    line += ": ";
    for (const OperatorId op : members) line += names.op(op) + " waits for ";
    line += names.op(members.front());
  }
  return line + "; " + std::to_string(report.blocked.size()) + " operators are blocked";
}

}  // namespace sluice::inline simulator
