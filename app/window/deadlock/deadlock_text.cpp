#include "app/window/deadlock/deadlock_text.h"

#include <algorithm>
#include <set>

#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"

namespace sluice::ui {

Naming shownNames(const FlatGraph& graph) {
  return {graph, true, " → "};
}

Diagnostic deadlockDiagnostic(const FlatGraph& graph, const DeadlockReport& report) {
  const std::size_t cycles = report.cycles.size(), waiting = report.blocked.size();
  OperatorId first = report.blocked.front().op;
  if (cycles > 0) {
    // One that the user wrote, which can be jumped to.
    const std::vector<OperatorId>& members = report.cycles.front().members;
    const auto written =
        std::ranges::find_if(members, [&](OperatorId op) { return !graph.operators[op].inferred; });
    first = written != members.end() ? *written : members.front();
  }
  std::string cause =
      "deadlock: " + (waiting == 1 ? "one operator waits" : std::to_string(waiting) + " operators wait");
  if (cycles > 0)
    cause += cycles == 1 ? " in one wait cycle or behind it"
                         : " in " + std::to_string(cycles) + " wait cycles or behind them";
  cause += "; the last wait began at cycle " + exactNumber(report.at).toStdString();
  return error("deadlock", Location(Where::Operator, shownNames(graph).op(first)), cause,
               "click here: the Deadlock panel shows who waits for whom, and whether deeper FIFOs help");
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
