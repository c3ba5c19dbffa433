#include "app/window/document/session_memory.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include "widgets/canvas/graph_canvas.h"

namespace sluice::ui {
namespace {

const auto ending = QStringLiteral(".window");

/// Not ".lock": that one QSettings takes itself.
std::unique_ptr<QLockFile> openLock(const QString& file) {
  auto lock = std::make_unique<QLockFile>(file + QStringLiteral(".open"));
  lock->setStaleLockTime(0);  // only the end of its process frees it
  return lock;
}

}  // namespace

SessionMemory::SessionMemory(const QString& folder, QObject* parent)
    : QObject(parent),
      folder_(folder),
      own_(QUuid::createUuid().toString(QUuid::WithoutBraces)),
      heard_(QDateTime::currentDateTime()) {
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &SessionMemory::lookForQuit);
}

QString SessionMemory::fileOf(const QString& notes) const {
  return QDir(folder_).filePath(notes + ending);
}

QString SessionMemory::quitFile() const {
  return QDir(folder_).filePath(QStringLiteral("quit"));
}

void SessionMemory::write(const std::function<void(QSettings&)>& fill) {
  if (!lock_) {
    QDir().mkpath(folder_);
    lock_ = openLock(fileOf(own_));
    lock_->tryLock();
    watcher_.addPath(folder_);
  }
  QSettings notes(fileOf(own_), QSettings::IniFormat);
  notes.clear();
  fill(notes);
}

void SessionMemory::release() {
  lock_.reset();
}

void SessionMemory::forget() {
  QFile::remove(fileOf(own_));
  lock_.reset();
}

QStringList SessionMemory::leftBehind() const {
  QStringList left;
  for (const QFileInfo& found :
       QDir(folder_).entryInfoList({QLatin1Char('*') + ending}, QDir::Files, QDir::Time)) {
    const QString notes = found.completeBaseName();
    if (notes != own_ && openLock(fileOf(notes))->tryLock(0)) left << notes;
  }
  return left;
}

bool SessionMemory::othersAreOpen() const {
  const QStringList all = QDir(folder_).entryList({QLatin1Char('*') + ending}, QDir::Files);
  return all.size() > leftBehind().size() + (QFile::exists(fileOf(own_)) ? 1 : 0);
}

bool SessionMemory::take(const QString& notes, const std::function<void(const QSettings&)>& read) const {
  const std::unique_ptr<QLockFile> lock = openLock(fileOf(notes));
  if (!lock->tryLock(0) || !QFile::exists(fileOf(notes))) return false;
  read(QSettings(fileOf(notes), QSettings::IniFormat));
  QFile::remove(fileOf(notes));
  return true;
}

QString SessionMemory::value(const QString& notes, const QString& key) const {
  return QSettings(fileOf(notes), QSettings::IniFormat).value(key).toString();
}

void SessionMemory::discardLeftBehind() const {
  for (const QString& notes : leftBehind()) take(notes, [](const QSettings&) {});
}

void SessionMemory::askOthersToQuit() {
  QFile::remove(quitFile());  // only a new file is noticed
  QFile file(quitFile());
  if (file.open(QIODevice::WriteOnly)) heard_ = QFileInfo(file).lastModified();
}

void SessionMemory::lookForQuit() {
  const QDateTime asked = QFileInfo(quitFile()).lastModified();
  if (!asked.isValid() || asked <= heard_) return;
  heard_ = asked;
  emit quitAsked();
}

void writeView(QSettings& notes, const GraphCanvas& canvas) {
  const QPointF middle =
      canvas.viewportTransform().inverted().map(QRectF(canvas.viewport()->rect()).center());
  notes.setValue(QStringLiteral("zoom"), canvas.zoom());
  notes.setValue(QStringLiteral("middle"), middle);
  notes.setValue(QStringLiteral("nodes"), canvas.selectedNodes());
  notes.setValue(QStringLiteral("stream"), canvas.selectedStream());
}

CanvasView readView(const QSettings& notes) {
  return {notes.value(QStringLiteral("zoom")).toDouble(), notes.value(QStringLiteral("middle")).toPointF(),
          notes.value(QStringLiteral("nodes")).toStringList(),
          notes.value(QStringLiteral("stream")).toString()};
}

void restoreView(GraphCanvas& canvas, const CanvasView& view) {
  if (view.zoom > 0) {
    canvas.setZoom(view.zoom);
    canvas.centerOn(view.middle);
  }
  if (!view.stream.isEmpty()) {
    canvas.selectStream(view.stream);
    if (!canvas.selectedStream().isEmpty()) emit canvas.streamSelected(view.stream);
  } else if (!view.nodes.isEmpty()) {
    canvas.selectNodes(view.nodes);
    if (!canvas.selectedNode().isEmpty()) emit canvas.nodeSelected(canvas.selectedNode());
  }
}

}  // namespace sluice::ui
