#include "app/window/shell/workspace.h"

#include <QDockWidget>

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/docks.h"
#include "engine/explorer/evaluate.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {

Workspace::Workspace(const QString& layout_helper, QWidget* parent)
    : ViewTabs(QStringLiteral("middleTabs"), parent),
      canvas_(new GraphCanvas(builtInCatalog(), layout_helper)),
      explorer_(new ExplorerPane),
      occupancy_(new OccupancyPlot),
      diagnostics_(new DiagnosticsList) {
  canvas_->setFrameShape(QFrame::NoFrame);
  canvas_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);  // one pans
  canvas_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTabBarAutoHide(true);
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
  if (QDockWidget* dock = dockOf(*diagnostics_)) bringToFront(*dock);
}

void Workspace::setDiagnosticCounts(int errors, int warnings) {
  const int count = errors + warnings;
  if (QDockWidget* dock = dockOf(*diagnostics_))
    dock->setWindowTitle(count == 0 ? tr("Diagnostics") : tr("Diagnostics (%1)").arg(count));
}

}  // namespace sluice::ui
