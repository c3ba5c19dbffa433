#include "widgets/canvas/scene_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "engine/program/stream_id.h"

namespace sluice::ui {
namespace {

using Measures = SceneMeasures;

const std::string boundary = "region";

/// The elements of each variadic port that streams address one by one: "out" -> {0, 1, "i"}.
using Elements = std::map<std::pair<std::string, std::string>, std::set<std::string>>;  // (node, port)

/// Numbers by size, before expressions by spelling.
bool elementLess(const std::string& a, const std::string& b) {
  const auto digits = [](const std::string& s) {
    return s.find_first_not_of("0123456789") == std::string::npos;
  };
  if (digits(a) && digits(b)) return a.size() != b.size() ? a.size() < b.size() : a < b;
  return digits(a) != digits(b) ? digits(a) : a < b;
}

bool isOne(const Value& count) {
  return count.integer() != nullptr && *count.integer() == 1;
}

std::string spread(const std::string& port, const Endpoint& endpoint) {
  return endpoint.index ? port + "[" + text(*endpoint.index) + "]" : port;
}

std::size_t portIndex(const std::vector<ScenePort>& ports, const std::string& name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const ScenePort& port) { return port.name == name; });
  return found == ports.end() ? nowhere : static_cast<std::size_t>(found - ports.begin());
}

constexpr std::size_t alone = nowhere;  // of a node: in no run

/// Of each node of a large graph the run that it stands in, by number. Regions stand by themselves, unless
/// there are too many of them.
std::vector<std::size_t> runsOf(const Graph& graph) {
  std::vector<std::size_t> runs(graph.nodes.size(), alone);
  if (graph.nodes.size() <= SceneModel::fold_from) return runs;
  const auto regions = static_cast<std::size_t>(std::count_if(
      graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return static_cast<bool>(node.body); }));
  const bool fold_regions = regions > SceneModel::folded_boxes;
  const std::size_t length = (graph.nodes.size() + SceneModel::folded_boxes - 1) / SceneModel::folded_boxes;
  std::size_t run = 0, filled = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].body && !fold_regions) continue;
    if (filled++ == length) ++run, filled = 1;
    runs[i] = run;
  }
  return runs;
}

class Builder {
 public:
  Builder(const Catalog& catalog, const TextWidth& text_width, const SceneFolding& folding)
      : catalog_(catalog), text_width_(text_width), folding_(folding) {
    for (const SceneNodeGroup& group : folding_.groups)
      for (const std::string& node : group.nodes) group_of_.emplace(node, &group);
  }

  SceneModel build(const Document& document) {
    addGroup(document.program, "", nowhere);
    for (std::size_t i = model_.boxes.size(); i-- > 0;) model_.by_path[model_.boxes[i].path] = i;
    return std::move(model_);
  }

 private:
  std::size_t addGroup(const Graph& graph, const std::string& path, std::size_t frame) {
    const std::size_t group = model_.groups.size();
    model_.groups.push_back({path, frame, {}, {}});
    std::map<std::string, std::size_t> named;
    addBoxes(graph, path, group, named);
    for (const Stream& stream : graph.streams) addUnknownPorts(stream, named);
    const bool crowded = model_.groups[group].boxes.size() > Measures::crowd;
    for (const std::size_t box : model_.groups[group].boxes) measure(model_.boxes[box], crowded);
    std::vector<std::string> ids = streamIds(graph, path);
    for (std::size_t i = 0; i < ids.size(); ++i) addLink(graph.streams[i], std::move(ids[i]), group, named);
    joined_.clear();
    for (const Node& node : graph.nodes) {
      const std::size_t box = named.at(node.name);
      if (model_.boxes[box].kind != SceneBox::Kind::Frame || model_.boxes[box].inside != nowhere) continue;
      const std::size_t inside = addGroup(node.body->body, std::string(model_.boxes[box].path), box);
      model_.boxes[box].inside = inside;
    }
    return group;
  }

  void addBoxes(const Graph& graph, const std::string& path, std::size_t group,
                std::map<std::string, std::size_t>& named) {
    const Elements from = elementsOf(graph, &Stream::from), to = elementsOf(graph, &Stream::to);
    const std::vector<std::size_t> runs = runsOf(graph);
    std::map<std::size_t, std::string> heads;        // run -> the path of its first node
    std::map<std::size_t, std::size_t> folded_runs;  // run -> its box
    std::map<const SceneNodeGroup*, std::size_t> folded_groups;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      if (named.contains(node.name)) continue;  // a wrong file may repeat a name; the checker says so
      const std::string own = path.empty() ? node.name : path + "." + node.name;
      const auto node_group = group_of_.find(own);
      const bool in_group = node_group != group_of_.end();
      const bool in_run = !in_group && runs[i] != alone;
      const std::string head = in_run ? heads.try_emplace(runs[i], own).first->second : "";
      const bool folds = in_group || (in_run && !folding_.unfolded.contains(head));
      const std::size_t next = model_.boxes.size();
      const std::size_t box = in_group ? folded_groups.try_emplace(node_group->second, next).first->second
                              : folds  ? folded_runs.try_emplace(runs[i], next).first->second
                                       : next;
      named[node.name] = box;
      if (box != next) {
        addToFolded(model_.boxes[box], node, own, box);
        continue;
      }
      model_.groups[group].boxes.push_back(box);
      model_.boxes.push_back(folds ? makeFolded(node, own, group) : makeBox(node, path, group, from, to));
      model_.boxes.back().run = head;
      if (in_group) nameGroup(model_.boxes.back(), *node_group->second);
    }
  }

  static SceneBox makeFolded(const Node& first, const std::string& path, std::size_t group) {
    SceneBox box;
    box.kind = SceneBox::Kind::Region;
    box.folded = 1;
    box.path = path;
    box.name = first.name;
    box.title = "Folded";
    box.detail = "1 operator";
    box.group = group;
    const ScenePort port{"\u2026", {}, "streams of what is folded", true, true, 0};
    box.inputs = box.outputs = {port};
    return box;
  }

  static void nameGroup(SceneBox& box, const SceneNodeGroup& group) {
    box.node_group = box.name = group.name;
    if (group.kind == GroupKind::Fusion) return;
    const bool layers = group.kind == GroupKind::EqualLayers;
    box.title = layers ? "Equal layers" : "Equal regions";
    box.badge = "\u00d7" + std::to_string(group.count);
    if (!layers) box.detail = "as " + group.nodes.front().substr(group.nodes.front().rfind('.') + 1);
  }

  void addToFolded(SceneBox& box, const Node& node, const std::string& path, std::size_t id) {
    if (box.node_group.empty()) {
      const std::size_t dot = box.path.rfind('.');
      box.name = box.path.substr(dot == std::string::npos ? 0 : dot + 1) + " \u2026 " + node.name;
    }
    ++box.folded;
    const auto group = group_of_.find(path);
    if (group == group_of_.end() || group->second->kind != GroupKind::EqualRegions)
      box.detail = std::to_string(box.folded) + " operators";
    model_.in_run[path] = id;
  }

  static Elements elementsOf(const Graph& graph, Endpoint Stream::*end) {
    Elements elements;
    for (const Stream& stream : graph.streams) {
      const Endpoint& endpoint = stream.*end;
      elements[{endpoint.node, endpoint.port}].insert(endpoint.index ? text(*endpoint.index) : "");
    }
    return elements;
  }

  SceneBox makeBox(const Node& node, const std::string& path, std::size_t group, const Elements& from,
                   const Elements& to) const {
    SceneBox box;
    box.path = path.empty() ? node.name : path + "." + node.name;
    box.name = node.name;
    box.title = node.kind;
    box.group = group;
    box.at = node.at;
    if (node.body) {
      makeRegion(*node.body, box);
      return box;
    }
    const OperatorSpec* spec = catalog_.find(node.kind);
    box.detail = parameterLine(node, spec);
    if (spec == nullptr) return box;
    box.category = spec->category;
    for (const PortSpec& port : spec->inputs) addPorts(node, port, to, box.inputs);
    for (const PortSpec& port : spec->outputs) addPorts(node, port, from, box.outputs);
    return box;
  }

  static void makeRegion(const Region& region, SceneBox& box) {
    box.kind = region.collapsed ? SceneBox::Kind::Region : SceneBox::Kind::Frame;
    const bool many = !isOne(region.count);
    const std::size_t inside = region.body.nodes.size();
    box.title = "Region";
    box.detail = std::to_string(inside) + (inside == 1 ? " operator" : " operators");
    if (many) box.badge = "×" + text(region.count);
    const std::string help = many ? "one stream an instance" : "";
    for (const std::string& name : region.inputs) box.inputs.push_back({name, {}, help, many, true, 0});
    for (const std::string& name : region.outputs) box.outputs.push_back({name, {}, help, many, true, 0});
  }

  /// A variadic port is one dot as long as streams use it whole, and one dot for each element that they
  /// single out.
  static void addPorts(const Node& node, const PortSpec& spec, const Elements& elements,
                       std::vector<ScenePort>& ports) {
    const auto used = elements.find({node.name, spec.name});
    std::vector<std::string> singles;
    if (used != elements.end() && !spec.width.empty())
      singles.assign(used->second.begin(), used->second.end());
    if (singles.empty()) singles.emplace_back();
    std::sort(singles.begin(), singles.end(), elementLess);
    for (const std::string& single : singles) {
      const std::string name = single.empty() ? spec.name : spec.name + "[" + single + "]";
      ports.push_back({name, {}, spec.help, single.empty() && !spec.width.empty(), true, 0});
    }
  }

  /// A stream may name a port that the operator lacks: it is shown, so that the mistake can be seen and
  /// picked.
  void addUnknownPorts(const Stream& stream, const std::map<std::string, std::size_t>& named) {
    const auto add = [&](const Endpoint& endpoint, std::vector<ScenePort> SceneBox::*side) {
      const auto found = named.find(endpoint.node);
      if (found == named.end() || portOf(model_.boxes[found->second], side, endpoint) != nowhere) return;
      (model_.boxes[found->second].*side)
          .push_back({spread(endpoint.port, endpoint), {}, "no such port", false, false, 0});
    };
    add(stream.from, &SceneBox::outputs);
    add(stream.to, &SceneBox::inputs);
  }

  static std::size_t portOf(const SceneBox& box, std::vector<ScenePort> SceneBox::*side,
                            const Endpoint& endpoint) {
    if (box.folded > 0) return 0;
    const std::size_t exact = portIndex(box.*side, spread(endpoint.port, endpoint));
    const bool region = box.kind != SceneBox::Kind::Operator;  // its ports stay whole
    return exact == nowhere && region ? portIndex(box.*side, endpoint.port) : exact;
  }

  void addLink(const Stream& stream, std::string id, std::size_t group,
               const std::map<std::string, std::size_t>& named) {
    const std::size_t frame = model_.groups[group].frame;
    const auto end = [&](const Endpoint& endpoint, bool source) -> SceneEnd {
      const bool at_boundary = endpoint.node == boundary && frame != nowhere;
      const auto found = named.find(endpoint.node);
      if (!at_boundary && found == named.end()) return {nowhere, nowhere};
      const std::size_t box = at_boundary ? frame : found->second;
      return {box, portOf(model_.boxes[box], source != at_boundary ? &SceneBox::outputs : &SceneBox::inputs,
                          endpoint)};
    };
    SceneLink link;
    link.from = end(stream.from, true);
    link.to = end(stream.to, false);
    if (link.from.port == nowhere || link.to.port == nowhere) return;
    link.origin = std::move(id);
    if (model_.boxes[link.from.box].folded > 0 && link.from.box == link.to.box) {
      model_.in_run[link.origin] = link.from.box;
      return;
    }
    if (model_.boxes[link.from.box].folded > 0 || model_.boxes[link.to.box].folded > 0) {
      auto& [several, count] = joined_[{link.from.box, link.from.port, link.to.box, link.to.port}];
      if (count++ > 0) {
        model_.by_origin[link.origin] = several;
        model_.links[several].name = std::to_string(count) + " streams";
        model_.links[several].depth.clear();
        return;
      }
      several = model_.links.size();
    }
    model_.by_origin[link.origin] = model_.links.size();
    link.name = text(stream.from) + " → " + text(stream.to);
    link.depth = stream.depth ? text(*stream.depth) : "";
    link.group = group;
    model_.groups[group].links.push_back(model_.links.size());
    model_.links.push_back(std::move(link));
  }

  double labelPorts(std::vector<ScenePort>& ports) const {
    double width = 0;
    const bool needed = ports.size() > 1;
    for (ScenePort& port : ports) {
      if (needed || !port.known) port.label = port.name;
      if (!port.label.empty()) width = std::max(width, text_width_(port.label, TextRole::Port) + 8);
    }
    return std::min(width, 72.0);
  }

  /// In a crowd the name alone says how wide a box is, so that all are seen larger.
  void measure(SceneBox& box, bool crowded) const {
    const double left = labelPorts(box.inputs), right = labelPorts(box.outputs);
    const double badge = box.badge.empty() ? 0 : text_width_(box.badge, TextRole::Title) + 22;
    const double button = box.kind == SceneBox::Kind::Operator ? 20 : 24;  // or the sign of the category
    const double name = text_width_(box.name, TextRole::Name) + badge + button;
    const double lines = std::max({name, text_width_(box.title, TextRole::Title) + 18,
                                   crowded ? 0 : text_width_(box.detail, TextRole::Detail)});
    const double around = Measures::stripe + 2 * Measures::padding + left + right;
    box.width = std::ceil(
        std::clamp(lines + around, Measures::minimum_width, Measures::maximum_width + left + right));
    box.text_left = Measures::stripe + Measures::padding + left;
    box.text_width = box.width - around;
    const auto ports = static_cast<double>(std::max(box.inputs.size(), box.outputs.size()));
    // From afar, two lines of small text have room in a box of a crowd.
    const double least = crowded ? 68 : box.detail.empty() ? 46 : 62;
    box.height = std::max(least, std::ceil(ports * Measures::port_pitch + 8));
    for (auto* side : {&box.inputs, &box.outputs}) {
      for (std::size_t i = 0; i < side->size(); ++i) {
        (*side)[i].y =
            std::round(box.height * (static_cast<double>(i) + 0.5) / static_cast<double>(side->size()));
      }
    }
    box.folded_width = box.width;
    box.folded_height = box.height;
    if (box.kind == SceneBox::Kind::Frame) box.width = std::max(box.width, 220.0);
  }

  const Catalog& catalog_;
  const TextWidth& text_width_;
  const SceneFolding& folding_;
  std::unordered_map<std::string, const SceneNodeGroup*> group_of_;  ///< by path; of folded groups only
  SceneModel model_;
  /// Links that stand for several streams, of the group at work, by their ends: where they are, and of how
  /// many.
  std::map<std::array<std::size_t, 4>, std::pair<std::size_t, std::size_t>> joined_;
};

/// What a parameter adds to the line: a choice speaks for itself, other values need their name.
std::string phrase(const std::string& name, const Value& value, const ParameterSpec* spec) {
  if (const bool* flag = value.boolean()) return *flag ? name : "no " + name;
  const bool plain =
      spec != nullptr && (spec->kind == ParameterKind::Choice || spec->kind == ParameterKind::Input);
  return plain ? text(value) : name + " " + text(value);
}

/// Of the first line. Cuts between characters, not inside one.
std::string shortened(std::string line, std::size_t length) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\n') return line.substr(0, i) + "…";
    const bool starts = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
    if (starts && characters++ == length - 1 && line.size() - i > 1) return line.substr(0, i) + "…";
  }
  return line;
}

}  // namespace

std::string parameterLine(const Node& node, const OperatorSpec* spec, std::size_t length) {
  std::string line;
  const auto add = [&](const std::string& name, const ParameterSpec* parameter) {
    const auto found = node.parameters.find(name);
    if (found == node.parameters.end() || (parameter != nullptr && parameter->initial == found->second))
      return;
    line += (line.empty() ? "" : " · ") + phrase(name, found->second, parameter);
  };
  if (spec == nullptr) {
    for (const auto& [name, value] : node.parameters) add(name, nullptr);
  } else {
    for (const ParameterSpec& parameter : spec->parameters) add(parameter.name, &parameter);
  }
  return shortened(line, length);
}

std::size_t SceneModel::findBox(const std::string& path) const {
  const auto found = by_path.find(path);
  return found == by_path.end() ? nowhere : found->second;
}

std::size_t SceneModel::findLink(const std::string& origin) const {
  const auto found = by_origin.find(origin);
  return found == by_origin.end() ? nowhere : found->second;
}

std::size_t SceneModel::visibleBox(const std::string& path_or_origin) const {
  if (const auto run = in_run.find(path_or_origin); run != in_run.end()) return run->second;
  std::string path = graphOfStream(path_or_origin);  // of a node: its path
  for (bool whole = !namesStream(path_or_origin); !path.empty(); whole = false) {
    const std::size_t box = findBox(path);
    if (box != nowhere && (whole || boxes[box].kind == SceneBox::Kind::Region)) return box;
    if (const auto run = in_run.find(path); run != in_run.end()) return run->second;
    const std::size_t dot = path.rfind('.');
    path.resize(dot == std::string::npos ? 0 : dot);
  }
  return nowhere;
}

std::size_t SceneModel::depth(std::size_t group) const {
  std::size_t depth = 0;
  for (; groups[group].frame != nowhere; group = boxes[groups[group].frame].group) ++depth;
  return depth;
}

SceneModel sceneModel(const Document& document, const Catalog& catalog, const TextWidth& text_width,
                      const SceneFolding& folding) {
  return Builder(catalog, text_width, folding).build(document);
}

}  // namespace sluice::ui
