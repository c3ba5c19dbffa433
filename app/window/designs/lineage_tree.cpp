#include "app/window/designs/lineage_tree.h"

#include <QHeaderView>
#include <algorithm>
#include <cmath>

#include "app/window/edit/step_text.h"
#include "widgets/common/qt_text.h"
#include "widgets/common/quantity.h"
#include "widgets/points/points_model.h"

namespace sluice::ui {
namespace {

/// "2.8 M cycles", with its change over `before` in brackets.
QString changedText(const DesignPoint& point, const DesignPoint* before, const MetricSpec& metric) {
  const QString now = metricText(point, metric);
  if (!before) return now;
  const double was = sluice::metric(*before, metric), is = sluice::metric(point, metric);
  if (std::isnan(was) || std::isnan(is) || was == 0) return now;
  return is == was ? QObject::tr("%1 (=)").arg(now)
                   : QStringLiteral("%1 (%2)").arg(now, percentChange((is - was) / std::abs(was)));
}

/// "Tile expert (rows: 16)".
QString wholeStepText(const ScheduleStep& step, const Document& document, const KnobValues& knobs) {
  const QString arguments = stepArguments(step, document, knobs);
  return arguments.isEmpty() ? stepTitle(step) : QStringLiteral("%1 (%2)").arg(stepTitle(step), arguments);
}

/// The design that has the first steps of another as its whole schedule, if a run has told its metrics.
const DesignPoint* evaluatedPoint(const std::vector<Design>& designs, const Design& of, std::size_t steps) {
  const auto is_prefix = [&](const Design& design) {
    return design.schedule.size() == steps && isEvaluated(design) &&
           std::equal(design.schedule.begin(), design.schedule.end(), of.schedule.begin());
  };
  const auto found = std::ranges::find_if(designs, is_prefix);
  return found == designs.end() ? nullptr : &found->point;
}

const LineageStep* stepAt(const DesignReport* report, std::size_t position) {
  if (!report) return nullptr;
  const auto found = std::ranges::find(report->lineage, position, &LineageStep::position);
  return found == report->lineage.end() ? nullptr : &*found;
}

const DesignPoint* orNothing(const DesignPoint& point) {
  return measured(point) ? &point : nullptr;
}

}  // namespace

bool isEvaluated(const Design& design) {
  return design.point.fidelity != Fidelity::Symbolic && measured(design.point);
}

LineageTree::LineageTree(QWidget* parent) : QTreeWidget(parent) {
  setFrameShape(QFrame::NoFrame);
  setAlternatingRowColors(true);
  setUniformRowHeights(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideRight);
  header()->setStretchLastSection(false);
}

void LineageTree::setTitles(const std::vector<const MetricSpec*>& objectives) {
  clear();
  setColumnCount(1 + static_cast<int>(objectives.size()));
  headerItem()->setText(0, tr("Step"));
  headerItem()->setToolTip(0,
                           tr("The steps of the design; open one to see what else was tried in its place"));
  for (std::size_t k = 0; k < objectives.size(); ++k) {
    const int column = 1 + static_cast<int>(k);
    headerItem()->setText(column, metricShortTitle(qt(objectives[k]->name)));
    headerItem()->setToolTip(
        column, tr("%1 up to there, and the change by the step").arg(metricTitle(qt(objectives[k]->name))));
    headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  }
  header()->setSectionResizeMode(0, QHeaderView::Stretch);
}

void LineageTree::showNothing(const std::vector<const MetricSpec*>& objectives) {
  setTitles(objectives);
}

QTreeWidgetItem* LineageTree::addStage(const Source& source, const QString& text, const DesignPoint* point,
                                       const DesignPoint* before) {
  QStringList cells = {text};
  for (const MetricSpec* each : *source.objectives)
    cells << (point ? changedText(*point, before, *each) : QStringLiteral("\u2013"));
  auto* item = new QTreeWidgetItem(cells);
  for (int column = 0; column < cells.size(); ++column) {
    item->setToolTip(column, cells[column]);
    if (column > 0) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
  return item;
}

/// What the step left as the limit, then what it was chosen over.
void LineageTree::addRivals(const Source& source, QTreeWidgetItem& stage, const LineageStep& step) {
  auto* bound = new QTreeWidgetItem(&stage, {tr("then bound by %1").arg(qt(boundText(step.bound_after)))});
  bound->setToolTip(0, bound->text(0));
  bound->setFirstColumnSpanned(true);
  const DesignPoint* before = orNothing(step.before);
  for (const std::size_t rival : step.rivals) {
    const Design& other = (*source.designs)[rival];
    const QString text =
        tr("or %1").arg(wholeStepText(other.schedule.back(), *source.document, *source.knobs));
    QTreeWidgetItem* item = addStage(source, text, &other.point, before);
    item->setData(0, Qt::UserRole, static_cast<int>(rival));
    stage.addChild(item);
  }
  const auto count = static_cast<int>(step.rivals.size());
  stage.setToolTip(0, stage.text(0) + QLatin1Char('\n') + bound->text(0) + QLatin1Char('\n') +
                          (count == 1 ? tr("1 other step was tried here")
                                      : tr("%1 other steps were tried here").arg(count)));
}

void LineageTree::showDesign(const Source& source, std::size_t design, const DesignReport* report) {
  setTitles(*source.objectives);
  const Design& chosen = (*source.designs)[design];
  const std::size_t kept = std::min(source.document->schedule.size(), chosen.schedule.size());
  const DesignPoint* last = evaluatedPoint(*source.designs, chosen, kept);
  if (const LineageStep* first = stepAt(report, kept)) last = orNothing(first->before);
  addTopLevelItem(addStage(source,
                           kept == 0   ? tr("The program as it is")
                           : kept == 1 ? tr("The program as it is, with its step")
                                       : tr("The program as it is, with its %1 steps").arg(kept),
                           last, nullptr));
  for (std::size_t position = kept; position < chosen.schedule.size(); ++position) {
    const LineageStep* step = stepAt(report, position);
    const bool whole = position + 1 == chosen.schedule.size();
    const DesignPoint* made = step ? orNothing(step->after)
                              : whole && isEvaluated(chosen)
                                  ? &chosen.point
                                  : evaluatedPoint(*source.designs, chosen, position + 1);
    const QString text = QStringLiteral("%1. %2")
                             .arg(position + 1)
                             .arg(wholeStepText(chosen.schedule[position], *source.document, *source.knobs));
    QTreeWidgetItem* item = addStage(source, text, made, last);
    addTopLevelItem(item);
    if (step) addRivals(source, *item, *step);
    if (made) last = made;
  }
}

}  // namespace sluice::ui
