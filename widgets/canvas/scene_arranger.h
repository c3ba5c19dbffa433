#pragma once
// SceneArranger: gets a scene model arranged. It asks a GraphLayout for one group after another and remembers
// the answers, so what has been laid out once (a region toggled back, an edit undone) is there at once. What
// takes longer than a frame happens beside the event loop.

#include <QObject>
#include <QTimer>
#include <list>
#include <memory>
#include <optional>

#include "engine/core/task_lane.h"
#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/graph_layout.h"
#include "widgets/canvas/held_places.h"
#include "widgets/canvas/row_layout.h"

namespace sluice::ui {

class SceneArranger : public QObject {
  Q_OBJECT

 public:
  explicit SceneArranger(std::unique_ptr<GraphLayout> layout, QObject* parent = nullptr);

  /// The final arrangement, if every layout it needs is known.
  std::optional<Arrangement> ready(const SceneModel& model, const HeldPlaces& held);
  /// Something to look at meanwhile: old positions where there are some, the layered layout for the rest, or
  /// a rough one where that would take long.
  Arrangement provisional(const SceneModel& model, const PositionHints& hints, const HeldPlaces& held);
  /// As it is read in another room, at once: with the layouts that are known, and layered ones for the rest.
  /// Nothing where that would take longer than a frame.
  std::optional<Arrangement> inRoom(const SceneModel& model, LayoutRoom room) const;
  /// done() follows; a newer start() drops the older one.
  void start(SceneModel model, const HeldPlaces& held);
  void cancel();
  /// What the layouts that follow are to be read in.
  void setRoom(LayoutRoom room) { room_ = room; }
  bool pending() const { return pending_; }

 signals:
  void done();
  /// From time to time while it goes on; 1: it does not any more.
  void progressed(double share);

 private:
  static constexpr std::size_t remembered = 48;

  /// What a helper has answered, and how that stands in the room.
  struct Known {
    LayoutGraph graph;
    LayoutResult layout;
    LayoutRoom room;
    LayoutResult rows;
    bool quick = true;
  };

  Known* known(const LayoutGraph& graph);
  const LayoutResult* find(const LayoutGraph& graph);
  void step();
  void take(quint64 generation, const LayoutResult& result);
  void breakIntoRows(Known entry);
  void remember(Known entry);
  void tellProgress();
  void setPending(bool pending);

  std::unique_ptr<GraphLayout> layout_;
  std::list<Known> known_;  ///< most recently used first
  LayoutRoom room_;
  SceneModel model_;
  HeldPlaces held_;
  LayoutGraph asked_;
  quint64 generation_ = 0;
  bool pending_ = false;
  double before_ = 0, part_ = 1;  ///< what of the whole is done, and what share of it the graph at work is
  LayoutSteps steps_;             ///< of the rows, where they are being made
  QTimer ticks_;
  TaskLane lane_;  ///< makes rows; last: its destructor waits
};

}  // namespace sluice::ui
