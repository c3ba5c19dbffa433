// The timeline as a view: hidden at first; while it shows, runs are recorded in full.

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <QTreeView>

#include "app/window/document/file_commands.h"
#include "app/window/document/save_file_dialog.h"
#include "app/window/run/time_controller.h"
#include "app/window/shell/built_in_views.h"
#include "app/window/shell/panels.h"
#include "widgets/export/table_picture.h"
#include "widgets/timeline/timeline_panel.h"

namespace sluice::ui::views {
namespace {

void exportRun(const WindowContext& context, const TimeController& time) {
  const QString file = chooseFileToSave(context.window, QObject::tr("Export the run"), {},
                                        QObject::tr("Chrome trace, for Perfetto (*.json);;"
                                                    "Value change dump, for GTKWave (*.vcd)"));
  if (!file.isEmpty()) context.files->report(time.exportRun(file), QObject::tr("Wrote %1").arg(file));
}

std::vector<View> exportedOf(TimelinePanel* panel) {
  const auto missing = [panel] {
    return missingUnless(static_cast<bool>(panel->view()->run()), "the timeline",
                         "there is no run that was recorded in full",
                         "open the timeline (F6) and wait for the simulation");
  };
  const auto stalls = [model = panel->stallModel()](const View& view) {
    return exportable(*model, {view.id, view.title}, [model] { return model->csv(); });
  };
  return {{.id = QStringLiteral("timeline"),
           .title = QObject::tr("Timeline"),
           .group = ViewGroup::Run,
           .widget = panel,
           .exportable = [panel](const View&) { return exportable(*panel->view()); },
           .missing = missing},
          {.id = QStringLiteral("stalls"),
           .title = QObject::tr("Table of lost cycles and their causes"),
           .group = ViewGroup::Tables,
           .widget = panel->stallTable(),
           .is_table = true,
           .exportable = stalls,
           .missing = missing}};
}

MadeView makeTimeline(const WindowContext& context) {
  auto* time = new TimeController(context);
  QObject::connect(time, &TimeController::nodeSelected, context.window, context.jump);
  QObject::connect(time, &TimeController::streamSelected, context.window, context.jump);
  QObject::connect(time, &TimeController::exportRequested, time,
                   [context, time] { exportRun(context, *time); });
  const auto placed = [time, panels = context.panels](QDockWidget& dock) {
    QObject::connect(&dock, &QDockWidget::visibilityChanged, time, &TimeController::setWanted);
    const auto bring = [time, panels] {
      panels->raise(QStringLiteral("timeline"));
      time->panel()->view()->setFocus();
    };
    QObject::connect(dock.toggleViewAction(), &QAction::triggered, time, [bring](bool shown) {
      if (shown) bring();
    });
    QObject::connect(time, &TimeController::runNeeded, time, bring);
  };
  return {time->panel(), exportedOf(time->panel()), placed};
}

}  // namespace

ViewSpec timeline() {
  return {.id = "timeline",
          .title = "Timeline",
          .area = Area::Bottom,
          .make = makeTimeline,
          .hidden = true,
          .menu = "T&ime",
          .keys = "F6"};
}

}  // namespace sluice::ui::views
