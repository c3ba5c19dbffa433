#pragma once
// Batch: drives the window without a user - explore, then write charts or a picture, then quit.

#include <QObject>
#include <QStringList>

#include "engine/core/result.h"

namespace sluice::ui {

class MainWindow;

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
  void finish();
  bool writeCharts() const;
  bool writeView(const QString& view) const;
  Result<Done> writeScreenshot() const;

  MainWindow* window_;
  BatchJob job_;
};

/// Says on stderr what stands in the diagnostics list; the exit code of a run that could not start.
int reportAndFail(const MainWindow& window);

}  // namespace sluice::ui
