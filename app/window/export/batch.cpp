#include "app/window/export/batch.h"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QPixmap>
#include <QTabWidget>
#include <QThread>
#include <QTimer>
#include <iostream>

#include "app/window/designs/designs_controller.h"
#include "app/window/explore/distribution_controller.h"
#include "app/window/run/compare_controller.h"
#include "app/window/shell/docks.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/core/atomic_file.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
namespace {

constexpr int poll_period = 50;        // ms
constexpr int settle_time = 300;       // ms without anything under way
constexpr int look_period = 20;        // ms
constexpr int longest_wait = 180'000;  // ms

/// Docks, and pages of tabs.
void bringToFront(QWidget& view) {
  for (QWidget *page = &view, *around = view.parentWidget(); around;
       page = around, around = around->parentWidget())
    if (auto* tabs = qobject_cast<QTabWidget*>(around->parentWidget()); tabs && tabs->indexOf(page) >= 0)
      tabs->setCurrentWidget(page);
  if (QDockWidget* dock = dockOf(view)) bringToFront(*dock);
}

}  // namespace

Batch::Batch(MainWindow* window, BatchJob job) : QObject(window), window_(window), job_(std::move(job)) {
  if (!job_.charts.isEmpty()) {
    QDir().mkpath(job_.charts);
    if (job_.views.isEmpty()) job_.views = QStringList{QStringLiteral("pareto"), QStringLiteral("occupancy")};
  } else {
    job_.views.clear();
  }
  window_->session()->explore();
  whenIdle(&Batch::explored);
}

/// Calls it once nothing is computed any more, and the last layout and plots are painted.
void Batch::whenIdle(void (Batch::*then)()) {
  auto* poll = new QTimer(this);
  connect(poll, &QTimer::timeout, this, [this, poll, then, calm = 0]() mutable {
    calm = isBusy(*window_) ? 0 : calm + poll_period;
    if (calm < settle_time) return;
    poll->deleteLater();
    poll->stop();
    (this->*then)();
  });
  poll->start(poll_period);
}

void Batch::explored() {
  if (!job_.select.isEmpty()) window_->jumpTo(job_.select);
  whenIdle(&Batch::next);
}

/// Writes the view that is in front, and brings the next one there.
void Batch::next() {
  if (writing_ && !write(*writing_)) return QApplication::exit(reportAndFail(*window_));
  if (job_.views.isEmpty()) return finish();
  writing_ = viewOf(job_.views.takeFirst());
  if (!writing_) return QApplication::exit(reportAndFail(*window_));
  bringToFront(*writing_->widget);
  whenIdle(&Batch::next);
}

void Batch::finish() {
  if (job_.screenshot.isEmpty()) return QApplication::exit(0);
  const Result<Done> written = writeScreenshot();
  if (written) std::cout << job_.screenshot.toStdString() << "\n";
  if (!written) std::cerr << text(written.diagnostics());
  QApplication::exit(written ? 0 : 1);
}

Result<Done> Batch::writeScreenshot() const {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  const QByteArray format = QFileInfo(job_.screenshot).suffix().toLatin1();
  const std::string file = job_.screenshot.toStdString();
  if (!window_->grab().save(&buffer, format.constData()))
    return error("unknown-file-suffix", file, "the name does not say which kind of picture is wanted",
                 "end it with .png");
  return writeFileAtomically(file, bytes.toStdString());
}

/// Null, with a diagnostic, if there is none.
const View* Batch::viewOf(const QString& id) const {
  const View* view = window_->views().find(id);
  if (view) return view;
  QStringList known;
  for (const View& each : window_->views().all()) known << each.id;
  window_->showFileDiagnostics(
      {error("unknown-choice", "--views", "there is no view '" + id.toStdString() + "' to export",
             "name one of " + known.join(QStringLiteral(", ")).toStdString())});
  return nullptr;
}

bool Batch::write(const View& view) const {
  for (const ExportFormat format : {ExportFormat::Pdf, ExportFormat::Csv}) {
    const ExportChoice choice{{view.id}, format, single_column};
    const QString file = QDir(job_.charts).filePath(choice.suggestedName());
    if (!window_->exportFile(file, choice)) return false;
    std::cout << file.toStdString() << "\n";
  }
  return true;
}

bool isBusy(MainWindow& window) {
  const auto* traces = window.findChild<DistributionController*>();
  const auto* comparison = window.findChild<CompareController*>();
  return !window.session()->idle() || !window.designs()->idle() || !traces->idle() || !comparison->idle() ||
         window.workspace()->canvas()->layoutPending();
}

bool comesToRest(MainWindow& window) {
  QElapsedTimer since, calm;
  since.start();
  calm.start();
  while (calm.elapsed() < settle_time && since.elapsed() < longest_wait) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, look_period);
    QThread::msleep(look_period);
    if (isBusy(window)) calm.restart();
  }
  return !isBusy(window);
}

Result<Done> savePicture(const QPixmap& pixels, const QString& file) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  pixels.save(&buffer, "PNG");
  return writeFileAtomically(file.toStdString(), bytes.toStdString());
}

int reportAndFail(const MainWindow& window) {
  const Diagnostics& diagnostics = window.workspace()->diagnostics()->diagnostics();
  std::cerr << (diagnostics.empty() ? std::string("error: name a .sluice file\n") : text(diagnostics));
  return 1;
}

}  // namespace sluice::ui
