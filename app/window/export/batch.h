#pragma once
// Batch: drives the window without a user - explore, then write charts or a picture, then quit.

#include <QObject>
#include <QPixmap>
#include <QStringList>

#include "engine/core/result.h"

namespace sluice::ui {

class MainWindow;
struct View;

struct BatchJob {
  QString screenshot;  ///< a PNG of the whole window, or empty
  QString charts;      ///< a folder for views as PDF and CSV, or empty
  QStringList views;   ///< which; none: the Pareto plot and the FIFO occupancy
  QString select;      ///< a node or stream, or empty
};

class Batch : public QObject {
  Q_OBJECT

 public:
  Batch(MainWindow* window, BatchJob job);

 private:
  void explored();
  void next();
  void finish();
  void whenIdle(void (Batch::*then)());
  const View* viewOf(const QString& id) const;
  bool write(const View& view) const;
  Result<Done> writeScreenshot() const;

  MainWindow* window_;
  BatchJob job_;
  const View* writing_ = nullptr;  ///< in front, so that it shows what it has
};

/// Whether something that the window is to show is still being computed.
bool isBusy(MainWindow& window);
/// Waits until nothing is computed any more, and the last layout and plots are painted. False: that takes
/// more than three minutes.
bool comesToRest(MainWindow& window);

/// As PNG.
Result<Done> savePicture(const QPixmap& pixels, const QString& file);

/// Says on stderr what stands in the diagnostics list; the exit code of a run that could not start.
int reportAndFail(const MainWindow& window);

}  // namespace sluice::ui
