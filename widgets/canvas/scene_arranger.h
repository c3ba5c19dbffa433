#pragma once
// SceneArranger: gets a scene model arranged. It asks a GraphLayout for one group after another and remembers
// the answers, so what has been laid out once (a region toggled back, an edit undone) is there at once.

#include <QObject>
#include <list>
#include <memory>
#include <optional>

#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/graph_layout.h"
#include "widgets/canvas/row_layout.h"

namespace sluice::ui {

class SceneArranger : public QObject {
  Q_OBJECT

 public:
  explicit SceneArranger(std::unique_ptr<GraphLayout> layout, QObject* parent = nullptr);

  /// The final arrangement, if every layout it needs is known.
  std::optional<Arrangement> ready(const SceneModel& model);
  /// Something to look at meanwhile: old positions where there are some, the layered layout for the rest.
  Arrangement provisional(const SceneModel& model, const PositionHints& hints);
  /// done() follows; a newer start() drops the older one.
  void start(SceneModel model);
  void cancel();
  /// What the layouts that follow are to be read in.
  void setRoom(LayoutRoom room) { room_ = room; }
  bool pending() const { return pending_; }

 signals:
  void done();

 private:
  static constexpr std::size_t remembered = 48;

  /// What a helper has answered, and how that stands in the room.
  struct Known {
    LayoutGraph graph;
    LayoutResult layout;
    LayoutRoom room;
    LayoutResult rows;
  };

  const LayoutResult* find(const LayoutGraph& graph);
  void step();
  void take(quint64 generation, const LayoutResult& result);

  std::unique_ptr<GraphLayout> layout_;
  std::list<Known> known_;  ///< most recently used first
  LayoutRoom room_;
  SceneModel model_;
  LayoutGraph asked_;
  quint64 generation_ = 0;
  bool pending_ = false;
};

}  // namespace sluice::ui
