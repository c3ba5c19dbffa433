#pragma once
// CrashRecovery: nothing is lost. Joins recovery, the watch over the file and the memory of the session with
// the window, and tells what happened in a bar, never in a box.

#include <QObject>
#include <QTimer>

#include "app/window/document/recovery.h"
#include "app/window/document/session_memory.h"
#include "app/window/shell/window_context.h"

namespace sluice::ui {

class FileWatch;
class NoticeBar;

class CrashRecovery : public QObject {
  Q_OBJECT

 public:
  explicit CrashRecovery(const WindowContext& context);

  /// Offers what another window left behind.
  void offerRecovery();
  /// Brings the last window of the last session back in this one; returns the notes of the others, which
  /// are for a window each. What is not there any more stands in the diagnostics.
  QStringList restoreSession();
  /// One of those.
  bool restoreWindow(const QString& notes);
  /// A file was asked for: unless there are other windows, a new session begins.
  void beginSession();
  /// The window stays in the session if all are closed or it is the last one.
  void windowCloses();
  /// Closes every window, unless a user says no.
  void quit();
  /// The process is about to end from outside: as quit(), but the user cannot be asked. What is not saved is
  /// offered at the next start.
  void leave();
  NoticeBar* notices() const { return notices_; }
  Recovery* recovery() { return &recovery_; }

 private:
  void tellOpened();
  void tellChanged();
  void remember();
  void rememberPanels();
  bool eventFilter(QObject* watched, QEvent* event) override;

  const WindowContext context_;
  NoticeBar* notices_;
  Recovery recovery_;
  SessionMemory session_;
  bool quitting_ = false;
  FileWatch* watch_;
  QTimer rearranged_;  ///< panels are kept when they have come to rest
};

}  // namespace sluice::ui
