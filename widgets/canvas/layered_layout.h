#pragma once
// LayeredLayout: a simple layered layout of our own, for when there is no helper process or it takes too
// long. Deterministic. What would take longer than a frame is computed beside the event loop.

#include "engine/core/task_lane.h"
#include "widgets/canvas/graph_layout.h"
#include "widgets/canvas/layout_steps.h"

namespace sluice::ui {

/// Where it is unwanted before its end, it is of no use.
LayoutResult layeredLayout(const LayoutGraph& graph, const LayoutSteps& steps = {});
/// Column of each node: right of all that feed it.
std::vector<std::size_t> layoutColumns(const LayoutGraph& graph);
/// Whether layout and rows take no longer than a frame.
bool isQuick(const LayoutGraph& graph);

class LayeredLayout : public GraphLayout {
  Q_OBJECT

 public:
  using GraphLayout::GraphLayout;
  void start(const LayoutGraph& graph, quint64 generation) override;
  void cancel() override { lane_.forget(); }
  double done() const override { return steps_.done ? steps_.done->load() : 0; }

 private:
  LayoutSteps steps_;
  TaskLane lane_;  ///< last: its destructor waits
};

}  // namespace sluice::ui
