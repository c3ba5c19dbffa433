#pragma once
// SceneArranger: gets a scene model arranged. It asks a GraphLayout for one group after another and remembers
// the answers, so what has been laid out once (a region toggled back, an edit undone) is there at once.

#include <QObject>
#include <list>
#include <memory>
#include <optional>
#include <utility>

#include "widgets/canvas/arrangement.h"
#include "widgets/canvas/graph_layout.h"

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
  bool pending() const { return pending_; }

 signals:
  void done();

 private:
  static constexpr std::size_t remembered = 48;

  const LayoutResult* find(const LayoutGraph& graph);
  void step();
  void take(quint64 generation, const LayoutResult& result);

  std::unique_ptr<GraphLayout> layout_;
  std::list<std::pair<LayoutGraph, LayoutResult>> known_;  ///< most recently used first
  SceneModel model_;
  LayoutGraph asked_;
  quint64 generation_ = 0;
  bool pending_ = false;
};

}  // namespace sluice::ui
