#include "app/window/export/printables.h"

#include <QApplication>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QTreeWidget>
#include <array>

#include "app/window/explore/explorer_pane.h"
#include "app/window/shell/workspace.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/deadlock/near_miss_box.h"
#include "widgets/decision/sensitivity_view.h"
#include "widgets/export/table_picture.h"
#include "widgets/parallel/parallel_view.h"
#include "widgets/plots/hypervolume_plot.h"
#include "widgets/plots/occupancy_plot.h"
#include "widgets/plots/pareto_plot.h"
#include "widgets/points/points_table.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui {
namespace {

/// "A  moe.sluice: tile = 16", "B  ...".
QStringList runTitles(const ComparePanel& panel) {
  return {QStringLiteral("A  ") + panel.run(0).title, QStringLiteral("B  ") + panel.run(1).title};
}

Printable compared(const ComparePanel& panel, CompareModel::Table table, ExportSubject subject) {
  const TableLabels labels{nameOf(subject), titleOf(subject), [&panel] { return runTitles(panel); }};
  return printable(*panel.table(table)->model(), labels,
                   [&panel, table] { return panel.model(table)->csv(); });
}

Printable compared(const ComparePanel& panel, ExportSubject subject) {
  switch (subject) {
    case ExportSubject::CompareFigures:
      return compared(panel, CompareModel::Table::Metrics, subject);
    case ExportSubject::CompareOperators:
      return compared(panel, CompareModel::Table::Operators, subject);
    case ExportSubject::CompareStreams:
      return compared(panel, CompareModel::Table::Streams, subject);
    case ExportSubject::CompareCauses:
      return compared(panel, CompareModel::Table::Causes, subject);
    case ExportSubject::CompareTimelines: {
      Printable both = composed({printable(*panel.timeline(0)), printable(*panel.timeline(1))}, 1);
      both.name = nameOf(subject);
      both.title = titleOf(subject);
      return both;
    }
    default:
      return printable(*panel.overlay(), nameOf(subject), titleOf(subject), 0.5);
  }
}

Diagnostic nothing(const char* place, const char* cause, const char* fix) {
  return {Severity::Error, place, cause, fix};
}

}  // namespace

std::optional<Diagnostic> missing(ExportSubject subject, const Workspace& workspace) {
  const Workspace::Docked& docked = workspace.docked();
  switch (subject) {
    case ExportSubject::Timeline:
    case ExportSubject::Stalls:
      if (docked.timeline->view()->run()) return std::nullopt;
      return nothing("the timeline", "there is no run that was recorded in full",
                     "open the timeline (F6) and wait for the simulation");
    case ExportSubject::Points:
      if (!workspace.points()->points().empty()) return std::nullopt;
      return nothing("the table of points", "no point has been evaluated", "explore the design space (F5)");
    case ExportSubject::NearMisses:
      if (docked.near_misses->table()->topLevelItemCount() > 0) return std::nullopt;
      return nothing("the table of near misses", "none has been found",
                     "search for near misses (menu Deadlock) after a run that ends");
    case ExportSubject::CompareFigures:
    case ExportSubject::CompareOperators:
    case ExportSubject::CompareStreams:
    case ExportSubject::CompareCauses:
    case ExportSubject::CompareTimelines:
    case ExportSubject::CompareOverlay:
      if (docked.comparison->comparison()) return std::nullopt;
      return nothing("the comparison", "two runs are not pinned",
                     "pin run A, change something, and pin run B (menu Time)");
    default:
      return std::nullopt;
  }
}

Printable printableOf(ExportSubject subject, const Workspace& workspace) {
  ExplorerPane& explorer = *workspace.explorer();
  const Workspace::Docked& docked = workspace.docked();
  switch (subject) {
    case ExportSubject::Canvas:
      return printable(*workspace.canvas());
    case ExportSubject::Pareto:
      return printable(*explorer.pareto()->chart(), nameOf(subject), QObject::tr("Pareto plot"));
    case ExportSubject::Occupancy:
      return printable(*workspace.occupancy(), nameOf(subject), QObject::tr("FIFO occupancy"));
    case ExportSubject::Timeline:
      return printable(*docked.timeline->view());
    case ExportSubject::Parallel:
      return printable(*explorer.parallel());
    case ExportSubject::Sensitivity:
      return printable(*explorer.sensitivity());
    case ExportSubject::Hypervolume:
      return printable(*explorer.hypervolume(), nameOf(subject), QObject::tr("Hypervolume"));
    case ExportSubject::Points:
      return printable(*explorer.table()->model(), {nameOf(subject), titleOf(subject)},
                       [&explorer] { return explorer.pareto()->chart()->csv(); });
    case ExportSubject::Stalls:
      return printable(*docked.timeline->stallModel(), {nameOf(subject), titleOf(subject)},
                       [&docked] { return docked.timeline->stallModel()->csv(); });
    case ExportSubject::NearMisses:
      return printable(*docked.near_misses->table()->model(), {nameOf(subject), titleOf(subject)},
                       [&docked] { return docked.near_misses->csv(); });
    default:
      return compared(*docked.comparison, subject);
  }
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
  const Workspace::Docked& docked = workspace.docked();
  if (holds(docked.timeline->stallTable())) return ExportSubject::Stalls;
  if (holds(docked.timeline)) return ExportSubject::Timeline;
  if (holds(docked.near_misses)) return ExportSubject::NearMisses;
  if (holds(docked.comparison)) {
    constexpr std::array tabs = {ExportSubject::CompareFigures,   ExportSubject::CompareOperators,
                                 ExportSubject::CompareStreams,   ExportSubject::CompareCauses,
                                 ExportSubject::CompareTimelines, ExportSubject::CompareOverlay};
    return tabs[static_cast<std::size_t>(std::max(0, docked.comparison->tabs()->currentIndex()))];
  }
  const ExplorerPane& explorer = *workspace.explorer();
  const QWidget* front = explorer.current();
  if (front == explorer.table()) return ExportSubject::Points;
  if (front == explorer.parallel()) return ExportSubject::Parallel;
  if (front == explorer.sensitivity()) return ExportSubject::Sensitivity;
  if (front == static_cast<const QWidget*>(explorer.hypervolume())) return ExportSubject::Hypervolume;
  return ExportSubject::Pareto;
}

}  // namespace sluice::ui
