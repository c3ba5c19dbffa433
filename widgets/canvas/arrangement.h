#pragma once
// Arrangement: where boxes and links of a scene model are. Each group (the top, each expanded region) is laid
// out by itself, inner groups first; a frame then is a box of known size in its own group. Positions written
// in the document win over the layout.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "widgets/canvas/layout_protocol.h"
#include "widgets/canvas/scene_model.h"

namespace sluice::ui {

struct SceneRect {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const SceneRect&) const = default;
};

struct Arrangement {
  std::vector<SceneRect> boxes;                      ///< parallel to SceneModel::boxes, in scene coordinates
  std::vector<std::vector<LayoutPoint>> links;       ///< Bezier points, 3k+1 each
  std::vector<LayoutPoint> origins;                  ///< of each group: where Node::at = (0, 0) is
  std::vector<std::vector<double>> inputs, outputs;  ///< y of each box's ports, from its top
};

/// Gives the layout of a graph, or nullptr where there is none yet.
using LayoutLookup = std::function<const LayoutResult*(const LayoutGraph&)>;
/// Positions for nodes without one, by path: what was on the screen before.
using PositionHints = std::map<std::string, Position>;
class HeldPlaces;

/// Complete if every lookup succeeded; else `missing` is the graph to lay out next, behind `arranged` others.
struct ArrangeOutcome {
  Arrangement arrangement;
  bool complete = true;
  std::size_t arranged = 0;
  LayoutGraph missing;
};
/// What is held stays to the point. An open region that changes its size moves of it only what is beside it.
ArrangeOutcome arrange(const SceneModel& model, const LayoutLookup& lookup, const PositionHints& hints = {},
                       const HeldPlaces* held = nullptr);

/// Where a box is, as Node::at says it: in its group's coordinates, with every region of the group collapsed.
/// `all_frames`: as if the frames beside it, too, were going to be written down; else only those count that
/// have a position in the document.
Position writtenPosition(const SceneModel& model, const Arrangement& arrangement, std::size_t box,
                         bool all_frames);

/// Where a scene point is in a group, in the same way.
Position writtenPoint(const SceneModel& model, const Arrangement& arrangement, std::size_t group,
                      LayoutPoint point);

/// The scene point of a link's end.
LayoutPoint linkStart(const SceneModel& model, const Arrangement& arrangement, const SceneLink& link);
LayoutPoint linkEnd(const SceneModel& model, const Arrangement& arrangement, const SceneLink& link);
/// A curve between two ports that knows nothing of what is between them.
std::vector<LayoutPoint> directCurve(LayoutPoint from, LayoutPoint to);

/// Moves a box with all that is in it, and draws the links at it anew. Returns the links whose curve changed.
std::vector<std::size_t> moveBox(const SceneModel& model, Arrangement& arrangement, std::size_t box,
                                 double dx, double dy);

}  // namespace sluice::ui
