#pragma once
// Recovery: what is not saved yet is written aside a moment after each change, so that a crash costs seconds.
// A window that ends properly takes its copy away; what is found at the start belongs to one that did not.

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <memory>

#include "engine/core/result.h"
#include "engine/program/document.h"

namespace sluice::ui {

class DocumentController;

/// A copy that was left behind.
struct LeftBehind {
  QString copy;      ///< the copy itself
  QString original;  ///< the file that was edited
  QDateTime when;
  bool untitled = false;  ///< `original` is only where it would have been saved
};

class Recovery : public QObject {
  Q_OBJECT

 public:
  static constexpr int delay = 1500;     ///< ms after the last change
  static constexpr int longest = 10000;  ///< ms that changes may go on without a copy

  /// `folder`: where copies are kept.
  Recovery(DocumentController* documents, const QString& folder, QObject* parent = nullptr);
  ~Recovery() override;

  /// The newest copy that no running window owns.
  std::optional<LeftBehind> leftBehind() const;
  /// Opens it in place of its file, as a change that is not saved.
  Result<Done> recover(const LeftBehind& copy);
  void discard(const LeftBehind& copy);
  /// The copy is up to date now.
  void writeNow();
  /// The process ends without a word from the user: the copy is up to date, stays, and has no owner.
  void leave();

 signals:
  void failed(const sluice::Diagnostics& why);

 private:
  void changed();
  void forget();
  QString copyFile() const;

  DocumentController* documents_;
  const QString folder_, name_;
  std::unique_ptr<QLockFile> lock_;  ///< while this window lives
  QTimer timer_;
  QTimer latest_;
};

}  // namespace sluice::ui
