#pragma once
// DesignsController: finds schedules for the program that is open (engine/designer), beside the event loop,
// and brings what is found to its panel as it comes. What is stopped keeps what was found.

#include <QObject>
#include <QTimer>
#include <memory>

#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/designer/designer.h"

namespace sluice::ui {

class DesignsPanel;

class DesignsController : public QObject {
  Q_OBJECT

 public:
  explicit DesignsController(const WindowContext& context);

  DesignsPanel* panel() const { return panel_; }
  bool running() const { return running_; }
  /// Of the newest search that ended; null before.
  const std::shared_ptr<const DesignResult>& result() const { return result_; }

  void openDialog();
  /// `from_plain`: without the steps that the program has.
  void find(const DesignRequest& request, bool from_plain);
  void cancel();

 signals:
  void started();
  /// `seconds_left`: -1 while nobody can tell.
  void progressed(const QString& what, double share, double seconds_left);
  void ended(const QString& what);
  /// What the user should know of the result, or why there is none.
  void remarked(const sluice::Diagnostics& remarks);

 private:
  struct Live;
  void showLive();
  void finish(const Result<DesignResult>& result);
  void take(std::size_t design);
  void watch();
  void forget();

  const WindowContext context_;
  DesignsPanel* panel_;
  DesignRequest request_;
  std::shared_ptr<const Workload> searched_;  ///< with the schedule that the search began with
  std::shared_ptr<Live> live_;
  std::shared_ptr<const DesignResult> result_;
  bool running_ = false, stopping_ = false;
  QTimer timer_;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
