#include "app/window/export/perspective_pictures.h"

#include <QDir>
#include <QFileInfo>
#include <QSize>
#include <array>

#include "app/window/document/document_controller.h"
#include "app/window/export/batch.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/perspectives.h"
#include "app/window/shell/workspace.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/qt_text.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
namespace {

constexpr std::array<QSize, 3> sizes = {QSize(1024, 640), QSize(1366, 768), QSize(1920, 1200)};

void trigger(MainWindow& window, const char* command) {
  window.commands()->action(QString::fromLatin1(command))->trigger();
}

Result<Done> rest(MainWindow& window, const QString& file) {
  if (comesToRest(window)) return Done{};
  return error("run-not-finished", Location(Where::File, file.toStdString()),
               "the window is still computing after three minutes", "take a smaller program");
}

/// So that every view has something to show: an exploration, two runs side by side, a selected operator.
Result<Done> fill(MainWindow& window, const QString& file) {
  trigger(window, "run.explore");
  SLUICE_CHECK(rest(window, file));
  trigger(window, "compare.pinA");
  SLUICE_CHECK(rest(window, file));
  const KnobValues begun = window.documents()->knobs();
  for (const Knob& knob : window.documents()->document().knobs) {
    if (knob.size() < 2) continue;
    KnobValues knobs = begun;
    knobs[knob.name] = knob.values().back();
    window.documents()->setKnobs(knobs, {});
    break;
  }
  SLUICE_CHECK(rest(window, file));
  trigger(window, "compare.pinB");
  SLUICE_CHECK(rest(window, file));
  window.documents()->setKnobs(begun, {});
  SLUICE_CHECK(rest(window, file));
  const std::vector<Node>& nodes = window.shownProgram()->document().program.nodes;
  if (!nodes.empty()) window.jumpTo(qt(nodes[nodes.size() / 2].name));
  return rest(window, file);
}

Result<Done> takeAll(MainWindow& window, const QString& file, const QDir& folder) {
  for (const QSize& size : sizes) {
    window.resize(size);
    for (const Perspective& each : perspectives()) {
      trigger(window, each.id);
      trigger(window, "view.resetPanels");
      trigger(window, "canvas.fitAll");
      for (const auto& [theme, name] :
           {std::pair(ThemeChoice::Light, "light"), {ThemeChoice::Dark, "dark"}}) {
        window.setTheme(theme);
        SLUICE_CHECK(rest(window, file));
        const QString picture =
            QStringLiteral("%1_%2_%3_%4x%5.png")
                .arg(QFileInfo(file).completeBaseName(), QString::fromLatin1(each.title), QLatin1String(name))
                .arg(size.width())
                .arg(size.height());
        SLUICE_CHECK(savePicture(window.grab(), folder.filePath(picture)));
      }
    }
  }
  return Done{};
}

}  // namespace

Result<Done> takePerspectivePictures(const QStringList& files, const QString& folder) {
  QDir().mkpath(folder);
  for (const QString& file : files) {
    MainWindow window;
    window.show();
    if (!window.openFile(file)) return window.workspace()->diagnostics()->diagnostics();
    SLUICE_CHECK(rest(window, file));
    SLUICE_CHECK(fill(window, file));
    SLUICE_CHECK(takeAll(window, file, folder));
  }
  return Done{};
}

}  // namespace sluice::ui
