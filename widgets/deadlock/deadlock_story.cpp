#include "widgets/deadlock/deadlock_story.h"

#include <QCoreApplication>
#include <cmath>

#include "widgets/common/quantity.h"

namespace sluice::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("DeadlockStory", text);
}

QString count(double value) {
  return exactNumber(static_cast<std::uint64_t>(std::llround(value)));
}
QString count(qint64 value) {
  return exactNumber(static_cast<std::uint64_t>(value));
}

QString depthLine(const DepthChange& change) {
  const QString line = tr("  depth of %1: %2 -> %3").arg(change.name, count(change.from), count(change.to));
  return change.instances > 1 ? line + tr(", in %1 FIFOs").arg(change.instances) : line;
}

void tellGroup(QStringList& lines, const WaitGroup& group) {
  QString title = group.title;
  if (!group.verdict.isEmpty()) title += QStringLiteral(", ") + group.verdict;
  if (group.closed_at) title += tr(", closed at cycle %1").arg(count(*group.closed_at));
  if (group.kind == WaitGroup::Kind::Stranded) title += tr(", stranded");
  if (group.kind == WaitGroup::Kind::Victim) title += tr(", waits behind, distance %1").arg(group.distance);
  lines << title + QLatin1Char(':');
  for (const WaitStep& step : group.steps) lines << QStringLiteral("  ") + step.sentence;
  if (!group.repair) return;
  const ProposedRepair& own = *group.repair;
  lines << tr("  Its own repair takes %1 bytes more; the run then %2")
               .arg(count(own.bytes), own.ends ? tr("ends at cycle %1").arg(count(own.cycles))
                                               : tr("locks up in %1 other wait cycles").arg(own.left));
  for (const DepthChange& change : own.changes) lines << QStringLiteral("  ") + depthLine(change);
}

}  // namespace

QString plainText(const DeadlockStory& story) {
  QStringList lines;
  const QString verdict = story.verdict.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(story.verdict);
  lines << tr("Deadlock%1; the last wait began at cycle %2; %3 operators wait")
               .arg(verdict, count(story.at))
               .arg(story.operators);
  for (const WaitGroup& group : story.groups) tellGroup(lines, group);
  for (const QString& reason : story.reasons) lines << tr("Why: %1").arg(reason);
  if (story.repair) {
    const ProposedRepair& repair = *story.repair;
    lines << tr("Repair, %1: %2 bytes more in FIFOs (which on_chip_bytes leaves out), the run then takes %3 "
                "cycles%4")
                 .arg(repair.minimal ? tr("the smallest") : tr("the smallest found"), count(repair.bytes),
                      count(repair.cycles), repair.verified ? tr(" (run)") : tr(" (not verified)"));
    for (const DepthChange& change : repair.changes) lines << depthLine(change);
  }
  if (story.gave_up) lines << tr("The search for a repair ended with its budget.");
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace sluice::ui
