#include "app/window/document/recovery.h"

#include <QDateTime>
#include <QDir>
#include <QSettings>
#include <QUuid>

#include "app/window/document/document_controller.h"
#include "engine/program/file_format.h"

namespace sluice::ui {
namespace {

const auto original_key = QStringLiteral("original"), untitled_key = QStringLiteral("untitled");

QString notes(const QString& copy) {
  return copy + QStringLiteral(".ini");
}
QString lockOf(const QString& copy) {
  return copy + QStringLiteral(".lock");
}

/// Before anything is written into it: who may not read the original may not read the copy either. What has
/// no original is for its user alone.
void makeCopy(const QString& copy, const QString& original) {
  constexpr QFileDevice::Permissions own = QFileDevice::ReadOwner | QFileDevice::WriteOwner;
  if (!QFile::exists(copy)) (void)QFile(copy).open(QIODevice::WriteOnly | QIODevice::NewOnly, own);
  const QFileInfo file(original);
  QFile::setPermissions(copy, !original.isEmpty() && file.exists() ? file.permissions() | own : own);
}

}  // namespace

Recovery::Recovery(DocumentController* documents, const QString& folder, QObject* parent)
    : QObject(parent),
      documents_(documents),
      folder_(folder),
      name_(QUuid::createUuid().toString(QUuid::WithoutBraces)) {
  timer_.setSingleShot(true);
  timer_.setInterval(delay);
  latest_.setSingleShot(true);
  latest_.setInterval(longest);
  connect(&timer_, &QTimer::timeout, this, &Recovery::writeNow);
  connect(&latest_, &QTimer::timeout, this, &Recovery::writeNow);
  connect(documents, &DocumentController::changed, this, &Recovery::changed);
  connect(documents, &DocumentController::titleChanged, this, &Recovery::changed);
  connect(documents, &DocumentController::opened, this, &Recovery::forget);
}

Recovery::~Recovery() {
  forget();
}

QString Recovery::copyFile() const {
  return QDir(folder_).filePath(name_ + QStringLiteral(".sluice"));
}

void Recovery::changed() {
  if (!documents_->isModified()) return forget();
  timer_.start();
  if (!latest_.isActive()) latest_.start();
}

void Recovery::writeNow() {
  timer_.stop();
  latest_.stop();
  if (!documents_->isModified()) return;
  QDir().mkpath(folder_);
  if (!lock_) {
    lock_ = std::make_unique<QLockFile>(lockOf(copyFile()));
    lock_->setStaleLockTime(0);  // only the end of its process frees it
    lock_->tryLock();
  }
  const QString original = QString::fromStdString(documents_->file().string());
  QSettings about(notes(copyFile()), QSettings::IniFormat);
  about.setValue(original_key, original);
  about.setValue(untitled_key, !documents_->hasFile());
  about.sync();
  makeCopy(copyFile(), documents_->hasFile() ? original : QString());
  const Result<Done> written = saveDocument(documents_->document(), copyFile().toStdString());
  if (!written) emit failed(written.diagnostics());
}

void Recovery::leave() {
  writeNow();
  documents_->disconnect(this);
  lock_.reset();  // so that forget() knows of no copy
}

void Recovery::forget() {
  timer_.stop();
  latest_.stop();
  if (!lock_) return;
  QFile::remove(copyFile());
  QFile::remove(notes(copyFile()));
  lock_.reset();
}

std::optional<LeftBehind> Recovery::leftBehind() const {
  for (const QFileInfo& found :
       QDir(folder_).entryInfoList({QStringLiteral("*.sluice")}, QDir::Files, QDir::Time)) {
    const QString copy = found.absoluteFilePath();
    if (copy == QFileInfo(copyFile()).absoluteFilePath()) continue;
    QLockFile lock(lockOf(copy));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;  // another window is at work on it
    const QSettings about(notes(copy), QSettings::IniFormat);
    return LeftBehind{copy, about.value(original_key).toString(), found.lastModified(),
                      about.value(untitled_key).toBool()};
  }
  return std::nullopt;
}

Result<Done> Recovery::recover(const LeftBehind& copy) {
  SLUICE_TRY(const Document document, loadDocument(copy.copy.toStdString()));
  const std::filesystem::path original = copy.original.toStdString();
  copy.untitled ? documents_->openUntitled(document, original) : documents_->openAs(document, original);
  writeNow();  // under this window's name, before the old copy goes
  discard(copy);
  return Done{};
}

void Recovery::discard(const LeftBehind& copy) {
  for (const QString& file : {copy.copy, notes(copy.copy), lockOf(copy.copy)}) QFile::remove(file);
}

}  // namespace sluice::ui
