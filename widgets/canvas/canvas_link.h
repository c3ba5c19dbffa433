#pragma once
// Drawing a stream by hand: which port is at a point, and what stream two ports make; and the lines that a
// dragged box snaps to.

#include <optional>
#include <string>
#include <vector>

#include "widgets/canvas/arrangement.h"

namespace sluice::ui {

/// A port of a box: on its left side (an input) or its right side.
struct PortHit {
  std::size_t box = nowhere, port = 0;
  bool output = false;
  bool operator==(const PortHit&) const = default;
};

/// The stream that the user wants: its graph's path, and its ends as a document writes them.
struct LinkWish {
  std::string graph, from, to;
  bool operator==(const LinkWish&) const = default;
};

/// The nearest port not further than `reach` away, if any.
std::optional<PortHit> portAt(const SceneModel& model, const Arrangement& arrangement, LayoutPoint point,
                              double reach);
LayoutPoint portPoint(const SceneModel& model, const Arrangement& arrangement, const PortHit& port);
/// An output and an input of one graph make a stream; a frame's ports serve the graph inside it, too, the
/// other way round. Either order will do.
std::optional<LinkWish> linkBetween(const SceneModel& model, const PortHit& a, const PortHit& b);
/// The innermost group at a point: the program, or the inside of an expanded region.
std::size_t groupAt(const SceneModel& model, const Arrangement& arrangement, LayoutPoint point);

/// A line that a dragged box has come to stand on.
struct Guide {
  bool vertical = false;
  double at = 0, from = 0, to = 0;
};
struct Snapped {
  LayoutPoint by;  ///< how far the box is to move to stand on the lines
  std::vector<Guide> guides;
};
/// Edges and middles of the other boxes of its group, and ports at the other end of its streams, within
/// `reach`.
Snapped snapToNeighbours(const SceneModel& model, const Arrangement& arrangement, std::size_t box,
                         double reach);

}  // namespace sluice::ui
