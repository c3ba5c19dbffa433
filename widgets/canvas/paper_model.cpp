#include "widgets/canvas/paper_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "engine/program/stream_id.h"
#include "widgets/canvas/labels.h"
#include "widgets/canvas/layered_layout.h"
#include "widgets/common/qt_text.h"

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;

constexpr double text_inset = 20;   // beside a name: the stripe, and the sign of a mark
constexpr double wide_name = 84;    // a longer one takes a further line
constexpr int most_name_lines = 3;  // as many as a box paints
constexpr double close_rank_gap = 34, close_node_gap = 12;
constexpr double bare_port_pitch = 9;  // of dots without a name

void closeRegions(Graph& graph) {
  for (Node& node : graph.nodes) {
    if (!node.body) continue;
    node.body->collapsed = true;
    closeRegions(node.body->body);
  }
}

/// The least width at which a name takes no more lines than it should.
std::pair<double, int> roomOf(const QString& name, const QFontMetricsF& metrics) {
  std::pair<double, int> room;
  for (int lines = 1; lines <= most_name_lines; ++lines) {
    room = {wordWidth(name, metrics, lines), lines};
    if (room.first <= wide_name) break;
  }
  return {std::clamp(room.first, 26.0, Measures::maximum_width), room.second};
}

void spreadPorts(std::vector<ScenePort>& ports, double height) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports[i].label.clear();
    ports[i].y = height * (static_cast<double>(i) + 0.5) / static_cast<double>(ports.size());
  }
}

/// Of the nodes at the top that each box stands for, by path.
std::map<std::size_t, std::vector<std::string>> nodesOfBoxes(const SceneModel& model,
                                                             const std::vector<SceneNodeGroup>& groups) {
  std::map<std::size_t, std::vector<std::string>> nodes;
  for (const std::size_t box : model.groups.front().boxes) nodes[box].push_back(model.boxes[box].path);
  for (const auto& [path, box] : model.in_run)
    if (!namesStream(path)) nodes[box].push_back(path);
  for (auto& [box, paths] : nodes) std::sort(paths.begin() + 1, paths.end());
  // A group that is one box keeps the order that it has.
  for (const SceneNodeGroup& group : groups) {
    const std::size_t box = group.nodes.empty() ? nowhere : model.visibleBox(group.nodes.front());
    if (box != nowhere && model.boxes[box].node_group == group.name && nodes.contains(box) &&
        nodes[box].size() == group.nodes.size())
      nodes[box] = group.nodes;
  }
  return nodes;
}

const std::string between_names = " … ";

/// From the first to the last, also of boxes that are such runs themselves.
std::string spanOf(const std::string& first, const std::string& last) {
  const std::size_t end = first.find(between_names), begin = last.rfind(between_names);
  return first.substr(0, end) + between_names +
         (begin == std::string::npos ? last : last.substr(begin + between_names.size()));
}

/// The boxes at the top, each behind what feeds it, else in the order of the document.
std::vector<std::size_t> inOrder(const SceneModel& model) {
  const SceneGroup& top = model.groups.front();
  std::map<std::size_t, std::size_t> number;
  LayoutGraph graph;
  for (const std::size_t box : top.boxes) {
    number[box] = graph.nodes.size();
    graph.nodes.push_back({1, 1, LayoutRank::Middle, {}, {}});
  }
  for (const std::size_t link : top.links)
    graph.edges.push_back({number.at(model.links[link].from.box), 0, number.at(model.links[link].to.box), 0});
  const std::vector<std::size_t> column = layoutColumns(graph);
  std::vector<std::size_t> boxes = top.boxes;
  std::stable_sort(boxes.begin(), boxes.end(),
                   [&](std::size_t a, std::size_t b) { return column[number.at(a)] < column[number.at(b)]; });
  return boxes;
}

SceneNodeGroup merged(const SceneModel& model, const std::vector<std::size_t>& boxes,
                      const std::map<std::size_t, std::vector<std::string>>& nodes) {
  SceneNodeGroup group;
  group.name = spanOf(model.boxes[boxes.front()].name, model.boxes[boxes.back()].name);
  for (const std::size_t box : boxes)
    group.nodes.insert(group.nodes.end(), nodes.at(box).begin(), nodes.at(box).end());
  return group;
}

/// The groups that stay as they are: their boxes are not among those that were merged.
void keepOthers(const SceneModel& model, const std::vector<SceneNodeGroup>& groups,
                const std::vector<bool>& taken, std::vector<SceneNodeGroup>& made) {
  for (const SceneNodeGroup& group : groups) {
    const std::size_t box = group.nodes.empty() ? nowhere : model.visibleBox(group.nodes.front());
    if (box == nowhere || !taken[box]) made.push_back(group);
  }
}

/// The only box that each feeds, or is fed by; nowhere where there are none or several.
std::vector<std::size_t> onlyNeighbours(const SceneModel& model, SceneEnd SceneLink::*own,
                                        SceneEnd SceneLink::*other) {
  constexpr std::size_t several = nowhere - 1;
  std::vector<std::size_t> only(model.boxes.size(), nowhere);
  for (const std::size_t link : model.groups.front().links) {
    const std::size_t from = (model.links[link].*own).box, to = (model.links[link].*other).box;
    if (only[from] == nowhere)
      only[from] = to;
    else if (only[from] != to)
      only[from] = several;
  }
  std::replace(only.begin(), only.end(), several, nowhere);
  return only;
}

/// What is folded has a port at both sides; where no stream goes there, it says nothing.
void dropIdlePorts(SceneModel& model) {
  std::vector<bool> fed(model.boxes.size(), false), feeds(model.boxes.size(), false);
  for (const SceneLink& link : model.links) {
    feeds[link.from.box] = true;
    fed[link.to.box] = true;
  }
  for (std::size_t box = 0; box < model.boxes.size(); ++box) {
    if (model.boxes[box].folded == 0) continue;
    if (!fed[box]) model.boxes[box].inputs.clear();
    if (!feeds[box]) model.boxes[box].outputs.clear();
  }
}

}  // namespace

Document withRegionsClosed(Document document) {
  closeRegions(document.program);
  return document;
}

void release(SceneModel& model) {
  for (SceneBox& box : model.boxes) box.at.reset();
}

void closeUp(SceneModel& model) {
  model.gaps = {close_rank_gap, close_node_gap};
}

void keepNames(SceneModel& model, const QFontMetricsF& metrics, bool noted) {
  closeUp(model);
  dropIdlePorts(model);
  for (SceneBox& box : model.boxes) {
    box.title.clear();
    box.detail.clear();
    const QString name = qt(box.badge.empty() ? box.name : box.name + " " + box.badge);
    const bool frame = box.kind == SceneBox::Kind::Frame;
    auto [width, lines] = frame ? std::pair(metrics.horizontalAdvance(name) + 40, 1) : roomOf(name, metrics);
    if (noted) width = std::max(width, 54.0);
    const auto ports = static_cast<double>(std::max(box.inputs.size(), box.outputs.size()));
    const double text = metrics.height() * (lines + (noted ? 1 : 0));
    box.width = box.folded_width = std::ceil(width + text_inset);
    box.height = box.folded_height = std::ceil(std::max(text + 6, ports * bare_port_pitch + 6));
    box.text_left = Measures::stripe + 4;
    box.text_width = box.width - text_inset;
    for (auto* side : {&box.inputs, &box.outputs}) spreadPorts(*side, box.height);
  }
}

std::vector<SceneNodeGroup> chainsOf(const SceneModel& model, const std::vector<SceneNodeGroup>& groups) {
  const std::vector<std::size_t> next = onlyNeighbours(model, &SceneLink::from, &SceneLink::to),
                                 before = onlyNeighbours(model, &SceneLink::to, &SceneLink::from);
  const auto follows = [&](std::size_t box) {  // the box behind it, if they are of one chain
    return next[box] != nowhere && before[next[box]] == box ? next[box] : nowhere;
  };
  const auto nodes = nodesOfBoxes(model, groups);
  std::vector<bool> taken(model.boxes.size(), false);
  std::vector<SceneNodeGroup> made;
  for (const std::size_t first : model.groups.front().boxes) {
    if (taken[first] || (before[first] != nowhere && follows(before[first]) == first)) continue;
    std::vector<std::size_t> chain{first};
    for (std::size_t box = follows(first); box != nowhere && box != first; box = follows(box))
      chain.push_back(box);
    if (chain.size() < 2) continue;
    for (const std::size_t box : chain) taken[box] = true;
    made.push_back(merged(model, chain, nodes));
  }
  keepOthers(model, groups, taken, made);
  return made;
}

std::vector<SceneNodeGroup> runsOf(const SceneModel& model, const std::vector<SceneNodeGroup>& groups,
                                   std::size_t most) {
  const std::vector<std::size_t> boxes = inOrder(model);
  const std::size_t length = (boxes.size() + most - 1) / most;
  if (length < 2) return groups;
  const auto nodes = nodesOfBoxes(model, groups);
  std::vector<bool> taken(model.boxes.size(), false);
  std::vector<SceneNodeGroup> made;
  for (std::size_t first = 0; first < boxes.size(); first += length) {
    const std::size_t end = std::min(first + length, boxes.size());
    if (end - first < 2) continue;
    const std::vector<std::size_t> run(boxes.begin() + static_cast<std::ptrdiff_t>(first),
                                       boxes.begin() + static_cast<std::ptrdiff_t>(end));
    for (const std::size_t box : run) taken[box] = true;
    made.push_back(merged(model, run, nodes));
  }
  keepOthers(model, groups, taken, made);
  return made;
}

}  // namespace sluice::ui
