#pragma once
// Lays a graph out with Graphviz's dot, left to right.

#include "widgets/canvas/layout_protocol.h"

namespace sluice::ui {

Result<LayoutResult> dotLayout(const LayoutGraph& graph);

}  // namespace sluice::ui
