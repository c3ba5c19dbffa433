#include "widgets/canvas/canvas_link.h"

#include <algorithm>
#include <cmath>

namespace sluice::ui {
namespace {

/// One side of a port: the graph in which it is a source or a destination, and its name there.
struct End {
  std::size_t group = nowhere;
  std::string name;
};

const ScenePort& portOf(const SceneModel& model, const PortHit& hit) {
  const SceneBox& box = model.boxes[hit.box];
  return (hit.output ? box.outputs : box.inputs)[hit.port];
}

std::optional<End> endOf(const SceneModel& model, const PortHit& hit, bool source) {
  const SceneBox& box = model.boxes[hit.box];
  const std::string& port = portOf(model, hit).name;
  if (hit.output == source) return End{box.group, box.name + "." + port};
  if (box.inside == nowhere) return std::nullopt;
  return End{box.inside, "region." + port};
}

bool contains(const SceneRect& rect, LayoutPoint point) {
  return point.x >= rect.x && point.x <= rect.x + rect.width && point.y >= rect.y &&
         point.y <= rect.y + rect.height;
}

/// Remembers the nearest of the offered lines.
class Nearest {
 public:
  explicit Nearest(double reach) : reach_(reach) {}
  void offer(double own, double line, const Guide& guide) {
    if (std::abs(line - own) > reach_ || (found_ && std::abs(line - own) >= std::abs(by_))) return;
    by_ = line - own;
    guide_ = guide;
    found_ = true;
  }
  void giveTo(double& by, std::vector<Guide>& guides) const {
    if (!found_) return;
    by = by_;
    guides.push_back(guide_);
  }

 private:
  double reach_, by_ = 0;
  Guide guide_;
  bool found_ = false;
};

}  // namespace

std::optional<PortHit> portAt(const SceneModel& model, const Arrangement& arrangement, LayoutPoint point,
                              double reach) {
  std::optional<PortHit> nearest;
  double best = reach;
  for (std::size_t box = 0; box < model.boxes.size(); ++box) {
    const SceneRect& rect = arrangement.boxes[box];
    if (!contains({rect.x - reach, rect.y - reach, rect.width + 2 * reach, rect.height + 2 * reach}, point))
      continue;
    for (const bool output : {false, true}) {
      const std::size_t count = (output ? model.boxes[box].outputs : model.boxes[box].inputs).size();
      for (std::size_t port = 0; port < count; ++port) {
        const LayoutPoint at = portPoint(model, arrangement, {box, port, output});
        const double far = std::hypot(at.x - point.x, at.y - point.y);
        if (far > best) continue;
        best = far;
        nearest = PortHit{box, port, output};
      }
    }
  }
  return nearest;
}

LayoutPoint portPoint(const SceneModel&, const Arrangement& arrangement, const PortHit& port) {
  const SceneRect& rect = arrangement.boxes[port.box];
  if (port.output) return {rect.x + rect.width, rect.y + arrangement.outputs[port.box][port.port]};
  return {rect.x, rect.y + arrangement.inputs[port.box][port.port]};
}

std::optional<LinkWish> linkBetween(const SceneModel& model, const PortHit& a, const PortHit& b) {
  if (a == b) return std::nullopt;
  for (const auto& [source, target] : {std::pair(a, b), std::pair(b, a)}) {
    const std::optional<End> from = endOf(model, source, true), to = endOf(model, target, false);
    if (from && to && from->group == to->group)
      return LinkWish{model.groups[from->group].path, from->name, to->name};
  }
  return std::nullopt;
}

std::size_t groupAt(const SceneModel& model, const Arrangement& arrangement, LayoutPoint point) {
  std::size_t group = 0;
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const std::size_t box : model.groups[group].boxes) {
      if (model.boxes[box].inside == nowhere || !contains(arrangement.boxes[box], point)) continue;
      group = model.boxes[box].inside;
      deeper = true;
      break;
    }
  }
  return group;
}

Snapped snapToNeighbours(const SceneModel& model, const Arrangement& arrangement, std::size_t box,
                         double reach) {
  const SceneRect& own = arrangement.boxes[box];
  const SceneGroup& group = model.groups[model.boxes[box].group];
  Nearest across(reach), down(reach);
  for (const std::size_t other : group.boxes) {
    if (other == box) continue;
    const SceneRect& rect = arrangement.boxes[other];
    for (const double share : {0.0, 0.5, 1.0}) {
      const double x = rect.x + share * rect.width, y = rect.y + share * rect.height;
      across.offer(own.x + share * own.width, x,
                   {true, x, std::min(own.y, rect.y), std::max(own.y + own.height, rect.y + rect.height)});
      down.offer(own.y + share * own.height, y,
                 {false, y, std::min(own.x, rect.x), std::max(own.x + own.width, rect.x + rect.width)});
    }
  }
  for (const std::size_t id : group.links) {  // a straight stream
    const SceneLink& link = model.links[id];
    if ((link.from.box == box) == (link.to.box == box)) continue;
    const LayoutPoint start = linkStart(model, arrangement, link), end = linkEnd(model, arrangement, link);
    const bool from = link.from.box == box;
    down.offer(from ? start.y : end.y, from ? end.y : start.y,
               {false, from ? end.y : start.y, std::min(start.x, end.x), std::max(start.x, end.x)});
  }
  Snapped result;
  across.giveTo(result.by.x, result.guides);
  down.giveTo(result.by.y, result.guides);
  return result;
}

}  // namespace sluice::ui
