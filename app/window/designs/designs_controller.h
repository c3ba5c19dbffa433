#pragma once
// DesignsController: finds schedules for the program that is open (engine/designer), beside the event loop,
// and brings what is found to its panel as it comes. What is stopped keeps what was found. Of a design that
// is chosen it has the engine prove that it computes the same, and explain it.

#include <QObject>
#include <QTimer>
#include <map>
#include <memory>

#include "app/window/designs/design_search.h"
#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/designer/design_report.h"

namespace sluice::ui {

class DesignsPanel;

class DesignsController : public QObject {
  Q_OBJECT

 public:
  explicit DesignsController(const WindowContext& context);

  DesignsPanel* panel() const { return panel_; }
  bool running() const { return running_; }
  /// Nothing is computed, neither a search nor a proof.
  bool idle() const { return !running_ && proofs_.idle(); }
  /// Of the newest search that ended; null before.
  const std::shared_ptr<const DesignResult>& result() const { return result_; }
  const DesignRequest& request() const { return search_.request; }

  void openDialog();
  void find(const DesignSearch& search);
  /// The search; without one the proof that is under way.
  void cancel();
  /// Proves anew that the chosen design computes the same, unless that is known.
  void prove();

 signals:
  void started();
  /// `seconds_left`: -1 until it can be estimated.
  void progressed(const QString& what, double share, double seconds_left);
  void ended(const QString& what);
  /// What the user should know of the result, or why there is none.
  void remarked(const sluice::Diagnostics& remarks);
  /// A design is the program's schedule now; `what` also names knobs that have other defaults.
  void tookDesign(const QString& what);
  /// The run of a design is to be compared, as A (0) or B (1).
  void pinRequested(int run, const std::shared_ptr<const sluice::Workload>& design,
                    const sluice::KnobValues& knobs, const QString& name);

 private:
  struct Live;
  void showLive();
  void finish(const Result<DesignResult>& result);
  void keepStore();
  void take(std::size_t design);
  void pin(std::size_t design, int run);
  void stopProof();
  void tellProof(std::size_t design, std::vector<DesignReport> reports);
  void watch();
  void forget();
  void forgetResult();

  const WindowContext context_;
  DesignsPanel* panel_;
  DesignSearch search_;
  std::shared_ptr<const Workload> searched_;  ///< with the schedule that the search began with
  KnobValues knobs_;                          ///< likewise
  std::shared_ptr<Live> live_;
  std::shared_ptr<const DesignResult> result_;
  bool running_ = false, stopping_ = false;
  QTimer timer_;
  std::map<std::size_t, DesignReport> reports_;  ///< of designs of the result
  std::optional<std::size_t> proving_;           ///< the design whose proof is under way, or was stopped
  BackgroundWork work_, proofs_;                 ///< last: their destructors wait
};

}  // namespace sluice::ui
