#include "app/window/printables.h"

#include <QApplication>
#include <stdexcept>

#include "app/window/explorer_pane.h"
#include "app/window/workspace.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/hypervolume_plot.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_table.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {
namespace {

Printable points(ExplorerPane& explorer) {
  Printable made{QStringLiteral("points"), QObject::tr("Points"), {}, {}, {}, {}};
  made.height = [](const PrintStyle&) { return 0.0; };  // a table has no picture
  made.paint = [](QCPPainter&, QSizeF, const PrintStyle&) {};
  made.csv = [&explorer] { return explorer.pareto()->chart()->csv(); };
  return made;
}

}  // namespace

Printable printableOf(ExportSubject subject, const Workspace& workspace) {
  ExplorerPane& explorer = *workspace.explorer();
  switch (subject) {
    case ExportSubject::Canvas:
      return printable(*workspace.canvas());
    case ExportSubject::Pareto:
      return printable(*explorer.pareto()->chart(), nameOf(subject), QObject::tr("Pareto plot"));
    case ExportSubject::Occupancy:
      return printable(*workspace.occupancy(), nameOf(subject), QObject::tr("FIFO occupancy"));
    case ExportSubject::Timeline:
      return printable(*workspace.timeline());
    case ExportSubject::Parallel:
      return printable(*explorer.parallel());
    case ExportSubject::Sensitivity:
      return printable(*explorer.sensitivity());
    case ExportSubject::Hypervolume:
      return printable(*explorer.hypervolume(), nameOf(subject), QObject::tr("Hypervolume"));
    case ExportSubject::Points:
      return points(explorer);
  }
  throw std::logic_error("no such view");
}

Printable printableOf(const ExportChoice& choice, const Workspace& workspace) {
  std::vector<Printable> parts = {printableOf(choice.subject, workspace)};
  for (const ExportSubject subject : choice.also) parts.push_back(printableOf(subject, workspace));
  return composed(std::move(parts), choice.columns);
}

ExportSubject focusedSubject(const Workspace& workspace) {
  const QWidget* focus = QApplication::focusWidget();
  const auto holds = [focus](const QWidget* view) {
    return focus && (view == focus || view->isAncestorOf(focus));
  };
  if (holds(workspace.canvas())) return ExportSubject::Canvas;
  if (holds(workspace.occupancy())) return ExportSubject::Occupancy;
  if (workspace.timeline() && holds(workspace.timeline())) return ExportSubject::Timeline;
  const ExplorerPane& explorer = *workspace.explorer();
  const QWidget* front = explorer.current();
  if (front == explorer.parallel()) return ExportSubject::Parallel;
  if (front == explorer.sensitivity()) return ExportSubject::Sensitivity;
  if (front == static_cast<const QWidget*>(explorer.hypervolume())) return ExportSubject::Hypervolume;
  return ExportSubject::Pareto;
}

}  // namespace sluice::ui
