#pragma once
// Equal regions: those that stand side by side and differ in nothing but their names, as the experts of a
// layer that were written out one by one. On the canvas they can be one box.

#include "widgets/canvas/node_groups.h"

namespace sluice::ui {

/// A group of each two or more that are equal, outer ones first.
QList<NodeGroup> equalRegions(const Document& document);

}  // namespace sluice::ui
