// Grouping nodes into a region, and dissolving one.

#include <algorithm>
#include <map>

#include "app/window/edit/graph_edits.h"
#include "engine/program/spelling.h"
#include "engine/schedule/graph_edit.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

/// How many streams an endpoint bundles, as written.
Value widthOf(const Node& node, const Endpoint& end, bool output, const Catalog& catalog) {
  if (end.index) return 1;
  if (node.body) {
    const auto width = node.body->widths.find(end.port);
    return width == node.body->widths.end() ? node.body->count : product(node.body->count, width->second);
  }
  const OperatorSpec* spec = catalog.find(node.kind);
  for (const PortSpec& port : spec ? (output ? spec->outputs : spec->inputs) : std::vector<PortSpec>{}) {
    if (port.name != end.port || port.width.empty()) continue;
    const auto given = node.parameters.find(port.width);
    if (given != node.parameters.end()) return given->second;
    const ParameterSpec* parameter = spec->parameter(port.width);
    return parameter && parameter->initial ? *parameter->initial : Value(1);
  }
  return 1;
}

/// Of the region's boundary, seen from inside.
Value widthAtBoundary(const Region& region, const Endpoint& end) {
  const auto width = region.widths.find(end.port);
  return end.index || width == region.widths.end() ? Value(1) : width->second;
}

class Grouping {
 public:
  Grouping(Graph& graph, std::set<std::string> names, const Catalog& catalog)
      : graph_(graph), names_(std::move(names)), catalog_(catalog) {}

  Node run() {
    for (const Stream& stream : graph_.streams) sort(stream);
    Node node;
    node.name = GraphEdit(graph_).freshName("part");
    node.kind = "Region";
    for (const Node& inner : graph_.nodes)
      if (names_.contains(inner.name)) region_.body.nodes.push_back(inner);
    node.at = region_.body.nodes.front().at;
    shiftToOrigin();
    region_.collapsed = false;
    for (Stream& stream : outer_) {
      for (Endpoint* end : {&stream.from, &stream.to})
        if (end->node.empty()) end->node = node.name;
    }
    node.body = std::move(region_);
    return node;
  }
  std::vector<Stream> takeOuter() { return std::move(outer_); }

 private:
  bool inside(const Endpoint& end) const { return names_.contains(end.node); }

  /// The streams of one source stay one source wherever all of them go inside: then a port is enough. Where
  /// some go elsewhere, each crossing stream gets a port, and the fan-out stays where it was.
  bool allInside(const Endpoint& source) const {
    return std::all_of(graph_.streams.begin(), graph_.streams.end(),
                       [&](const Stream& stream) { return !(stream.from == source) || inside(stream.to); });
  }

  std::string port(const std::string& wish, std::vector<std::string>& ports, const Value& width) {
    const std::string name = freeName(wish, [&](const std::string& each) {
      return std::count(region_.inputs.begin(), region_.inputs.end(), each) +
                 std::count(region_.outputs.begin(), region_.outputs.end(), each) >
             0;
    });
    ports.push_back(name);
    if (!(width == Value(1))) region_.widths[name] = width;
    return name;
  }

  void sort(const Stream& stream) {
    const bool from = inside(stream.from), to = inside(stream.to);
    if (from && to) {
      region_.body.streams.push_back(stream);
    } else if (to) {
      enter(stream);
    } else if (from) {
      const Node& node = *graph_.find(stream.from.node);
      const std::string name = port(stream.from.node + "_" + stream.from.port, region_.outputs,
                                    widthOf(node, stream.from, true, catalog_));
      region_.body.streams.push_back({stream.from, {"region", name, {}}, {}});
      outer_.push_back({{"", name, {}}, stream.to, stream.depth});
    } else {
      outer_.push_back(stream);
    }
  }

  void enter(const Stream& stream) {
    const bool shared = allInside(stream.from);
    const auto known = shared_.find(text(stream.from));
    std::string name = shared && known != shared_.end() ? known->second : "";
    if (name.empty()) {
      const Node* node = graph_.find(stream.to.node);
      name = port(stream.from.node == "region" ? stream.from.port : stream.from.node, region_.inputs,
                  widthOf(*node, stream.to, false, catalog_));
      if (shared) shared_[text(stream.from)] = name;
      outer_.push_back({stream.from, {"", name, {}}, {}});
    }
    region_.body.streams.push_back({{"region", name, {}}, stream.to, stream.depth});
  }

  void shiftToOrigin() {
    const std::optional<Position> origin = region_.body.nodes.front().at;
    for (Node& inner : region_.body.nodes) {
      if (inner.at && origin) inner.at = Position{inner.at->x - origin->x, inner.at->y - origin->y};
    }
  }

  Graph& graph_;
  const std::set<std::string> names_;
  const Catalog& catalog_;
  Region region_;
  std::vector<Stream> outer_;  ///< an end without a node is the region
  std::map<std::string, std::string> shared_;
};

/// The port of a region stands between the streams outside and those inside: each pair becomes one stream.
void bridge(const std::string& region, const std::vector<Stream>& inner, std::vector<Stream>& outer) {
  std::vector<Stream> joined;
  for (const Stream& stream : outer) {
    const bool into = stream.to.node == region, out = stream.from.node == region;
    if (!into && !out) {
      joined.push_back(stream);
      continue;
    }
    for (const Stream& other : inner) {
      const std::optional<Value> depth = stream.depth ? stream.depth : other.depth;
      const bool from_port = other.from.node == "region", to_port = other.to.node == "region";
      if (into && from_port && !to_port && other.from.port == stream.to.port)
        joined.push_back({stream.from, other.to, depth});
      if (!out || !to_port || other.to.port != stream.from.port) continue;
      if (!from_port) joined.push_back({other.from, stream.to, depth});
      for (const Stream& far : outer)  // right through the region
        if (from_port && far.to.node == region && far.to.port == other.from.port)
          joined.push_back({far.from, stream.to, depth ? depth : far.depth});
    }
  }
  for (const Stream& stream : inner)
    if (stream.from.node != "region" && stream.to.node != "region") joined.push_back(stream);
  outer = std::move(joined);
}

}  // namespace

bool isBundle(const Document& document, const std::string& graph, const Endpoint& end, bool output,
              const Catalog& catalog) {
  if (end.node == "region") {
    const Node* around = findNode(document, graph);
    return around && around->body && !(widthAtBoundary(*around->body, end) == Value(1));
  }
  const Node* node = findNode(document, joinPath(graph, end.node));
  return node && !(widthOf(*node, end, output, catalog) == Value(1));
}

Result<std::string> groupIntoRegion(Document& document, const std::set<std::string>& nodes,
                                    const Catalog& catalog) {
  SLUICE_TRY(const std::string path, commonGraph(nodes));
  Graph& graph = *findGraph(document, path);
  std::set<std::string> names;
  for (const std::string& node : outermost(nodes)) {
    if (graph.find(nameOf(node))) names.insert(nameOf(node));
  }
  if (names.empty())
    return error("nothing-selected", "selection", "the program has none of these nodes", "select a node");
  Grouping grouping(graph, names, catalog);
  Node region = grouping.run();
  const std::string name = joinPath(path, region.name);
  std::map<std::string, std::string> moved;
  for (const std::string& node : names) moved[joinPath(path, node)] = joinPath(name, node);
  followInPins(document, moved);
  graph.streams = grouping.takeOuter();
  const auto first = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                  [&](const Node& node) { return names.contains(node.name); });
  *first = std::move(region);
  std::erase_if(graph.nodes, [&](const Node& node) { return names.contains(node.name); });
  return name;
}

Result<std::vector<std::string>> dissolveRegion(Document& document, const std::string& path) {
  const Node* region = findNode(document, path);
  const Location place(Where::Node, path);
  if (!region || !region->body)
    return error("unknown-region", place, "it is not a region", "select a region");
  if (!(region->body->count == Value(1)))
    return error("not-editable", place, "it has " + text(region->body->count) + " instances",
                 "set its count to 1 first, or keep it");
  Graph& around = *findGraph(document, graphOf(path));
  if (!region->body->index.empty())
    return error("not-editable", place,
                 "its nodes may name the number of its instance, " + region->body->index,
                 "take the name of the index away first, or keep the region");
  const std::size_t position = static_cast<std::size_t>(region - around.nodes.data());
  Node taken = *region;
  Graph& body = taken.body->body;
  around.nodes.erase(around.nodes.begin() + static_cast<std::ptrdiff_t>(position));
  std::vector<std::string> paths;
  std::map<std::string, std::string> renamed, moved;
  std::size_t next = position;
  for (Node& node : body.nodes) {
    const std::string old = node.name;
    node.name = renamed[old] = GraphEdit(around).freshName(old);
    if (node.at && taken.at) node.at = Position{node.at->x + taken.at->x, node.at->y + taken.at->y};
    paths.push_back(moved[joinPath(path, old)] = joinPath(graphOf(path), node.name));
    around.nodes.insert(around.nodes.begin() + static_cast<std::ptrdiff_t>(next++), node);
  }
  for (Stream& stream : body.streams) {
    for (Endpoint* end : {&stream.from, &stream.to})
      if (const auto found = renamed.find(end->node); found != renamed.end()) end->node = found->second;
  }
  bridge(taken.name, body.streams, around.streams);
  document.pinned.erase(path);
  followInPins(document, moved);
  return paths;
}

}  // namespace sluice::ui
