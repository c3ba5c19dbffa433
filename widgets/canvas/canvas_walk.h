#pragma once
// Walking the graph by keyboard: from box to link to box along the streams, up and down among neighbours.

#include "widgets/canvas/arrangement.h"

namespace sluice::ui {

/// A box or a link, or neither.
struct Place {
  std::size_t box = nowhere, link = nowhere;
  bool operator==(const Place&) const = default;
};

enum class Step { Left, Right, Up, Down };

/// Where a step leads; the same place if there is nothing there. From nowhere it leads to the first box.
Place walk(const SceneModel& model, const Arrangement& arrangement, Place from, Step step);

}  // namespace sluice::ui
