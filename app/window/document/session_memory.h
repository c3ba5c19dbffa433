#pragma once
// SessionMemory: which windows are open, each with notes of its own, from one start to the next. Windows are
// processes: they know of each other by files in one folder, which a lock belongs to as long as its window
// lives. Notes without a window are those of the last session, or of a window that crashed.

#include <QDateTime>
#include <QFileSystemWatcher>
#include <QLockFile>
#include <QObject>
#include <QPointF>
#include <QSettings>
#include <QStringList>
#include <functional>
#include <memory>

namespace sluice::ui {

class GraphCanvas;

class SessionMemory : public QObject {
  Q_OBJECT

 public:
  /// `folder`: where the notes are kept; the same for all windows.
  explicit SessionMemory(const QString& folder, QObject* parent = nullptr);

  /// From now on others see this window; its notes are what `fill` writes.
  void write(const std::function<void(QSettings&)>& fill);
  /// The notes stay for the next session, but no window has them any more.
  void release();
  void forget();
  bool othersAreOpen() const;

  /// Of windows that are no more, the last one first.
  QStringList leftBehind() const;
  /// Hands notes to one window: false if another was faster.
  bool take(const QString& notes, const std::function<void(const QSettings&)>& read) const;
  void discardLeftBehind() const;
  QString value(const QString& notes, const QString& key) const;

  /// Every other window hears quitAsked().
  void askOthersToQuit();

 signals:
  void quitAsked();

 private:
  QString fileOf(const QString& notes) const;
  QString quitFile() const;
  void lookForQuit();

  const QString folder_, own_;
  std::unique_ptr<QLockFile> lock_;  ///< while this window has notes
  QFileSystemWatcher watcher_;
  QDateTime heard_;  ///< when others were asked to quit last
};

/// Where one looks on the canvas, and what is selected.
struct CanvasView {
  double zoom = 0;
  QPointF middle;
  QStringList nodes;
  QString stream;
};
void writeView(QSettings& notes, const GraphCanvas& canvas);
CanvasView readView(const QSettings& notes);
/// After the file has been opened and laid out.
void restoreView(GraphCanvas& canvas, const CanvasView& view);

}  // namespace sluice::ui
