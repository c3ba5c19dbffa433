#pragma once
// LayeredLayout: a simple layered layout of our own, for when there is no helper process or it takes too
// long. Deterministic.

#include "widgets/canvas/graph_layout.h"

namespace sluice::ui {

LayoutResult layeredLayout(const LayoutGraph& graph);

class LayeredLayout : public GraphLayout {
  Q_OBJECT

 public:
  using GraphLayout::GraphLayout;
  void start(const LayoutGraph& graph, quint64 generation) override {
    emit finished(generation, layeredLayout(graph));
  }
  void cancel() override {}
};

}  // namespace sluice::ui
