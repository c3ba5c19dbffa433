#include "app/window/manual/picture_taker.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QPixmap>
#include <QThread>

#include "app/window/export/batch.h"
#include "app/window/export/reproduce_dialog.h"
#include "app/window/manual/manual.h"
#include "app/window/shell/guidance.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/view_tabs.h"
#include "app/window/shell/workspace.h"
#include "engine/core/atomic_file.h"
#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
namespace {

constexpr int look_period = 20;        // ms
constexpr int calm_time = 300;         // ms: the last layout and plots are painted
constexpr int longest_wait = 180'000;  // ms

/// Waits until nothing is computed any more. False: it takes too long.
bool comesToRest(MainWindow& window) {
  QElapsedTimer since, calm;
  since.start();
  calm.start();
  while (calm.elapsed() < calm_time && since.elapsed() < longest_wait) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, look_period);
    QThread::msleep(look_period);
    if (isBusy(window)) calm.restart();
  }
  return !isBusy(window);
}

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

Result<Done> savePicture(const QPixmap& pixels, const QString& file) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  pixels.save(&buffer, "PNG");
  return writeFileAtomically(file.toStdString(), bytes.toStdString());
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
    SLUICE_CHECK(window.guidance()->follow(action));
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
