#include "app/window/export/batch.h"

#include <QApplication>
#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QPixmap>
#include <QTimer>
#include <algorithm>
#include <iostream>

#include "app/window/shell/main_window.h"
#include "app/window/shell/workspace.h"
#include "engine/core/atomic_file.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/diagnostics/diagnostics_list.h"

namespace sluice::ui {
namespace {

constexpr int poll_period = 50;   // ms
constexpr int settle_time = 400;  // ms: the last layout and plots are painted

}  // namespace

Batch::Batch(MainWindow* window, BatchJob job) : QObject(window), window_(window), job_(std::move(job)) {
  auto* poll = new QTimer(this);
  connect(poll, &QTimer::timeout, this, [this, poll] {
    if (!window_->session()->idle()) return;
    poll->stop();
    explored();
  });
  window_->session()->explore();
  poll->start(poll_period);
}

void Batch::explored() {
  if (!job_.select.isEmpty()) window_->jumpTo(job_.select);
  const auto wait = [this](auto&& again) -> void {
    if (window_->workspace()->canvas()->layoutPending()) {
      QTimer::singleShot(poll_period, this, [again] { again(again); });
    } else {
      QTimer::singleShot(settle_time, this, &Batch::finish);
    }
  };
  wait(wait);
}

void Batch::finish() {
  bool done = true;
  if (!job_.charts.isEmpty()) done = writeCharts();
  if (!done) return QApplication::exit(reportAndFail(*window_));
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

bool Batch::writeCharts() const {
  QDir().mkpath(job_.charts);
  const QStringList usual = {QStringLiteral("pareto"), QStringLiteral("occupancy")};
  const QStringList views = job_.views.isEmpty() ? usual : job_.views;
  return std::all_of(views.begin(), views.end(), [this](const QString& view) { return writeView(view); });
}

bool Batch::writeView(const QString& view) const {
  if (!window_->views().find(view)) {
    QStringList known;
    for (const View& each : window_->views().all()) known << each.id;
    window_->showFileDiagnostics(
        {error("unknown-choice", "--views", "there is no view '" + view.toStdString() + "' to export",
               "name one of " + known.join(QStringLiteral(", ")).toStdString())});
    return false;
  }
  for (const ExportFormat format : {ExportFormat::Pdf, ExportFormat::Csv}) {
    const ExportChoice choice{{view}, format, single_column};
    const QString file = QDir(job_.charts).filePath(choice.suggestedName());
    if (!window_->exportFile(file, choice)) return false;
    std::cout << file.toStdString() << "\n";
  }
  return true;
}

int reportAndFail(const MainWindow& window) {
  const Diagnostics& diagnostics = window.workspace()->diagnostics()->diagnostics();
  std::cerr << (diagnostics.empty() ? std::string("error: name a .sluice file\n") : text(diagnostics));
  return 1;
}

}  // namespace sluice::ui
