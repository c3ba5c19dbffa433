#include "widgets/canvas/arrangement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/canvas/held_places.h"

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;
constexpr double least_gap = 16;  // between boxes that no layout has placed

std::vector<double> heights(const std::vector<ScenePort>& ports) {
  std::vector<double> result;
  for (const ScenePort& port : ports) result.push_back(port.y);
  return result;
}

/// The ports of a frame as they stand in its own layout: a thin box at the left or right end.
LayoutNode rail(std::size_t ports, LayoutRank rank) {
  LayoutNode node{Measures::rail, static_cast<double>(ports) * Measures::rail_pitch, rank, {}, {}};
  std::vector<double>& side = rank == LayoutRank::First ? node.outputs : node.inputs;
  for (std::size_t i = 0; i < ports; ++i)
    side.push_back(Measures::rail_pitch * (static_cast<double>(i) + 0.5));
  return node;
}

/// How far a frame pushes a box at `offset` from it away, where boxes beyond `size` are right of or below the
/// frame.
LayoutPoint pushOf(const SceneBox& frame, const SceneRect& expanded, LayoutPoint offset, LayoutPoint size) {
  if (offset.x >= size.x) return {expanded.width - frame.folded_width, 0};
  if (offset.y >= size.y && offset.x > -Measures::maximum_width)
    return {0, expanded.height - frame.folded_height};
  return {};
}

/// What decides where a box stands: the layout, what was seen before an edit, or the document. One that was
/// an operator and is a region now stands near its old place, where there is room.
enum class Stand { Free, Near, Held, Written };

bool stands(Stand stand) {
  return stand == Stand::Held || stand == Stand::Written;
}

bool isFrame(SceneBox::Kind kind) {
  return kind == SceneBox::Kind::Frame;
}

bool overlap(const SceneRect& a, const SceneRect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/// One group in its own coordinates.
struct GroupPlan {
  LayoutGraph graph;
  std::vector<LayoutPoint> places;               ///< of the graph's nodes
  std::vector<Stand> stands;                     ///< of the same
  const HeldFrame* held = nullptr;               ///< what the group took before
  std::vector<std::vector<LayoutPoint>> curves;  ///< of the graph's edges
  std::size_t first_rail = nowhere, last_rail = nowhere;
  double left = 0, top = 0, right = 0, bottom = 0;
};

class Arranger {
 public:
  Arranger(const SceneModel& model, const LayoutLookup& lookup, const PositionHints& hints,
           const HeldPlaces& held)
      : model_(model), lookup_(lookup), hints_(hints), held_(held), plans_(model.groups.size()) {
    Arrangement& result = outcome_.arrangement;
    result.boxes.resize(model.boxes.size());
    result.links.resize(model.links.size());
    result.origins.resize(model.groups.size());
    for (std::size_t i = 0; i < model.boxes.size(); ++i) {
      result.boxes[i] = {0, 0, model.boxes[i].width, model.boxes[i].height};
      result.inputs.push_back(heights(model.boxes[i].inputs));
      result.outputs.push_back(heights(model.boxes[i].outputs));
    }
  }

  ArrangeOutcome run() {
    for (std::size_t group = model_.groups.size(); group-- > 0;) {  // inner before outer
      if (!plan(group)) return std::move(outcome_);
      ++outcome_.arranged;
      if (model_.groups[group].frame != nowhere) sizeFrame(group);
    }
    for (std::size_t group = 0; group < model_.groups.size(); ++group) put(group);
    return std::move(outcome_);
  }

 private:
  bool plan(std::size_t group) {
    GroupPlan& plan = plans_[group];
    const std::vector<std::size_t>& boxes = model_.groups[group].boxes;
    makeGraph(group, plan);
    plan.places.resize(plan.graph.nodes.size());
    plan.stands.resize(plan.graph.nodes.size(), Stand::Free);
    for (std::size_t i = 0; i < boxes.size(); ++i) standWhere(boxes[i], plan.places[i], plan.stands[i]);
    const bool held = std::find(plan.stands.begin(), plan.stands.end(), Stand::Held) != plan.stands.end();
    if (held && model_.groups[group].frame != nowhere) plan.held = held_.findFrame(model_.groups[group].path);
    const auto end = plan.stands.begin() + static_cast<std::ptrdiff_t>(boxes.size());
    const LayoutResult* layout = nullptr;
    if (std::find(plan.stands.begin(), end, Stand::Free) != end && !(layout = lookup_(plan.graph))) {
      outcome_.complete = false;
      outcome_.missing = plan.graph;
      return false;
    }
    makeRoom(group, plan);
    makeHeldRoom(group, plan);
    placeFree(plan, layout);
    curveLinks(group, plan, layout);
    bound(plan);
    return true;
  }

  std::optional<LayoutPoint> writtenPlace(const SceneBox& box) const {
    if (box.at) return LayoutPoint{box.at->x, box.at->y};
    const auto hint = hints_.find(box.path);
    if (hint == hints_.end()) return std::nullopt;
    return LayoutPoint{hint->second.x, hint->second.y};
  }

  void standWhere(std::size_t id, LayoutPoint& place, Stand& stand) const {
    const SceneBox& box = model_.boxes[id];
    if (const HeldBox* held = held_.find(box)) {
      const bool became_region =
          box.kind != SceneBox::Kind::Operator && held->kind == SceneBox::Kind::Operator;
      stand = became_region ? Stand::Near : Stand::Held;
      place = held->at;
    } else if (const std::optional<LayoutPoint> written = writtenPlace(box)) {
      stand = Stand::Written;
      place = *written;
    }
  }

  void makeGraph(std::size_t group, GroupPlan& plan) const {
    const SceneGroup& scene = model_.groups[group];
    const Arrangement& result = outcome_.arrangement;
    if (scene.boxes.size() > Measures::crowd) {
      plan.graph.rank_gap = 48;
      plan.graph.node_gap = 6;
    }
    if (model_.gaps) {
      plan.graph.rank_gap = model_.gaps->ranks;
      plan.graph.node_gap = model_.gaps->nodes;
    }
    std::map<std::size_t, std::size_t> node_of;
    for (const std::size_t box : scene.boxes) {
      node_of[box] = plan.graph.nodes.size();
      plan.graph.nodes.push_back({result.boxes[box].width, result.boxes[box].height, LayoutRank::Middle,
                                  result.inputs[box], result.outputs[box]});
    }
    if (scene.frame != nowhere) addRails(model_.boxes[scene.frame], plan);
    for (const std::size_t id : scene.links) {
      const SceneLink& link = model_.links[id];
      plan.graph.edges.push_back(
          {link.from.box == scene.frame ? plan.first_rail : node_of.at(link.from.box), link.from.port,
           link.to.box == scene.frame ? plan.last_rail : node_of.at(link.to.box), link.to.port});
    }
  }

  static void addRails(const SceneBox& frame, GroupPlan& plan) {
    const auto add = [&](std::size_t ports, LayoutRank rank, std::size_t& node) {
      if (ports == 0) return;
      node = plan.graph.nodes.size();
      plan.graph.nodes.push_back(rail(ports, rank));
    };
    add(frame.inputs.size(), LayoutRank::First, plan.first_rail);
    add(frame.outputs.size(), LayoutRank::Last, plan.last_rail);
  }

  /// Positions are meant for collapsed regions: an expanded one pushes what is right of it and below it away.
  void makeRoom(std::size_t group, GroupPlan& plan) const {
    const SceneGroup& scene = model_.groups[group];
    for (std::size_t f = 0; f < scene.boxes.size(); ++f) {
      const std::size_t frame = scene.boxes[f];
      const std::optional<LayoutPoint> from = writtenPlace(model_.boxes[frame]);
      if (!from || !isFrame(model_.boxes[frame].kind)) continue;
      if (plan.stands[f] == Stand::Held && !model_.boxes[frame].at) continue;
      for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
        if (i == f || plan.stands[i] != Stand::Written) continue;
        const std::optional<LayoutPoint> written = writtenPlace(model_.boxes[scene.boxes[i]]);
        const LayoutPoint push =
            pushOf(model_.boxes[frame], outcome_.arrangement.boxes[frame],
                   {written->x - from->x, written->y - from->y},
                   {model_.boxes[frame].folded_width, model_.boxes[frame].folded_height});
        plan.places[i] = {plan.places[i].x + push.x, plan.places[i].y + push.y};
      }
    }
  }

  /// What is held was seen beside regions as they were then: only where one has opened or closed since, or
  /// has grown over what is beside it, that goes as far away as the region's far side does.
  void makeHeldRoom(std::size_t group, GroupPlan& plan) {
    const SceneGroup& scene = model_.groups[group];
    const auto heldBox = [&](std::size_t i) {
      return plan.stands[i] == Stand::Held ? held_.find(model_.boxes[scene.boxes[i]]) : nullptr;
    };
    for (std::size_t f = 0; f < scene.boxes.size(); ++f) {
      const HeldBox* const before = heldBox(f);
      const SceneBox& frame = model_.boxes[scene.boxes[f]];
      if (!before || !(isFrame(frame.kind) || isFrame(before->kind))) continue;
      const SceneRect& now = outcome_.arrangement.boxes[scene.boxes[f]];
      const LayoutPoint lead = grownBefore(frame);  // beyond its old left and top sides
      plan.places[f] = {plan.places[f].x - lead.x, plan.places[f].y - lead.y};
      const SceneRect taken{before->at.x - lead.x, before->at.y - lead.y, now.width, now.height};
      bool pushes = frame.kind != before->kind;
      for (std::size_t i = 0; i < scene.boxes.size() && !pushes; ++i)
        if (const HeldBox* other = i == f ? nullptr : heldBox(i))
          pushes = overlap(taken, {other->at.x, other->at.y, other->width, other->height});
      const LayoutPoint by{now.width - lead.x - before->width, now.height - lead.y - before->height};
      for (std::size_t i = 0; i < scene.boxes.size() && pushes; ++i) {
        const HeldBox* const other = i == f ? nullptr : heldBox(i);
        if (!other) continue;
        const LayoutPoint offset{other->at.x - before->at.x, other->at.y - before->at.y};
        if (offset.x >= before->width)
          plan.places[i].x += by.x;
        else if (offset.y >= before->height && offset.x > -Measures::maximum_width)
          plan.places[i].y += by.y;
      }
    }
  }

  /// How far an open region has grown to the left and upwards since it was held.
  LayoutPoint grownBefore(const SceneBox& frame) const {
    if (frame.inside == nowhere || !plans_[frame.inside].held) return {};
    const GroupPlan& inside = plans_[frame.inside];
    return {inside.held->left - inside.left, inside.held->top - inside.top};
  }

  /// Nodes without a position of their own go where the layout says, or below what already stands there.
  static void placeFree(GroupPlan& plan, const LayoutResult* layout) {
    const std::size_t count = plan.graph.nodes.size();
    if (layout != nullptr && std::all_of(plan.stands.begin(), plan.stands.end(),
                                         [](Stand stand) { return stand == Stand::Free; })) {
      plan.places = layout->nodes;
      return;
    }
    std::vector<std::size_t> free;
    std::vector<std::size_t> standing;
    for (std::size_t i = 0; i < count; ++i) {
      if (i == plan.first_rail || i == plan.last_rail) continue;
      (stands(plan.stands[i]) ? standing : free).push_back(i);
      if (plan.stands[i] == Stand::Free) plan.places[i] = layout->nodes[i];
    }
    std::stable_sort(free.begin(), free.end(),
                     [&](std::size_t a, std::size_t b) { return plan.places[a].y < plan.places[b].y; });
    for (const std::size_t node : free) {
      giveWay(plan, node, standing);
      standing.push_back(node);
    }
    placeRails(plan);
  }

  static void giveWay(GroupPlan& plan, std::size_t node, const std::vector<std::size_t>& standing) {
    constexpr double gap = least_gap;
    const auto in_the_way = [&](std::size_t other) {
      const LayoutNode &a = plan.graph.nodes[node], &b = plan.graph.nodes[other];
      const LayoutPoint p = plan.places[node], q = plan.places[other];
      return p.x < q.x + b.width + gap && q.x < p.x + a.width + gap && p.y < q.y + b.height + gap &&
             q.y < p.y + a.height + gap;
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t other : standing) {
        if (!in_the_way(other)) continue;
        plan.places[node].y = plan.places[other].y + plan.graph.nodes[other].height + gap;
        moved = true;
      }
    }
  }

  /// Where nodes were placed by hand, the frame's ports go beside them, level with what they feed.
  static void placeRails(GroupPlan& plan) {
    double left = std::numeric_limits<double>::infinity(), right = -left;
    for (std::size_t i = 0; i < plan.graph.nodes.size(); ++i) {
      if (i == plan.first_rail || i == plan.last_rail) continue;
      left = std::min(left, plan.places[i].x);
      right = std::max(right, plan.places[i].x + plan.graph.nodes[i].width);
    }
    if (left > right) left = right = 0;
    for (const std::size_t rail : {plan.first_rail, plan.last_rail}) {
      if (rail == nowhere) continue;
      const bool first = rail == plan.first_rail;
      double sum = 0, count = 0;
      for (const LayoutEdge& edge : plan.graph.edges) {
        const std::size_t other = first ? edge.to : edge.from;
        if ((first ? edge.from : edge.to) != rail || other == plan.first_rail || other == plan.last_rail)
          continue;
        const LayoutNode& node = plan.graph.nodes[other];
        sum += plan.places[other].y + (first ? node.inputs[edge.input] : node.outputs[edge.output]);
        ++count;
      }
      const double middle = count > 0 ? sum / count : 0;
      const double x = first ? left - plan.graph.rank_gap - Measures::rail : right + plan.graph.rank_gap;
      plan.places[rail] = {x, std::round(middle - plan.graph.nodes[rail].height / 2)};
      keepRail(plan, rail, first);
    }
  }

  /// The frame's ports stay at the side where they were, or go further out with what they feed.
  static void keepRail(GroupPlan& plan, std::size_t rail, bool first) {
    if (!plan.held) return;
    const std::optional<double>& top = first ? plan.held->first_rail : plan.held->last_rail;
    if (!top) return;
    const double nearer = plan.graph.rank_gap - least_gap, beside = plan.places[rail].x;
    plan.places[rail] = {first ? std::min(plan.held->left, beside + nearer)
                               : std::max(plan.held->right - Measures::rail, beside - nearer),
                         *top};
  }

  /// Lines between boxes that are held go as they went; where a box has become wider, from its new side.
  /// Those of the frame's own ports are drawn to its sides (put()).
  std::optional<std::vector<LayoutPoint>> heldCurve(const GroupPlan& plan, const LayoutEdge& edge,
                                                    LayoutPoint start, LayoutPoint end,
                                                    const std::string& origin) const {
    const auto stays = [&](std::size_t node, std::size_t rail) {
      return node == rail ? plan.held != nullptr : plan.stands[node] == Stand::Held;
    };
    if (!stays(edge.from, plan.first_rail) || !stays(edge.to, plan.last_rail)) return std::nullopt;
    if (edge.from == plan.first_rail) start.x -= Measures::rail;
    if (edge.to == plan.last_rail) end.x += Measures::rail;
    const std::vector<LayoutPoint>* held = held_.findCurve(origin, start, end, Measures::maximum_width / 4);
    if (!held) return std::nullopt;
    std::vector<LayoutPoint> curve = *held;
    const double before = start.x - curve.front().x, behind = end.x - curve.back().x;
    for (std::size_t i = 0; i < 2; ++i) {
      curve[i].x += before;
      curve[curve.size() - 1 - i].x += behind;
    }
    return curve;
  }

  /// A curve of the layout serves as long as both its ends are where the layout put them.
  void curveLinks(std::size_t group, GroupPlan& plan, const LayoutResult* layout) const {
    for (std::size_t i = 0; i < plan.graph.edges.size(); ++i) {
      const LayoutEdge& edge = plan.graph.edges[i];
      const auto unmoved = [&](std::size_t node) {
        return layout != nullptr && plan.places[node] == layout->nodes[node];
      };
      const LayoutNode &from = plan.graph.nodes[edge.from], &to = plan.graph.nodes[edge.to];
      const LayoutPoint p = plan.places[edge.from], q = plan.places[edge.to];
      const LayoutPoint start{p.x + from.width, p.y + from.outputs[edge.output]},
          end{q.x, q.y + to.inputs[edge.input]};
      const std::string& origin = model_.links[model_.groups[group].links[i]].origin;
      if (auto curve = heldCurve(plan, edge, start, end, origin))
        plan.curves.push_back(std::move(*curve));
      else
        plan.curves.push_back(unmoved(edge.from) && unmoved(edge.to) ? layout->edges[i]
                                                                     : directCurve(start, end));
    }
  }

  /// What was held does not shrink: its content would move then.
  static void bound(GroupPlan& plan) {
    if (plan.held) {
      plan.left = plan.held->left, plan.top = plan.held->top;
      plan.right = plan.held->right, plan.bottom = plan.held->bottom;
    } else if (!plan.graph.nodes.empty()) {
      plan.left = plan.top = std::numeric_limits<double>::infinity();
      plan.right = plan.bottom = -plan.left;
    }
    const auto include = [&](double x, double y) {
      plan.left = std::min(plan.left, x);
      plan.right = std::max(plan.right, x);
      plan.top = std::min(plan.top, y);
      plan.bottom = std::max(plan.bottom, y);
    };
    for (std::size_t i = 0; i < plan.graph.nodes.size(); ++i) {
      include(plan.places[i].x, plan.places[i].y);
      include(plan.places[i].x + plan.graph.nodes[i].width, plan.places[i].y + plan.graph.nodes[i].height);
    }
    for (const auto& curve : plan.curves) {
      for (const LayoutPoint& point : curve) include(std::clamp(point.x, plan.left, plan.right), point.y);
    }
  }

  double sidePadding(std::size_t rail) const { return rail == nowhere ? Measures::frame_padding : 0; }

  void sizeFrame(std::size_t group) {
    const GroupPlan& plan = plans_[group];
    const std::size_t frame = model_.groups[group].frame;
    Arrangement& result = outcome_.arrangement;
    const double width = sidePadding(plan.first_rail) + plan.right - plan.left + sidePadding(plan.last_rail);
    result.boxes[frame].width = std::max(model_.boxes[frame].width, std::ceil(width));
    result.boxes[frame].height =
        std::ceil(Measures::frame_title + 2 * Measures::frame_padding + plan.bottom - plan.top);
    const double top = Measures::frame_title + Measures::frame_padding - plan.top;
    const auto ports = [&](std::size_t rail, std::vector<double>& heights,
                           const std::vector<double>& in_rail) {
      if (rail == nowhere) return;
      for (std::size_t i = 0; i < heights.size(); ++i)
        heights[i] = std::round(top + plan.places[rail].y + in_rail[i]);
    };
    if (plan.first_rail != nowhere)
      ports(plan.first_rail, result.inputs[frame], plan.graph.nodes[plan.first_rail].outputs);
    if (plan.last_rail != nowhere)
      ports(plan.last_rail, result.outputs[frame], plan.graph.nodes[plan.last_rail].inputs);
  }

  /// From group to scene coordinates, outer before inner.
  void put(std::size_t group) {
    const SceneGroup& scene = model_.groups[group];
    const GroupPlan& plan = plans_[group];
    Arrangement& result = outcome_.arrangement;
    LayoutPoint origin;
    if (scene.frame != nowhere) {
      const SceneRect& frame = result.boxes[scene.frame];
      origin = {frame.x + sidePadding(plan.first_rail) - plan.left,
                frame.y + Measures::frame_title + Measures::frame_padding - plan.top};
    }
    result.origins[group] = origin;
    for (std::size_t i = 0; i < scene.boxes.size(); ++i) {
      result.boxes[scene.boxes[i]].x = origin.x + plan.places[i].x;
      result.boxes[scene.boxes[i]].y = origin.y + plan.places[i].y;
    }
    for (std::size_t i = 0; i < scene.links.size(); ++i) {
      const SceneLink& link = model_.links[scene.links[i]];
      std::vector<LayoutPoint>& curve = result.links[scene.links[i]];
      curve = plan.curves[i];
      for (LayoutPoint& point : curve) point = {point.x + origin.x, point.y + origin.y};
      curve.front() = linkStart(model_, result, link);
      curve.back() = linkEnd(model_, result, link);
    }
  }

  const SceneModel& model_;
  const LayoutLookup& lookup_;
  const PositionHints& hints_;
  const HeldPlaces& held_;
  std::vector<GroupPlan> plans_;
  ArrangeOutcome outcome_;
};

/// A point of a group in its own coordinates, without what expanded frames push it away by.
Position pulledBack(const SceneModel& model, const Arrangement& arrangement, std::size_t group,
                    LayoutPoint point, std::size_t box, bool all_frames) {
  const LayoutPoint origin = arrangement.origins[group];
  Position at{point.x - origin.x, point.y - origin.y};
  for (const std::size_t frame : model.groups[group].boxes) {
    if (frame == box || model.boxes[frame].kind != SceneBox::Kind::Frame) continue;
    if (!all_frames && !model.boxes[frame].at) continue;
    const SceneRect& expanded = arrangement.boxes[frame];
    const LayoutPoint push =
        pushOf(model.boxes[frame], expanded, {point.x - expanded.x, point.y - expanded.y},
               {expanded.width, expanded.height});
    at = {at.x - push.x, at.y - push.y};
  }
  return at;
}

}  // namespace

ArrangeOutcome arrange(const SceneModel& model, const LayoutLookup& lookup, const PositionHints& hints,
                       const HeldPlaces* held) {
  static const HeldPlaces none;
  return Arranger(model, lookup, hints, held ? *held : none).run();
}

Position writtenPosition(const SceneModel& model, const Arrangement& arrangement, std::size_t box,
                         bool all_frames) {
  const SceneRect& rect = arrangement.boxes[box];
  return pulledBack(model, arrangement, model.boxes[box].group, {rect.x, rect.y}, box, all_frames);
}

Position writtenPoint(const SceneModel& model, const Arrangement& arrangement, std::size_t group,
                      LayoutPoint point) {
  return pulledBack(model, arrangement, group, point, nowhere, false);
}

LayoutPoint linkStart(const SceneModel& model, const Arrangement& arrangement, const SceneLink& link) {
  const SceneRect& box = arrangement.boxes[link.from.box];
  if (model.groups[link.group].frame == link.from.box)
    return {box.x, box.y + arrangement.inputs[link.from.box][link.from.port]};
  return {box.x + box.width, box.y + arrangement.outputs[link.from.box][link.from.port]};
}

LayoutPoint linkEnd(const SceneModel& model, const Arrangement& arrangement, const SceneLink& link) {
  const SceneRect& box = arrangement.boxes[link.to.box];
  if (model.groups[link.group].frame == link.to.box) {
    return {box.x + box.width, box.y + arrangement.outputs[link.to.box][link.to.port]};
  }
  return {box.x, box.y + arrangement.inputs[link.to.box][link.to.port]};
}

std::vector<LayoutPoint> directCurve(LayoutPoint from, LayoutPoint to) {
  const double dx = to.x - from.x;
  if (dx > 0) {
    const double reach = std::min(std::max(dx / 2, 28.0), 160.0);
    return {from, {from.x + reach, from.y}, {to.x - reach, to.y}, to};
  }
  // Backwards: out to the right, around below, and in from the left.
  const double low = std::max(from.y, to.y) + 70, reach = 60;
  const LayoutPoint right{from.x + 10, low}, left{to.x - 10, low};
  const LayoutPoint middle{(right.x + left.x) / 2, low};
  return {from,   {from.x + reach, from.y}, {from.x + reach, low},
          middle, {to.x - reach, low},      {to.x - reach, to.y},
          to};
}

std::vector<std::size_t> moveBox(const SceneModel& model, Arrangement& arrangement, std::size_t box,
                                 double dx, double dy) {
  std::vector<std::size_t> changed;
  const auto shift = [&](auto&& self, std::size_t id) -> void {
    arrangement.boxes[id].x += dx;
    arrangement.boxes[id].y += dy;
    if (model.boxes[id].inside == nowhere) return;
    const SceneGroup& group = model.groups[model.boxes[id].inside];
    LayoutPoint& origin = arrangement.origins[model.boxes[id].inside];
    origin = {origin.x + dx, origin.y + dy};
    for (const std::size_t inner : group.boxes) self(self, inner);
    for (const std::size_t link : group.links) {
      for (LayoutPoint& point : arrangement.links[link]) point = {point.x + dx, point.y + dy};
      changed.push_back(link);
    }
  };
  shift(shift, box);
  for (const std::size_t id : model.groups[model.boxes[box].group].links) {
    const SceneLink& link = model.links[id];
    if (link.from.box != box && link.to.box != box) continue;
    arrangement.links[id] =
        directCurve(linkStart(model, arrangement, link), linkEnd(model, arrangement, link));
    changed.push_back(id);
  }
  return changed;
}

}  // namespace sluice::ui
