#include "app/window/deadlock_text.h"

#include <algorithm>
#include <set>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

const BlockedOperator* blockedAt(const DeadlockReport& report, OperatorId op) {
  const auto found = std::find_if(report.blocked.begin(), report.blocked.end(),
                                  [op](const BlockedOperator& blocked) { return blocked.op == op; });
  return found == report.blocked.end() ? nullptr : &*found;
}

/// "exp is waiting because stream 'exp.out -> normalize.in1' is full (2 of 2 tokens) until normalize takes one".
std::string sentence(const FlatGraph& graph, const BlockedOperator& blocked) {
  const std::string& self = graph.operators[blocked.op].name;
  if (blocked.reason == WaitReason::Memory) return self + " is waiting because memory has not answered";
  const FlatStream& stream = graph.streams[blocked.stream];
  const std::string& other = graph.operators[blocked.waits_for].name;
  const std::string named = "stream '" + stream.name + "'";
  if (blocked.reason == WaitReason::Empty)
    return self + " is waiting because " + named + " is empty until " + other + " sends a token";
  return self + " is waiting because " + named + " is full (" + std::to_string(stream.depth) + " of " +
         std::to_string(stream.depth) + " tokens) until " + other + " takes one";
}

std::string mend(const FlatGraph& graph, const BlockedOperator& blocked) {
  if (blocked.reason != WaitReason::Full) return "mend the full stream of this circle; this wait then ends by itself";
  return "give '" + graph.streams[blocked.stream].name + "' a greater depth, or take its tokens earlier";
}

Diagnostic summary(const FlatGraph& graph, const DeadlockReport& report) {
  std::string cause = "deadlock at cycle " + exactNumber(report.at).toStdString() + ": " +
                      std::to_string(report.blocked.size()) + " operators wait";
  if (!report.cycles.empty()) {
    cause += ", " + std::to_string(report.cycles.size()) +
             (report.cycles.size() == 1 ? " circle of them for each other" : " circles of them for each other");
  }
  std::string full;
  for (const BlockedOperator& blocked : report.blocked) {
    if (blocked.reason == WaitReason::Full && full.empty()) full = graph.streams[blocked.stream].name;
  }
  const std::string place = report.blocked.empty() ? "simulation" : graph.operators[report.blocked.front().op].name;
  return {Severity::Error, place, cause,
          full.empty() ? "no stream is full: give the circle a token to start with, or break it"
                       : "follow the sentences below; a deeper FIFO at '" + full + "' is the first thing to try"};
}

}  // namespace

Diagnostics deadlockDiagnostics(const FlatGraph& graph, const DeadlockReport& report) {
  Diagnostics list{summary(graph, report)};
  for (const std::vector<OperatorId>& circle : report.cycles) {
    std::size_t number = 0;
    for (const OperatorId op : circle) {
      const BlockedOperator* blocked = blockedAt(report, op);
      if (!blocked) continue;
      std::string cause = std::to_string(++number) + ". " + sentence(graph, *blocked);
      if (number == circle.size() && circle.size() > 1) cause += ", which closes the circle";
      list.push_back({Severity::Error, graph.operators[op].name, cause, mend(graph, *blocked)});
    }
  }
  for (const OperatorId op : report.victims) {
    const BlockedOperator* blocked = blockedAt(report, op);
    if (!blocked) continue;
    list.push_back({Severity::Note, graph.operators[op].name, sentence(graph, *blocked) + " (behind the circle)",
                    "nothing to do here: it goes on when the circle is mended"});
  }
  return list;
}

QHash<QString, Mark> deadlockMarks(const FlatGraph& graph, const DeadlockReport& report) {
  QHash<QString, Mark> marks;
  std::set<OperatorId> members;
  for (const std::vector<OperatorId>& circle : report.cycles) members.insert(circle.begin(), circle.end());
  for (const BlockedOperator& blocked : report.blocked) {
    const bool member = members.count(blocked.op) > 0;
    const QString why = QString::fromStdString(sentence(graph, blocked));
    const QString node = QString::fromStdString(graph.operators[blocked.op].origin);
    const Mark mark{member ? Mark::Kind::Deadlock : Mark::Kind::Warning, why};
    if (!marks.contains(node) || member) marks[node] = mark;
    if (!member || blocked.reason == WaitReason::Memory) continue;
    const QString stream = QString::fromStdString(graph.streams[blocked.stream].origin);
    const QString word = blocked.reason == WaitReason::Full ? QStringLiteral("FULL") : QStringLiteral("EMPTY");
    // What elaboration put in has a stream with the origin of the first consumer's; FULL is the one to see.
    if (!marks.contains(stream) || blocked.reason == WaitReason::Full) {
      marks[stream] = {Mark::Kind::Deadlock, why, word};
    }
  }
  return marks;
}

}  // namespace sluice::ui
