#pragma once
// CompareController: pins runs A and B - of the point that shows, of another file, or as something else
// measured it - compares them beside the event loop, and shows the differences in the panel and as colours on
// the canvas.

#include <QObject>
#include <array>
#include <functional>
#include <memory>

#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/explorer/evaluate.h"
#include "widgets/canvas/delta_overlay.h"
#include "widgets/compare/compare_panel.h"

namespace sluice::inline measurements {
struct MeasuredComparison;
}

namespace sluice::ui {

class CompareController : public QObject {
  Q_OBJECT

 public:
  explicit CompareController(const WindowContext& context);

  ComparePanel* panel() const { return panel_; }
  /// The run that shows becomes A (0) or B (1).
  void pin(int run);
  /// The run of a schedule that is not the program's becomes A (0) or B (1); it is of the open program.
  void pinRun(int run, const std::shared_ptr<const Workload>& workload, const KnobValues& knobs,
              const QString& name);
  /// The default point of another file becomes B.
  void pinFile(const QString& file);
  /// What a file measured of the program becomes B, the model's run at that point A. Of a table of runs, the
  /// one at the knobs that show, else the first.
  void openMeasured(const QString& file);
  /// Where the measurement that shows is RTL of the program whose numbers are the model's, the document says
  /// that RTL confirms its point: one step for undo. Else the reason is reported.
  void markConfirmed();
  void flip();
  void clear();
  /// Its differences stand on the canvas while the view is seen.
  void setSeen(bool seen);
  bool idle() const { return work_.idle(); }
  bool hasBoth() const { return runs_[0].point && runs_[1].point; }
  const ComparedRun& run(int number) const { return runs_[static_cast<std::size_t>(number)]; }

 signals:
  void pinned();  ///< the panel has something to show
  void failed(const sluice::Diagnostics& diagnostics);

 private:
  struct Work;
  struct MeasuredWork;
  /// In the order of the panel's bar.
  QList<QAction*> addCommands();
  void evaluateInto(int run, const std::function<Result<Work>()>& make);
  void adopt(int run, std::uint64_t number, const Work& work);
  void adoptMeasured(const MeasuredWork& work);
  void compareRuns();
  void showDeltas();
  DeltaOverlay deltas() const;
  DeltaOverlay errorNotes(const Comparison& comparison) const;
  static Result<Work> recordedRun(const Workload& workload, const KnobValues& knobs, const QString& title);
  void showRuns();

  const WindowContext context_;
  ComparePanel* panel_;
  std::array<ComparedRun, 2> runs_;
  std::array<bool, 2> of_document_{};                   ///< the run was pinned while the open document was
  std::array<Graph, 2> programs_;                       ///< simulated ones, for places
  std::array<std::uint64_t, 2> newest_{};               ///< older answers are dropped
  std::shared_ptr<const MeasuredComparison> measured_;  ///< the one that shows
  std::shared_ptr<const Workload> measured_workload_;
  QString measured_file_;
  std::uint64_t number_ = 0;
  bool seen_ = false;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
