#pragma once
// FileWatch: tells when the open file is changed by somebody else.

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

namespace sluice::ui {

class DocumentController;

class FileWatch : public QObject {
  Q_OBJECT

 public:
  explicit FileWatch(DocumentController* documents, QObject* parent = nullptr);

 signals:
  void changedOnDisk();

 private:
  void follow();
  void look();

  DocumentController* documents_;
  QFileSystemWatcher watcher_;
  QTimer settle_;  ///< editors write in several steps
};

}  // namespace sluice::ui
