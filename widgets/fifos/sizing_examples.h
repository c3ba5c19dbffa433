#pragma once
// Designs whose FIFOs are worth sizing: StreamTensor's Figure 8(f), the diamond of its slides, two graphs for
// which the published program falls short, and a pipeline that does not drain.

#include <QString>
#include <optional>
#include <vector>

#include "engine/tensor/sizing/fifo_sizing.h"

namespace sluice::ui {

struct SizingExample {
  QString name, note;
  TimedGraph graph;
  std::optional<SizingOptions> options = {};  ///< what it is sized with at first; none: as the page stands
};

std::vector<SizingExample> sizingExamples();

}  // namespace sluice::ui
