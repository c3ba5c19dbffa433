#include "app/window/shell/workspace.h"

#include <QDataStream>

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/view_spec.h"
#include "app/window/shell/view_tabs.h"
#include "engine/explorer/evaluate.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {

Workspace::Workspace(const QString& layout_helper, QWidget* parent)
    : QSplitter(Qt::Vertical, parent),
      canvas_(new GraphCanvas(builtInCatalog(), layout_helper)),
      explorer_(new ExplorerPane),
      occupancy_(new OccupancyPlot),
      diagnostics_(new DiagnosticsList),
      results_(new QSplitter(Qt::Horizontal)),
      middle_(new ViewTabs(QStringLiteral("middleTabs"))),
      run_tabs_(new ViewTabs(QStringLiteral("runTabs"))) {
  setObjectName(QStringLiteral("workspace"));
  canvas_->setFrameShape(QFrame::NoFrame);
  canvas_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // one pans
  canvas_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  middle_->setTabBarAutoHide(true);
  // Their views make them tabs; the order in which they get parents is that of the Tab key.
  canvas_->setParent(middle_);
  occupancy_->setParent(run_tabs_);
  diagnostics_->setParent(run_tabs_);
  results_->addWidget(explorer_);
  results_->addWidget(run_tabs_);
  addWidget(middle_);
  addWidget(results_);
  for (QSplitter* splitter : {static_cast<QSplitter*>(this), results_}) {
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
  }
  results_->setStretchFactor(0, 1);
  results_->setStretchFactor(1, 1);
  setStretchFactor(0, 3);
  setStretchFactor(1, 2);
  resetParts();
}

ViewTabs* Workspace::tabs(Area area) const {
  switch (area) {
    case Area::Middle:
      return middle_;
    case Area::Points:
      return explorer_->tabs();
    case Area::Run:
      return run_tabs_;
    default:
      return nullptr;
  }
}

void Workspace::bring(const QString& id) {
  for (ViewTabs* each : {middle_, explorer_->tabs(), run_tabs_}) each->bring(id);
}

PointsModel* Workspace::points() const {
  return explorer_->points();
}
ParetoPlot* Workspace::pareto() const {
  return explorer_->pareto();
}
PointsTable* Workspace::table() const {
  return explorer_->table();
}
void Workspace::showDiagnostics() {
  bring(QStringLiteral("diagnostics"));
}

void Workspace::setDiagnosticCounts(int errors, int warnings) {
  const int count = errors + warnings;
  run_tabs_->setTabText(run_tabs_->indexOf(diagnostics_),
                        count == 0 ? tr("Diagnostics") : tr("Diagnostics (%1)").arg(count));
}

QByteArray Workspace::saveParts() const {
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream << saveState() << results_->saveState() << middle_->current() << explorer_->tabs()->current()
         << run_tabs_->current();
  return bytes;
}

void Workspace::restoreParts(const QByteArray& parts) {
  QByteArray own, results;
  QDataStream stream(parts);
  QStringList front(3);
  stream >> own >> results >> front[0] >> front[1] >> front[2];
  restoreState(own);
  results_->restoreState(results);
  for (const QString& id : front) bring(id);
}

void Workspace::resetParts() {
  setSizes({560, 360});
  results_->setSizes({500, 500});
}

}  // namespace sluice::ui
