#pragma once
// SafeKeeping: nothing is lost. Joins recovery, the watch over the file and the memory of the session with
// the window, and tells what happened in a bar, never in a box.

#include <QObject>

#include "app/window/recovery.h"

namespace sluice::ui {

class DocumentController;
class FileCommands;
class FileWatch;
class GraphCanvas;
class NoticeBar;

class SafeKeeping : public QObject {
  Q_OBJECT

 public:
  SafeKeeping(DocumentController* documents, FileCommands* files, GraphCanvas* canvas, QObject* parent);

  /// Offers what another window left behind.
  void offerRecovery();
  /// Opens what was open last.
  bool restoreSession();
  void rememberSession() const;
  NoticeBar* notices() const { return notices_; }
  Recovery* recovery() { return &recovery_; }

 private:
  void tellOpened();
  void tellChanged();

  DocumentController* documents_;
  FileCommands* files_;
  GraphCanvas* canvas_;
  NoticeBar* notices_;
  Recovery recovery_;
  FileWatch* watch_;
};

}  // namespace sluice::ui
