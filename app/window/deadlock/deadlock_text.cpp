#include "app/window/deadlock/deadlock_text.h"

#include <optional>
#include <set>

#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

/// The first full stream of a circular wait: where more depth may help.
std::optional<StreamId> fullStream(const FlatGraph& graph, const DeadlockReport& report) {
  for (const CircularWait& cycle : report.cycles)
    for (const OperatorId op : cycle.members)
      for (const WaitClause::At& at : waitClause(graph, *report.find(op)).at)
        if (at.full) return at.stream;
  return std::nullopt;
}

}  // namespace

Naming shownNames(const FlatGraph& graph) {
  return {graph, true, " → "};
}

Diagnostic deadlockDiagnostic(const FlatGraph& graph, const DeadlockReport& report) {
  const Naming names = shownNames(graph);
  const std::size_t cycles = report.cycles.size();
  const OperatorId first = cycles > 0 ? report.cycles.front().members.front() : report.blocked.front().op;
  std::string cause = "deadlock at cycle " + exactNumber(report.at).toStdString() + ": " +
                      std::to_string(report.blocked.size()) + " operators wait";
  if (cycles > 0) cause += ", " + std::to_string(cycles) + (cycles == 1 ? " wait cycle" : " wait cycles");
  cause += ". ";
  for (const std::string& sentence : texts(becauseChain(graph, report, first), names))
    cause += (cause.ends_with(". ") ? "" : " ") + sentence;
  const std::optional<StreamId> full = fullStream(graph, report);
  Diagnostic told =
      error("deadlock", Location(Where::Operator, names.op(first)), cause,
            full ? "more depth for " + names.stream(*full) + " is the first thing to try"
                 : "no stream of a wait cycle is full: give the cycle a token to start with, or break it");
  if (cycles > 0)
    for (const OperatorId member : report.cycles.front().members)
      if (member != first) told.related.emplace_back(Where::Operator, names.op(member));
  return told;
}

QHash<QString, Mark> deadlockMarks(const FlatGraph& graph, const DeadlockReport& report) {
  const Naming names = shownNames(graph);
  QHash<QString, Mark> marks;
  std::set<OperatorId> members;
  for (const CircularWait& cycle : report.cycles) members.insert(cycle.members.begin(), cycle.members.end());
  for (const BlockedOperator& blocked : report.blocked) {
    const bool member = members.contains(blocked.op);
    const WaitClause wait = waitClause(graph, blocked);
    const QString why = qt(text(wait, names)), node = qt(graph.operators[blocked.op].origin);
    const Mark mark{member ? Mark::Kind::Deadlock : Mark::Kind::Warning, why};
    if (!marks.contains(node) || member) marks[node] = mark;
    if (!member || wait.at.empty()) continue;
    const WaitClause::At& at = wait.at.front();
    const QString stream = qt(graph.streams[at.stream].origin);
    const QString word = at.full ? QStringLiteral("FULL %1/%1").arg(at.depth) : QStringLiteral("EMPTY");
    // What elaboration put in has a stream with the origin of the first consumer's; FULL is the one to see.
    if (!marks.contains(stream) || at.full) marks[stream] = {Mark::Kind::Deadlock, why, word};
  }
  return marks;
}

}  // namespace sluice::ui
