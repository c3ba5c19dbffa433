#pragma once
// FigureRun: reproduces one figure at a time, beside the event loop. A cancelled one is over at once for
// its listeners; its thread finishes the design point at hand and its result is dropped.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>

#include "app/window/shell/background_work.h"
#include "engine/figures/figure.h"

namespace sluice::ui {

class FigureRun : public QObject {
  Q_OBJECT

 public:
  explicit FigureRun(QObject* parent = nullptr);

  /// `traces` as in FigureRequest. A run that is under way is cancelled.
  void start(const std::string& figure, const std::filesystem::path& traces);
  void cancel();
  bool running() const { return job_ != nullptr; }

 signals:
  /// `seconds_left` is negative until it can be estimated.
  void progressed(double fraction, double seconds_left);
  void finished(const std::shared_ptr<const sluice::FigureResult>& figure);
  void failed(const sluice::Diagnostics& diagnostics);
  void cancelled();

 private:
  struct Job;
  void adopt(const std::shared_ptr<Job>& job, const Result<FigureResult>& result);
  void tell();

  std::shared_ptr<Job> job_;  ///< the one that is listened to
  QElapsedTimer clock_;
  QTimer poll_;
  BackgroundWork work_;  ///< last: its destructor waits, and nothing above may be gone by then
};

}  // namespace sluice::ui
