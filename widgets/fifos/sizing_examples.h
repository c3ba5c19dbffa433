#pragma once
// Designs whose FIFOs are worth sizing: StreamTensor's Figure 8(f), the diamond of its slides, two graphs for
// which the published program falls short, and a pipeline that does not drain.

#include <QString>
#include <vector>

#include "engine/tensor/timed_graph.h"

namespace sluice::ui {

struct SizingExample {
  QString name, note;
  TimedGraph graph;
};

std::vector<SizingExample> sizingExamples();

}  // namespace sluice::ui
