#include "app/window/safe_keeping.h"

#include <QFileInfo>
#include <QLocale>
#include <QStandardPaths>

#include "app/window/document_controller.h"
#include "app/window/file_commands.h"
#include "app/window/file_watch.h"
#include "app/window/session_memory.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/notice_bar.h"

namespace sluice::ui {
namespace {

QString recoveryFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

}  // namespace

SafeKeeping::SafeKeeping(DocumentController* documents, FileCommands* files, GraphCanvas* canvas,
                         QObject* parent)
    : QObject(parent),
      documents_(documents),
      files_(files),
      canvas_(canvas),
      notices_(new NoticeBar(canvas)),
      recovery_(documents, recoveryFolder()),
      watch_(new FileWatch(documents, this)) {
  connect(documents, &DocumentController::opened, this, &SafeKeeping::tellOpened);
  connect(watch_, &FileWatch::changedOnDisk, this, &SafeKeeping::tellChanged);
  connect(documents, &DocumentController::titleChanged, this, [this] {
    if (!documents_->changedOnDisk()) notices_->drop(QStringLiteral("disk"));
  });
  connect(&recovery_, &Recovery::failed, files_, &FileCommands::reported);
}

void SafeKeeping::tellOpened() {
  notices_->drop(QStringLiteral("disk"));
  notices_->drop(QStringLiteral("readOnly"));
  if (!documents_->isReadOnly()) return;
  notices_->tell({QStringLiteral("readOnly"),
                  tr("%1 may not be written. Save asks for another name.").arg(documents_->fileName()),
                  {{tr("All Right"), {}}}});
}

void SafeKeeping::tellChanged() {
  const QString file = QString::fromStdString(documents_->file().string());
  const QString lost = documents_->isModified() ? tr(" Reloading drops your changes.") : QString();
  notices_->tell({QStringLiteral("disk"),
                  QFileInfo::exists(file)
                      ? tr("%1 was changed by another program.").arg(documents_->fileName()) + lost
                      : tr("%1 was deleted or moved. Save writes it again.").arg(documents_->fileName()),
                  {{tr("Reload"), [this, file] { files_->open(file); }}, {tr("Keep Mine"), {}}}});
}

void SafeKeeping::offerRecovery() {
  const std::optional<LeftBehind> copy = recovery_.leftBehind();
  if (!copy) return;
  const QString name = QFileInfo(copy->original).fileName();
  notices_->tell({QStringLiteral("recovery"),
                  tr("Unsaved changes of %1 from %2 are still there.")
                      .arg(name, QLocale().toString(copy->when, QLocale::ShortFormat)),
                  {{tr("Recover"),
                    [this, copy = *copy] {
                      if (!files_->mayDiscard()) return;
                      const Result<Done> done = recovery_.recover(copy);
                      emit files_->reported(done ? Diagnostics{} : done.diagnostics());
                      offerRecovery();
                    }},
                   {tr("Discard"),
                    [this, copy = *copy] {
                      recovery_.discard(copy);
                      offerRecovery();
                    }},
                   {tr("Later"), {}}}});
}

bool SafeKeeping::restoreSession() {
  const QString file = rememberedFile();
  if (file.isEmpty() || !files_->open(file)) return false;
  // The place is found again once the layout is there.
  connect(
      canvas_, &GraphCanvas::arranged, this, [canvas = canvas_] { restoreView(*canvas); },
      static_cast<Qt::ConnectionType>(Qt::SingleShotConnection));
  if (!canvas_->layoutPending()) restoreView(*canvas_);
  return true;
}

void SafeKeeping::rememberSession() const {
  sluice::ui::rememberSession(*documents_, *canvas_);
}

}  // namespace sluice::ui
