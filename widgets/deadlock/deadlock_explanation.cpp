#include "widgets/deadlock/deadlock_explanation.h"

#include <QCoreApplication>
#include <cmath>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString told(const char* text) {
  return QCoreApplication::translate("DeadlockExplanation", text);
}

QString depthLine(const DepthChange& change) {
  const QString line =
      told("  depth of %1: %2 -> %3").arg(change.name, exactCount(change.from), exactCount(change.to));
  return change.instances > 1 ? line + told(", in %1 FIFOs").arg(change.instances) : line;
}

void tellGroup(QStringList& lines, const WaitGroup& group) {
  QString title = group.title;
  if (!group.verdict.isEmpty()) title += QStringLiteral(", ") + group.verdict;
  if (group.closed_at) title += told(", closed at cycle %1").arg(exactCount(*group.closed_at));
  if (group.kind == WaitGroup::Kind::Stranded) title += told(", stranded");
  if (group.kind == WaitGroup::Kind::Victim) title += told(", waits behind, distance %1").arg(group.distance);
  lines << title + QLatin1Char(':');
  for (const WaitStep& step : group.steps) lines << QStringLiteral("  ") + step.sentence;
  if (!group.repair) return;
  const ProposedRepair& own = *group.repair;
  lines << told("  Its own repair takes %1 bytes more; the run then %2")
               .arg(exactCount(std::llround(own.bytes)),
                    own.ends ? told("ends at cycle %1").arg(exactCount(own.cycles))
                             : told("deadlocks in %1 other wait cycles").arg(own.left));
  for (const DepthChange& change : own.changes) lines << QStringLiteral("  ") + depthLine(change);
}

}  // namespace

QString plainText(const DeadlockExplanation& explanation) {
  QStringList lines;
  const QString verdict =
      explanation.verdict.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(explanation.verdict);
  lines << told("Deadlock%1; the last wait began at cycle %2; %3 operators wait")
               .arg(verdict, exactCount(explanation.at))
               .arg(explanation.operators);
  for (const WaitGroup& group : explanation.groups) tellGroup(lines, group);
  for (const QString& reason : explanation.reasons) lines << told("Why: %1").arg(reason);
  if (explanation.repair) {
    const ProposedRepair& repair = *explanation.repair;
    lines << told(
                 "Repair, %1: %2 bytes more in FIFOs, the run then takes %3 "
                 "cycles%4")
                 .arg(repair.minimal ? told("the smallest") : told("the smallest found"),
                      exactCount(std::llround(repair.bytes)), exactCount(repair.cycles),
                      repair.verified ? told(" (run)") : told(" (not verified)"));
    for (const DepthChange& change : repair.changes) lines << depthLine(change);
  }
  if (explanation.gave_up) lines << told("The search for a repair ended with its budget.");
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace sluice::ui
