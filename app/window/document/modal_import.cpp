#include "app/window/document/modal_import.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QFileInfo>
#include <QProgressDialog>
#include <QTimer>
#include <optional>

#include "app/window/shell/background_work.h"
#include "engine/core/cancelled.h"

namespace sluice::ui {
namespace {

constexpr int until_box = 300;  // ms: shorter work needs no box

}  // namespace

Result<Imported> importModally(const QString& file, const ImportOptions& options, BackgroundWork& work,
                               QWidget* window) {
  std::optional<Result<Imported>> answer;
  QEventLoop loop;
  QProgressDialog box(
      QCoreApplication::translate("FileCommands", "Reading %1…").arg(QFileInfo(file).fileName()),
      QCoreApplication::translate("FileCommands", "Cancel"), 0, 0, window);
  box.setObjectName(QStringLiteral("importProgress"));
  box.setWindowModality(Qt::ApplicationModal);
  box.reset();  // it has a timer of its own, which would show it whatever else is shown
  const auto end = [&](Result<Imported> result) {
    answer.emplace(std::move(result));
    loop.quit();
  };
  QObject::connect(&work, &BackgroundWork::failed, &loop, [&](const Diagnostic& why) { end(why); });
  QObject::connect(&box, &QProgressDialog::canceled, &loop, [&] {
    work.forget();
    end(cancelledDiagnostic());
  });
  // It may go on a while after this function has returned, and is not answered then.
  work.ask([&end, path = file.toStdString(),
            mine = options](const std::stop_token& stop) mutable -> BackgroundWork::Answer {
    mine.stop = stop;
    return [&end, result = importFile(path, mine)] { end(result); };
  });
  QTimer::singleShot(until_box, &loop, &QEventLoop::quit);
  loop.exec(QEventLoop::ExcludeUserInputEvents);
  if (!answer) {
    box.show();
    loop.exec();
  }
  return *std::move(answer);
}

}  // namespace sluice::ui
