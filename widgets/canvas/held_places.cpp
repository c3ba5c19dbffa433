#include "widgets/canvas/held_places.h"

#include <algorithm>
#include <cmath>

#include "engine/program/stream_id.h"

namespace sluice::ui {
namespace {

LayoutPoint seenFrom(LayoutPoint origin, double x, double y) {
  return {x - origin.x, y - origin.y};
}

HeldFrame insideOf(const SceneModel& model, const Arrangement& shown, std::size_t group) {
  const std::size_t frame = model.groups[group].frame;
  const SceneBox& box = model.boxes[frame];
  const SceneRect& rect = shown.boxes[frame];
  constexpr double padding = SceneMeasures::frame_padding;
  const LayoutPoint corner = seenFrom(shown.origins[group], rect.x, rect.y);
  HeldFrame inside{corner.x + (box.inputs.empty() ? padding : 0),
                   corner.y + SceneMeasures::frame_title + padding,
                   corner.x + rect.width - (box.outputs.empty() ? padding : 0),
                   corner.y + rect.height - padding,
                   {},
                   {}};
  const double half_pitch = SceneMeasures::rail_pitch / 2;  // from the first port to the end of its row
  if (!box.inputs.empty()) inside.first_rail = corner.y + shown.inputs[frame].front() - half_pitch;
  if (!box.outputs.empty()) inside.last_rail = corner.y + shown.outputs[frame].front() - half_pitch;
  return inside;
}

/// Whether the curve has these ends, or ends that are level with them and at most `apart` from them.
bool joins(const std::vector<LayoutPoint>& curve, LayoutPoint start, LayoutPoint end, double apart) {
  constexpr double exact = 0.01;
  const auto near = [&](LayoutPoint a, LayoutPoint b) {
    return std::abs(a.x - b.x) < apart + exact && std::abs(a.y - b.y) < exact;
  };
  return near(curve.front(), start) && near(curve.back(), end);
}

/// Of "expert#gate.in" when "expert" or "expert.gate" is called otherwise; as it was if neither is.
std::string renamedOrigin(const std::string& origin, const std::string& from, const std::string& to) {
  const std::size_t mark = origin.find('#');
  const std::string graph = origin.substr(0, mark);
  if (isWithin(graph, from)) return to + origin.substr(from.size());
  const std::string before = graph.empty() ? "" : graph + ".";
  const std::string name = from.starts_with(before) ? from.substr(before.size()) : "";
  const std::string end = origin.substr(mark + 1);
  if (name.empty() || !end.starts_with(name + ".") || !to.starts_with(before)) return origin;
  return graph + "#" + to.substr(before.size()) + end.substr(name.size());
}

}  // namespace

void HeldPlaces::take(const SceneModel& model, const Arrangement& shown) {
  for (std::size_t id = 0; id < model.boxes.size(); ++id)
    hold(model, shown, id, model.boxes[id].at, writtenPosition(model, shown, id, true));
  for (std::size_t group = 0; group < model.groups.size(); ++group)
    if (model.groups[group].frame != nowhere)
      frames_[model.groups[group].path] = insideOf(model, shown, group);
  for (std::size_t id = 0; id < model.links.size(); ++id) {
    std::vector<LayoutPoint> curve = shown.links[id];
    for (LayoutPoint& point : curve) point = seenFrom(shown.origins[model.links[id].group], point.x, point.y);
    std::vector<std::vector<LayoutPoint>>& known = curves_[model.links[id].origin];
    std::erase_if(known, [&](const auto& other) { return joins(other, curve.front(), curve.back(), 0); });
    known.push_back(std::move(curve));
  }
}

void HeldPlaces::put(const SceneModel& model, const Arrangement& shown, std::size_t box, Position written) {
  hold(model, shown, box, written, written);
}

void HeldPlaces::hold(const SceneModel& model, const Arrangement& shown, std::size_t id,
                      const std::optional<Position>& written, Position meant) {
  const SceneBox& box = model.boxes[id];
  const SceneRect& rect = shown.boxes[id];
  std::vector<HeldBox>& known = boxes_[box.path];
  std::erase_if(known, [&](const HeldBox& other) { return other.written == written; });
  known.push_back({seenFrom(shown.origins[box.group], rect.x, rect.y), rect.width, rect.height, box.kind,
                   written, meant});
}

void HeldPlaces::follow(const std::string& from, const std::string& to, LayoutPoint by) {
  const auto others = [&](const auto& known) {
    std::remove_cvref_t<decltype(known)> renamed;
    for (const auto& [path, value] : known)
      if (isWithin(path, from)) renamed[to + path.substr(from.size())] = value;
    return renamed;
  };
  auto boxes = others(boxes_);
  if (const auto moved = boxes.find(to); moved != boxes.end())
    for (HeldBox& box : moved->second) {
      box.at = {box.at.x + by.x, box.at.y + by.y};
      box.meant = {box.meant.x + by.x, box.meant.y + by.y};
    }
  for (auto& [path, known] : boxes) boxes_[path] = std::move(known);
  for (auto& [path, frame] : others(frames_)) frames_[path] = frame;
  decltype(curves_) curves;
  for (const auto& [origin, curve] : curves_) {
    const std::string renamed = renamedOrigin(origin, from, to);
    if (renamed != origin) curves[renamed] = curve;
  }
  for (auto& [origin, curve] : curves) curves_[origin] = std::move(curve);
}

void HeldPlaces::release(const std::set<std::string>& nodes) {
  for (const std::string& node : nodes) {
    std::erase_if(boxes_, [&](const auto& box) { return isWithin(box.first, node); });
    std::erase_if(frames_, [&](const auto& frame) { return isWithin(frame.first, node); });
  }
}

bool HeldPlaces::holdsAll(const SceneModel& model) const {
  return std::all_of(model.boxes.begin(), model.boxes.end(), [&](const SceneBox& box) { return find(box); });
}

const HeldBox* HeldPlaces::find(const SceneBox& box) const {
  const auto known = boxes_.find(box.path);
  if (known == boxes_.end()) return nullptr;
  for (const HeldBox& held : known->second)
    if (held.written == box.at) return &held;
  const auto same = std::find_if(known->second.rbegin(), known->second.rend(),
                                 [&](const HeldBox& held) { return box.at == held.meant; });
  return same == known->second.rend() ? nullptr : &*same;
}

const HeldFrame* HeldPlaces::findFrame(const std::string& path) const {
  const auto known = frames_.find(path);
  return known == frames_.end() ? nullptr : &known->second;
}

const std::vector<LayoutPoint>* HeldPlaces::findCurve(const std::string& origin, LayoutPoint start,
                                                      LayoutPoint end, double further) const {
  const auto known = curves_.find(origin);
  if (known == curves_.end()) return nullptr;
  for (const double apart : {0.0, further}) {
    const auto same = std::find_if(known->second.rbegin(), known->second.rend(),
                                   [&](const auto& curve) { return joins(curve, start, end, apart); });
    if (same != known->second.rend()) return &*same;
  }
  return nullptr;
}

}  // namespace sluice::ui
