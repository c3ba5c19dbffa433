#pragma once
// A layered layout from left to right, broken into rows as a text is into lines, where the whole could not be
// read in a view otherwise. A link that goes on in the next row leaves at the right end of its row, passes
// below it, and comes in from the left. Deterministic.

#include "widgets/canvas/layout_protocol.h"
#include "widgets/canvas/layout_steps.h"

namespace sluice::ui {

/// The size of a view, in pixels; none: nothing has to fit anywhere.
struct LayoutRoom {
  double width = 0, height = 0;
  double worth = 1;      ///< by how much larger a further row must show it
  std::size_t rows = 8;  ///< no more than so many
  bool operator==(const LayoutRoom&) const = default;
};

/// In as few rows as it takes to be read in the room, or in those that show it largest; as it is where rows
/// gain little. As far as it has come where it is unwanted before its end.
LayoutResult inRows(const LayoutGraph& graph, const LayoutResult& layout, LayoutRoom room,
                    const LayoutSteps& steps = {});

}  // namespace sluice::ui
