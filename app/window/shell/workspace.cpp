#include "app/window/shell/workspace.h"

#include <QDataStream>
#include <QTabBar>
#include <QTabWidget>

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/views.h"
#include "engine/explorer/evaluate.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {
namespace {

QTabWidget* tabs(const QString& name) {
  auto* widget = new QTabWidget;
  widget->setObjectName(name);
  widget->setDocumentMode(true);
  widget->tabBar()->setDrawBase(false);
  return widget;
}

}  // namespace

Workspace::Workspace(const QString& layout_helper, Views& views, QWidget* parent)
    : QSplitter(Qt::Vertical, parent),
      canvas_(new GraphCanvas(builtInCatalog(), layout_helper)),
      explorer_(new ExplorerPane(views)),
      occupancy_(new OccupancyPlot),
      diagnostics_(new DiagnosticsList),
      results_(new QSplitter(Qt::Horizontal)),
      run_tabs_(tabs(QStringLiteral("runTabs"))) {
  setObjectName(QStringLiteral("workspace"));
  canvas_->setFrameShape(QFrame::NoFrame);
  canvas_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // one pans
  canvas_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  run_tabs_->addTab(occupancy_, tr("FIFO occupancy"));
  run_tabs_->addTab(diagnostics_, tr("Diagnostics"));
  results_->addWidget(explorer_);
  results_->addWidget(run_tabs_);
  addWidget(canvas_);
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
  addViews(views);
}

void Workspace::addViews(Views& views) {
  views.add({.id = QStringLiteral("occupancy"),
             .title = tr("FIFO occupancy plot"),
             .group = ViewGroup::Run,
             .widget = occupancy_,
             .printable = [this](const View& view) {
               return printable(*occupancy_, view.id, tr("FIFO occupancy"));
             }});
  const auto note = [this](int width) {
    const double size = canvasTextSize(*canvas_, width);
    return tr("The canvas's text will be %1 pt%2.")
        .arg(QString::number(size, 'f', 1),
             size < 6.5 ? tr("; collapse regions or make it wider") : QString());
  };
  views.add({.id = QStringLiteral("canvas"),
             .title = tr("Canvas"),
             .group = ViewGroup::Program,
             .widget = canvas_,
             .printable = [this](const View&) { return printable(*canvas_); },
             .note = note});
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
void Workspace::showOccupancy() {
  run_tabs_->setCurrentWidget(occupancy_);
}
void Workspace::showDiagnostics() {
  run_tabs_->setCurrentWidget(diagnostics_);
}

void Workspace::setDiagnosticCounts(int errors, int warnings) {
  const int count = errors + warnings;
  run_tabs_->setTabText(run_tabs_->indexOf(diagnostics_),
                        count == 0 ? tr("Diagnostics") : tr("Diagnostics (%1)").arg(count));
}

QByteArray Workspace::saveParts() const {
  QByteArray bytes;
  QDataStream stream(&bytes, QIODevice::WriteOnly);
  stream << saveState() << results_->saveState() << run_tabs_->currentIndex() << explorer_->currentTab();
  return bytes;
}

void Workspace::restoreParts(const QByteArray& parts) {
  QByteArray own, results;
  int run_tab = 0, explorer_tab = 0;
  QDataStream stream(parts);
  stream >> own >> results >> run_tab >> explorer_tab;
  restoreState(own);
  results_->restoreState(results);
  run_tabs_->setCurrentIndex(run_tab);
  explorer_->setCurrentTab(explorer_tab);
}

void Workspace::resetParts() {
  setSizes({560, 360});
  results_->setSizes({500, 500});
}

}  // namespace sluice::ui
