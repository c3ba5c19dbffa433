#include "app/window/deadlock/deadlock_text.h"

#include <algorithm>
#include <set>

#include "widgets/common/document_paths.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

const BlockedOperator* blockedAt(const DeadlockReport& report, OperatorId op) {
  const auto found = std::find_if(report.blocked.begin(), report.blocked.end(),
                                  [op](const BlockedOperator& blocked) { return blocked.op == op; });
  return found == report.blocked.end() ? nullptr : &*found;
}

/// "exp"; the broadcast that elaboration put behind exp.out is "exp.out" to who wrote the program.
std::string nameOf(const FlatOperator& op) {
  static const std::string inferred = ".broadcast";
  return isInferredBroadcast(op) ? op.name.substr(0, op.name.size() - inferred.size()) : op.name;
}

Location placeOf(const FlatOperator& op) {
  return Location(Where::Operator, nameOf(op));
}

std::string nameOf(const FlatStream& stream) {
  return "'" + shortStreamName(stream.name) + "'";
}

/// "exp is waiting because stream 'exp.out -> normalize.in1' is full (2 of 2 tokens) until normalize takes
/// one".
std::string sentence(const FlatGraph& graph, const BlockedOperator& blocked) {
  const std::string self = nameOf(graph.operators[blocked.op]);
  if (blocked.reason == WaitReason::Memory) return self + " is waiting because memory has not answered";
  const FlatStream& stream = graph.streams[blocked.stream];
  const std::string other = nameOf(graph.operators[blocked.waits_for]);
  const std::string because = self + " is waiting because stream " + nameOf(stream);
  if (blocked.reason == WaitReason::Empty) return because + " is empty until " + other + " sends a token";
  const std::string depth = std::to_string(stream.depth);
  return because + " is full (" + depth + " of " + depth + " tokens) until " + other + " takes one";
}

std::string fix(const FlatGraph& graph, const BlockedOperator& blocked) {
  if (blocked.reason != WaitReason::Full)
    return "fix the full stream of this circle; this wait then ends by itself";
  return "give " + nameOf(graph.streams[blocked.stream]) + " a greater depth, or take its tokens earlier";
}

/// The first full stream of a circular wait: where more depth may help.
const FlatStream* fullStream(const FlatGraph& graph, const DeadlockReport& report) {
  for (const auto& [circle, closed_at] : report.cycles) {
    for (const OperatorId op : circle) {
      const BlockedOperator* blocked = blockedAt(report, op);
      if (blocked && blocked->reason == WaitReason::Full) return &graph.streams[blocked->stream];
    }
  }
  return nullptr;
}

Diagnostic summary(const FlatGraph& graph, const DeadlockReport& report) {
  std::string cause = "deadlock at cycle " + exactNumber(report.at).toStdString() + ": " +
                      std::to_string(report.blocked.size()) + " operators wait";
  if (!report.cycles.empty()) {
    cause +=
        ", " + std::to_string(report.cycles.size()) +
        (report.cycles.size() == 1 ? " circle of them for each other" : " circles of them for each other");
  }
  const FlatStream* full = fullStream(graph, report);
  const Location place = !report.cycles.empty()
                             ? placeOf(graph.operators[report.cycles.front().members.front()])
                         : report.blocked.empty() ? Location("simulation")
                                                  : placeOf(graph.operators[report.blocked.front().op]);
  return {Severity::Error, place, cause,
          full ? "follow the sentences below; more depth for " + nameOf(*full) + " is the first thing to try"
               : "no stream of a circle is full: give the circle a token to start with, or break it"};
}

}  // namespace

Diagnostics deadlockDiagnostics(const FlatGraph& graph, const DeadlockReport& report) {
  Diagnostics list{summary(graph, report)};
  for (const auto& [circle, closed_at] : report.cycles) {
    std::size_t number = 0;
    for (const OperatorId op : circle) {
      const BlockedOperator* blocked = blockedAt(report, op);
      if (!blocked) continue;
      std::string cause = std::to_string(++number) + ". " + sentence(graph, *blocked);
      if (number == circle.size() && circle.size() > 1) cause += ", which closes the circle";
      list.push_back({Severity::Error, placeOf(graph.operators[op]), cause, fix(graph, *blocked)});
    }
  }
  for (const OperatorId op : report.victims) {
    const BlockedOperator* blocked = blockedAt(report, op);
    if (!blocked) continue;
    list.push_back({Severity::Note, placeOf(graph.operators[op]),
                    sentence(graph, *blocked) + " (behind the circle)",
                    "nothing to do here: it goes on when the circle is fixed"});
  }
  return list;
}

QHash<QString, Mark> deadlockMarks(const FlatGraph& graph, const DeadlockReport& report) {
  QHash<QString, Mark> marks;
  std::set<OperatorId> members;
  for (const CircularWait& circle : report.cycles)
    members.insert(circle.members.begin(), circle.members.end());
  for (const BlockedOperator& blocked : report.blocked) {
    const bool member = members.count(blocked.op) > 0;
    const QString why = QString::fromStdString(sentence(graph, blocked));
    const QString node = QString::fromStdString(graph.operators[blocked.op].origin);
    const Mark mark{member ? Mark::Kind::Deadlock : Mark::Kind::Warning, why};
    if (!marks.contains(node) || member) marks[node] = mark;
    if (!member || blocked.reason == WaitReason::Memory) continue;
    const QString stream = QString::fromStdString(graph.streams[blocked.stream].origin);
    const std::uint64_t depth = graph.streams[blocked.stream].depth;
    const QString word = blocked.reason == WaitReason::Full ? QStringLiteral("FULL %1/%1").arg(depth)
                                                            : QStringLiteral("EMPTY");
    // What elaboration put in has a stream with the origin of the first consumer's; FULL is the one to see.
    if (!marks.contains(stream) || blocked.reason == WaitReason::Full) {
      marks[stream] = {Mark::Kind::Deadlock, why, word};
    }
  }
  return marks;
}

}  // namespace sluice::ui
