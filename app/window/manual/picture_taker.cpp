#include "app/window/manual/picture_taker.h"

#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QPixmap>

#include "app/window/export/batch.h"
#include "app/window/export/reproduce_dialog.h"
#include "app/window/manual/manual.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/onboarding.h"
#include "app/window/shell/view_tabs.h"
#include "app/window/shell/workspace.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
namespace {

/// Null: it does not show.
QWidget* partOf(MainWindow& window, const QString& part) {
  if (part == QLatin1String("window")) return &window;
  if (part == QLatin1String("dialog")) {
    for (QDialog* dialog : window.findChildren<QDialog*>())
      if (dialog->isVisible()) return dialog;
    return nullptr;
  }
  auto* dock = window.findChild<QDockWidget*>(part + QStringLiteral("Dock"));
  if (dock) return dock->isVisible() ? dock : nullptr;
  for (const ViewTabs* tabs : window.findChildren<ViewTabs*>())
    if (tabs->current() == part) return tabs->currentWidget();
  return nullptr;
}

}  // namespace

Result<Done> takePicture(const ManualPicture& picture, const QString& file) {
  const std::string place = "picture " + picture.name.toStdString();
  const auto late = [&] {
    return error("run-not-finished", place, "the window is still computing after three minutes",
                 "let the picture ask for less");
  };
  MainWindow window;
  window.setTheme(ThemeChoice::Light);
  window.resize(picture.size);
  window.show();
  for (const QString& action : picture.actions) {
    SLUICE_CHECK(window.onboarding()->follow(action));
    if (!comesToRest(window)) return late();
  }
  QWidget* part = partOf(window, picture.part);
  if (!part)
    return error("unknown-name", place, "'" + picture.part.toStdString() + "' does not show",
                 "let the picture show it, or name another part");
  return savePicture(part->grab(), file);
}

Result<Done> takePictures(const Manual& manual, const QString& folder) {
  QDir().mkpath(QDir(folder).filePath(QStringLiteral("pictures")));
  for (const ManualPicture& picture : manual.pictures())
    SLUICE_CHECK(takePicture(picture, QDir(folder).filePath(pictureFile(picture.name))));
  return Done{};
}

Result<Done> writeManual(const QString& folder) {
  const MainWindow window;
  const Manual manual(*window.commands());
  SLUICE_CHECK(takePictures(manual, folder));
  return writePages(manual, folder);
}

}  // namespace sluice::ui
