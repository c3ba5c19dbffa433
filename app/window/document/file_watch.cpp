#include "app/window/document/file_watch.h"

#include <QFile>

#include "app/window/document/document_controller.h"

namespace sluice::ui {
namespace {

constexpr int settle_time = 150;  // ms

}  // namespace

FileWatch::FileWatch(DocumentController* documents, QObject* parent)
    : QObject(parent), documents_(documents) {
  settle_.setSingleShot(true);
  settle_.setInterval(settle_time);
  connect(documents, &DocumentController::opened, this, &FileWatch::follow);
  connect(documents, &DocumentController::titleChanged, this, &FileWatch::follow);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
  connect(&settle_, &QTimer::timeout, this, &FileWatch::look);
}

/// A file that is replaced, as a save does, is watched no more: it is looked for again.
void FileWatch::follow() {
  const QString file = QString::fromStdString(documents_->file().string());
  QStringList old = watcher_.files();
  old.removeAll(file);
  if (!old.isEmpty()) watcher_.removePaths(old);
  if (!documents_->hasFile()) return;
  if (!watcher_.files().contains(file) && QFile::exists(file)) watcher_.addPath(file);
}

void FileWatch::look() {
  follow();
  if (documents_->changedOnDisk()) emit changedOnDisk();
}

}  // namespace sluice::ui
