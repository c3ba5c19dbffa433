#pragma once
// TimeController: one moment of the recorded run in every view - the timeline, the occupancy plot, and the
// canvas, where every stream shows its fill level and every node its state. It also attributes lost cycles,
// beside the event loop, and gives the run to other tools.

#include <QObject>
#include <memory>

#include "app/window/shell/background_work.h"
#include "app/window/shell/window_context.h"
#include "engine/explorer/evaluate.h"
#include "widgets/canvas/time_overlay.h"
#include "widgets/timeline/timeline_view.h"

namespace sluice::ui {

class TimeCursor;
class TimelinePanel;

class TimeController : public QObject {
  Q_OBJECT

 public:
  explicit TimeController(const WindowContext& context);

  TimeCursor* cursor() const { return cursor_; }
  TimelinePanel* panel() const { return panel_; }
  /// The run as a file of another tool: .json for Perfetto, .vcd for GTKWave.
  Result<Done> exportRun(const QString& file) const;
  /// Waits for work beside the event loop; for tests.
  bool idle() const { return attributing_ == attributed_; }

 public slots:
  /// The cursor goes there; where the run is not recorded it is first.
  void goTo(qint64 cycle);
  /// Whether runs are recorded in full: only while somebody looks.
  void setWanted(bool wanted);

 signals:
  /// Rows of the timeline were selected: as on the canvas.
  void nodeSelected(const QString& path);
  void streamSelected(const QString& origin);
  /// Somebody wants to see a moment of a run that is not recorded.
  void runNeeded();
  /// Somebody wants exportRun() with a file of their choice.
  void exportRequested();

 private:
  void showSelection();
  void addCommands();
  void showPoint();
  void showTime();
  void attribute();
  void findVictims(int cause, std::size_t most);
  TimeOverlay overlayAt(Cycles cycle) const;

  const WindowContext context_;
  TimeCursor* cursor_;
  TimelinePanel* panel_ = nullptr;
  std::shared_ptr<const PointResult> point_;
  QString node_, stream_;                 ///< selected, as the canvas calls them
  std::pair<QString, QString> selected_;  ///< as the timeline calls them
  std::optional<qint64> wanted_;          ///< the moment to go to once the run is there
  std::uint64_t attributing_ = 0, attributed_ = 0;
  BackgroundWork work_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
