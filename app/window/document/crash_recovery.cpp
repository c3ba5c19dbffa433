#include "app/window/document/crash_recovery.h"

#include <QEvent>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QMainWindow>
#include <QSettings>
#include <QStandardPaths>

#include "app/window/document/document_controller.h"
#include "app/window/document/file_commands.h"
#include "app/window/document/file_watch.h"
#include "app/window/document/shown_program.h"
#include "app/window/shell/panels.h"
#include "widgets/canvas/graph_canvas.h"
#include "widgets/common/notice_bar.h"

namespace sluice::ui {
namespace {

QString recoveryFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/recovery");
}

/// Beside the settings, as windows share those.
QString sessionFolder() {
  return QFileInfo(QSettings().fileName()).absolutePath() + QStringLiteral("/windows");
}

const auto file_key = QStringLiteral("file");
constexpr int rest = 1000;                           // ms
const auto regions_key = QStringLiteral("regions");  // opened or collapsed, otherwise than in the file

}  // namespace

CrashRecovery::CrashRecovery(const WindowContext& context)
    : QObject(context.window),
      context_(context),
      notices_(new NoticeBar(context.canvas)),
      recovery_(context.documents, recoveryFolder()),
      session_(sessionFolder()),
      watch_(new FileWatch(context.documents, this)) {
  connect(context_.documents, &DocumentController::opened, this, &CrashRecovery::tellOpened);
  connect(watch_, &FileWatch::changedOnDisk, this, &CrashRecovery::tellChanged);
  connect(context_.documents, &DocumentController::titleChanged, this, [this] {
    if (!context_.documents->changedOnDisk()) notices_->drop(QStringLiteral("disk"));
  });
  // From here on it comes back even if its process is killed.
  connect(context_.documents, &DocumentController::opened, this, &CrashRecovery::remember);
  connect(context_.files, &FileCommands::fileUsed, this, &CrashRecovery::remember);
  connect(&session_, &SessionMemory::quitAsked, this, [this] {
    quitting_ = true;
    quitting_ = context_.window->close();
  });
  connect(&recovery_, &Recovery::failed, context_.files, &FileCommands::reported);
  rearranged_.setSingleShot(true);
  rearranged_.setInterval(rest);
  connect(&rearranged_, &QTimer::timeout, this, &CrashRecovery::rememberPanels);
  connect(context_.panels, &Panels::rearranged, &rearranged_, qOverload<>(&QTimer::start));
  context_.window->installEventFilter(this);
}

void CrashRecovery::tellOpened() {
  notices_->drop(QStringLiteral("disk"));
  notices_->drop(QStringLiteral("readOnly"));
  if (!context_.documents->isReadOnly()) return;
  notices_->tell(
      {QStringLiteral("readOnly"),
       tr("%1 may not be written. Save asks for another name.").arg(context_.documents->fileName()),
       {{tr("All Right"), {}}}});
}

void CrashRecovery::tellChanged() {
  const QString file = QString::fromStdString(context_.documents->file().string());
  const QString lost = context_.documents->isModified() ? tr(" Reloading drops your changes.") : QString();
  notices_->tell(
      {QStringLiteral("disk"),
       QFileInfo::exists(file)
           ? tr("%1 was changed by another program.").arg(context_.documents->fileName()) + lost
           : tr("%1 was deleted or moved. Save writes it again.").arg(context_.documents->fileName()),
       {{tr("Reload"), [this, file] { context_.files->open(file); }}, {tr("Keep Mine"), {}}}});
}

void CrashRecovery::offerRecovery() {
  const std::optional<LeftBehind> copy = recovery_.leftBehind();
  if (!copy) return;
  const QString name = QFileInfo(copy->original).fileName();
  notices_->tell({QStringLiteral("recovery"),
                  tr("Unsaved changes of %1 from %2 are still there.")
                      .arg(name, QLocale().toString(copy->when, QLocale::ShortFormat)),
                  {{tr("Recover"),
                    [this, copy = *copy] {
                      if (!context_.files->mayDiscard()) return;
                      const Result<Done> done = recovery_.recover(copy);
                      emit context_.files->reported(done ? Diagnostics{} : done.diagnostics());
                      offerRecovery();
                    }},
                   {tr("Discard"),
                    [this, copy = *copy] {
                      recovery_.discard(copy);
                      offerRecovery();
                    }},
                   {tr("Later"), {}}}});
}

void CrashRecovery::remember() {
  if (!context_.documents->hasFile()) return session_.forget();
  session_.write([this](QSettings& notes) {
    notes.setValue(file_key, QString::fromStdString(context_.documents->file().string()));
    if (context_.window->isVisible()) context_.panels->save(notes);
  });
}

/// While the window lives, so that a crash takes nothing of it.
void CrashRecovery::rememberPanels() {
  if (!context_.window->isVisible()) return;
  QSettings settings;
  context_.panels->save(settings);
  if (context_.documents->hasFile()) remember();
}

bool CrashRecovery::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  if (type == QEvent::Resize || type == QEvent::Move || type == QEvent::WindowStateChange)
    rearranged_.start();
  return QObject::eventFilter(watched, event);
}

void CrashRecovery::windowCloses() {
  QSettings settings;
  context_.panels->save(settings);
  const bool stays = quitting_ || qGuiApp->isSavingSession() || !session_.othersAreOpen();
  if (!context_.documents->hasFile() || !stays) return session_.forget();
  session_.write([this](QSettings& notes) {
    notes.setValue(file_key, QString::fromStdString(context_.documents->file().string()));
    context_.panels->save(notes);
    writeView(notes, *context_.canvas);
    QVariantMap regions;
    for (const auto& [path, collapsed] : context_.shown->collapsed())
      regions[QString::fromStdString(path)] = collapsed;
    notes.setValue(regions_key, regions);
  });
  session_.release();
}

void CrashRecovery::quit() {
  quitting_ = true;
  quitting_ = context_.window->close();
  if (quitting_) session_.askOthersToQuit();
}

void CrashRecovery::leave() {
  recovery_.leave();
  quitting_ = true;
  windowCloses();
}

void CrashRecovery::beginSession() {
  if (!session_.othersAreOpen()) session_.discardLeftBehind();
}

bool CrashRecovery::restoreWindow(const QString& notes) {
  QString file;
  CanvasView view;
  QVariantMap regions;
  const bool taken = session_.take(notes, [&](const QSettings& kept) {
    file = kept.value(file_key).toString();
    view = readView(kept);
    regions = kept.value(regions_key).toMap();
    context_.panels->restore(kept);
  });
  if (!taken || !context_.files->open(file)) return false;
  for (auto region = regions.begin(); region != regions.end(); ++region)
    context_.shown->collapse(region.key().toStdString(), region->toBool());
  // The place is found again once the layout is there.
  connect(
      context_.canvas, &GraphCanvas::arranged, this, [this, view] { restoreView(*context_.canvas, view); },
      static_cast<Qt::ConnectionType>(Qt::SingleShotConnection));
  if (!context_.canvas->layoutPending()) restoreView(*context_.canvas, view);
  return true;
}

QStringList CrashRecovery::restoreSession() {
  QStringList there;
  Diagnostics gone;
  for (const QString& notes : session_.leftBehind()) {
    const QString file = session_.value(notes, file_key);
    if (QFileInfo::exists(file)) {
      there << notes;
    } else {
      session_.take(notes, [](const QSettings&) {});
      gone.push_back(warning("file-not-found", file.toStdString(),
                             "it was open last, and is not there any more",
                             "open it from where it is now, or bring it back"));
    }
  }
  while (!there.isEmpty() && !restoreWindow(there.takeFirst())) {
  }
  if (!gone.empty()) emit context_.files->reported(gone);
  return there;
}

}  // namespace sluice::ui
