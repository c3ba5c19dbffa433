// The comparison of two runs as a view: hidden until a run is pinned.

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QTabWidget>
#include <QTableView>

#include "app/window/run/compare_controller.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/panels.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/export/table_picture.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui::views {
namespace {

/// "A  moe.sluice: tile = 16", "B  ...", or "Model  ...", "Measured  ...".
QStringList runTitles(const ComparePanel& panel) {
  const auto line = [&panel](int run) -> QString {
    return panel.nameOf(run) + QStringLiteral("  ") + panel.run(run).title;
  };
  return {line(0), line(1)};
}

Exportable tablePicture(const View& view, const ComparePanel& panel, CompareModel::Table table) {
  return exportable(*panel.table(table)->model(),
                    {view.id, view.title, [&panel] { return runTitles(panel); }},
                    [&panel, table] { return panel.model(table)->csv(); });
}

Exportable timelinesPicture(const View& view, const ComparePanel& panel) {
  Exportable both = composed({exportable(*panel.timeline(0)), exportable(*panel.timeline(1))}, 1);
  both.name = view.id;
  both.title = view.title;
  return both;
}

/// One for each page of the panel, in their order.
std::vector<View> exportedOf(const ComparePanel* panel) {
  std::vector<View> exported;
  View page;
  page.group = ViewGroup::Comparison;
  page.area = panel;
  page.missing = [panel] {
    return missingUnless(panel->comparison() != nullptr, "the comparison", "two runs are not pinned",
                         "pin run A, change something, and pin run B (menu Time)");
  };
  const auto add = [&](const char* id, const QString& title) {
    page.id = QString::fromLatin1(id);
    page.title = title;
    page.widget = panel->tabs()->widget(static_cast<int>(exported.size()));
    exported.push_back(page);
  };
  page.is_table = true;
  const auto add_table = [&](const char* id, const QString& title, CompareModel::Table table) {
    page.exportable = [panel, table](const View& view) { return tablePicture(view, *panel, table); };
    add(id, title);
  };
  add_table("compare-figures", QObject::tr("A against B: figures"), CompareModel::Table::Metrics);
  add_table("compare-operators", QObject::tr("A against B: operators"), CompareModel::Table::Operators);
  add_table("compare-streams", QObject::tr("A against B: streams"), CompareModel::Table::Streams);
  add_table("compare-lost-cycles", QObject::tr("A against B: lost cycles"), CompareModel::Table::Causes);
  page.is_table = false;
  page.exportable = [panel](const View& view) { return timelinesPicture(view, *panel); };
  add("compare-timelines", QObject::tr("A against B: timelines"));
  page.exportable = [panel](const View& view) {
    return exportable(*panel->overlay(), view.id, view.title, 0.5);
  };
  add("compare-fifo", QObject::tr("A against B: FIFO overlay"));
  page.is_table = true;
  page.missing = [panel] {
    return missingUnless(panel->comparison() && panel->comparison()->measured, "the comparison",
                         "nothing that was measured is open", "choose Time > Compare with Measurements");
  };
  add_table("compare-matches", QObject::tr("Model and measured: matches"), CompareModel::Table::Matches);
  return exported;
}

MadeView makeComparison(const WindowContext& context) {
  auto* compare = new CompareController(context);
  QObject::connect(compare, &CompareController::failed, context.window, context.report);
  QObject::connect(compare->panel(), &ComparePanel::placeActivated, context.window, context.jump);
  const auto placed = [compare, context](QDockWidget& dock) {
    QObject::connect(compare, &CompareController::pinned, &dock,
                     [panels = context.panels] { panels->raise(QStringLiteral("compare")); });
    QObject::connect(&dock, &QDockWidget::visibilityChanged, compare, &CompareController::setSeen);
    QObject::connect(context.commands->action(QStringLiteral("compare.clear")), &QAction::triggered, &dock,
                     &QDockWidget::hide);
  };
  return {compare->panel(), exportedOf(compare->panel()), placed};
}

}  // namespace

ViewSpec comparison() {
  return {.id = "compare",
          .title = "Compare",
          .area = Area::Bottom,
          .make = makeComparison,
          .tab_of = "timeline",
          .hidden = true};
}

}  // namespace sluice::ui::views
