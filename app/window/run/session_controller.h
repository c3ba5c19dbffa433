#pragma once
// SessionController: the window's side of the engine. It owns the session, loads inputs beside the event
// loop, asks for what the window wants to see, and turns the session's events into signals. Nothing here
// blocks; an older answer never follows a newer one.

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/window/shell/background_work.h"
#include "engine/distributions/sample_table.h"
#include "engine/explorer/session.h"
#include "engine/explorer/workload_set.h"

namespace sluice::ui {

class SessionController : public QObject {
  Q_OBJECT

 public:
  /// `threads` of an exploration; 0 = one per core.
  explicit SessionController(unsigned threads = 0, QObject* parent = nullptr);

  /// The design point to show. The document is checked and its inputs are loaded in the background; a point
  /// follows.
  void setDocument(const Document& document, const std::filesystem::path& folder, const KnobValues& knobs);
  /// Only the knobs moved: the answer comes as soon as the engine has it.
  void setKnobs(const KnobValues& knobs);
  /// Whether what every operator does at every cycle is recorded too; if not done yet, the point follows.
  void setRecordTimeline(bool record);
  /// Searches the design space; without a request, evaluates the whole of it.
  void explore(const std::optional<SearchRequest>& search = {});
  void cancel();
  void close();  ///< no document any more

  /// What the newest answer was computed from; null while it cannot be had.
  const std::shared_ptr<const Workload>& workload() const { return workload_; }
  /// The traces of its inputs, where some are sets; null where none is.
  std::shared_ptr<const WorkloadSet> traces();
  /// What the newest exploration over them has evaluated so far; null without one.
  const std::shared_ptr<const SampleTable>& samples() const { return samples_; }
  const KnobValues& knobs() const { return knobs_; }
  /// What the newest exploration searches for; nothing: every combination of the knobs.
  const std::optional<SearchRequest>& search() const { return search_; }
  bool exploring() const { return exploring_.has_value(); }
  /// Everything asked for has been answered.
  bool idle() const;

 signals:
  /// What check() says about the document, or why its inputs cannot be had.
  void documentChecked(const sluice::Diagnostics& diagnostics);
  /// A new point is being computed; what is shown belongs to older knobs now.
  void pointStarted();
  void symbolicReady(const std::shared_ptr<const sluice::SymbolicResult>& result);
  void pointProgress(const sluice::PointProgress& progress);
  void pointReady(const std::shared_ptr<const sluice::PointResult>& result);
  void pointFailed(const sluice::Diagnostics& diagnostics);
  void exploreStarted();
  void pointsExplored(const std::vector<sluice::DesignPoint>& points,
                      const sluice::ExploreProgress& progress);
  /// Of an exploration over traces: how many runs of points under a trace there were, and are to be at most.
  void runsExplored(const sluice::ExploreProgress& runs);
  void exploreReady(const std::shared_ptr<const sluice::Exploration>& result);
  void exploreFailed(const sluice::Diagnostics& diagnostics);
  void cancelled();

 private:
  struct Prepared;
  void adopt(const Prepared& prepared);
  void submitPoint();
  void submitExplore();
  std::function<void(std::uint64_t, std::uint64_t)> tellingRuns();
  void onArrival();
  void drain();
  void handle(const SymbolicReady& event);
  void handle(const PointReady& event);
  void handle(const PointFailed& event);
  void handle(const PointProgress& event);
  void handle(const ExplorePoints& event);
  void handle(const ExploreReady& event);
  void handle(const ExploreFailed& event);

  Session session_;
  std::shared_ptr<const Workload> workload_;  ///< null while it is being prepared or cannot be had
  std::shared_ptr<const WorkloadSet> traces_;
  std::shared_ptr<const SampleTable> samples_;
  std::filesystem::path folder_;
  KnobValues knobs_;
  RecordMode mode_ = RecordMode::Record;
  bool preparing_ = false, submit_when_prepared_ = false, explore_when_prepared_ = false;
  std::optional<SearchRequest> search_;
  std::optional<Generation> pointing_, exploring_;
  QTimer submit_timer_, drain_timer_;
  BackgroundWork preparer_;  ///< last: its destructor waits, and nothing above may be gone by then
};

}  // namespace sluice::ui
