#include "app/window/run/compare_dock.h"

#include <QAction>
#include <QDockWidget>
#include <QTabWidget>
#include <QTableView>

#include "app/window/run/compare_controller.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/panels.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/export/table_picture.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {
namespace {

/// "A  moe.sluice: tile = 16", "B  ...".
QStringList runTitles(const ComparePanel& panel) {
  return {QStringLiteral("A  ") + panel.run(0).title, QStringLiteral("B  ") + panel.run(1).title};
}

Printable tablePicture(const View& view, const ComparePanel& panel, CompareModel::Table table) {
  return printable(*panel.table(table)->model(), {view.id, view.title, [&panel] { return runTitles(panel); }},
                   [&panel, table] { return panel.model(table)->csv(); });
}

Printable timelinesPicture(const View& view, const ComparePanel& panel) {
  Printable both = composed({printable(*panel.timeline(0)), printable(*panel.timeline(1))}, 1);
  both.name = view.id;
  both.title = view.title;
  return both;
}

/// One for each page of the panel, in their order.
void addViews(Views& views, const ComparePanel& panel) {
  View page;
  page.group = ViewGroup::Comparison;
  page.area = &panel;
  page.missing = [&panel] {
    return missingUnless(panel.comparison() != nullptr, "the comparison", "two runs are not pinned",
                         "pin run A, change something, and pin run B (menu Time)");
  };
  auto add = [&, number = 0](const char* id, const QString& title) mutable {
    page.id = QString::fromLatin1(id);
    page.title = title;
    page.widget = panel.tabs()->widget(number++);
    views.add(page);
  };
  page.is_table = true;
  const auto addTable = [&](const char* id, const QString& title, CompareModel::Table table) {
    page.printable = [&panel, table](const View& view) { return tablePicture(view, panel, table); };
    add(id, title);
  };
  addTable("compare-figures", QObject::tr("A against B: figures"), CompareModel::Table::Metrics);
  addTable("compare-operators", QObject::tr("A against B: operators"), CompareModel::Table::Operators);
  addTable("compare-streams", QObject::tr("A against B: streams"), CompareModel::Table::Streams);
  addTable("compare-lost-cycles", QObject::tr("A against B: lost cycles"), CompareModel::Table::Causes);
  page.is_table = false;
  page.printable = [&panel](const View& view) { return timelinesPicture(view, panel); };
  add("compare-timelines", QObject::tr("A against B: timelines"));
  page.printable = [&panel](const View& view) {
    return printable(*panel.overlay(), view.id, view.title, 0.5);
  };
  add("compare-fifo", QObject::tr("A against B: FIFO overlay"));
}

}  // namespace

void addCompareDock(MainWindow& window, Panels& panels, CompareController& compare, Commands& commands) {
  QDockWidget* dock = panels.add(QObject::tr("Compare"), QStringLiteral("compareDock"), compare.panel(),
                                 Qt::BottomDockWidgetArea);
  dock->setFeatures(dock->features() | QDockWidget::DockWidgetFloatable);
  addViews(window.views(), *compare.panel());
  window.tabifyDockWidget(panels.panel(QStringLiteral("timelineDock")), dock);
  dock->hide();
  const auto show = [dock, &window] {
    const bool hidden = !dock->isVisible();
    dock->show();
    dock->raise();
    if (hidden) window.resizeDocks({dock}, {300}, Qt::Vertical);
  };
  QObject::connect(&compare, &CompareController::pinned, dock, show);
  QObject::connect(commands.action(QStringLiteral("compare.clear")), &QAction::triggered, dock,
                   &QDockWidget::hide);
  QObject::connect(&compare, &CompareController::failed, &window, &MainWindow::showFileDiagnostics);
  QObject::connect(compare.panel(), &ComparePanel::placeActivated, &window, &MainWindow::jumpTo);
}

}  // namespace sluice::ui
