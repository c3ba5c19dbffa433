#pragma once
// A place for every box that takes no time to find: what is shown of a large graph until its layout is there.

#include "widgets/canvas/row_layout.h"

namespace sluice::ui {

/// The boxes from left to right as the streams flow, in lines, as words are.
LayoutResult roughLayout(const LayoutGraph& graph, LayoutRoom room);

}  // namespace sluice::ui
