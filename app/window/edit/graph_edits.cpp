#include "app/window/edit/graph_edits.h"

#include <algorithm>
#include <map>

#include "engine/program/fix_edit.h"
#include "engine/program/spelling.h"
#include "engine/schedule/graph_edit.h"
#include "engine/schedule/transformation.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

const PortSpec* singlePort(const std::vector<PortSpec>& ports) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [](const PortSpec& port) { return port.width.empty(); });
  return found == ports.end() ? nullptr : &*found;
}

std::string place(Graph& graph, Node node, const std::string& path) {
  node.name = GraphEdit(graph).freshName(node.name);
  graph.nodes.push_back(std::move(node));
  return joinPath(path, graph.nodes.back().name);
}

/// "BinaryMapAccum" -> "binary_map_accum".
std::string snakeCase(const std::string& kind) {
  std::string name;
  for (const char letter : kind) {
    const bool upper = letter >= 'A' && letter <= 'Z';
    if (upper && !name.empty()) name += '_';
    name += upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return name;
}

/// What a step says of a node, of one inside it, or of a port of one of these. A port may also be named
/// relative to the step's region.
void followInSteps(Document& document, const std::string& old_path, const std::string& new_path) {
  for (ScheduleStep& step : document.schedule) {
    const Transformation* known = findTransformation(step.transformation);
    if (!known) continue;
    std::string around;  // "expert."
    for (const ArgumentSpec& spec : known->spec.arguments) {
      const auto given = step.arguments.find(spec.name);
      const std::string* said = given == step.arguments.end() ? nullptr : given->second.string();
      if (!said || !(namesNode(spec) || namesPort(spec))) continue;
      Value& value = given->second;
      if (spec.kind == ArgumentKind::Region) around = *said + ".";
      if (isWithin(*said, old_path)) {
        value = new_path + said->substr(old_path.size());
      } else if (namesPort(spec) && around.size() > 1 && old_path.starts_with(around) &&
                 isWithin(*said, old_path.substr(around.size()))) {
        value = new_path.substr(around.size()) + said->substr(old_path.size() - around.size());
      }
    }
  }
}

}  // namespace

void followInPins(Document& document, const std::map<std::string, std::string>& moved) {
  std::set<std::string> pinned;
  for (const std::string& path : document.pinned) {
    const auto around = std::find_if(moved.begin(), moved.end(),
                                     [&](const auto& each) { return isWithin(path, each.first); });
    pinned.insert(around == moved.end() ? path : around->second + path.substr(around->first.size()));
  }
  document.pinned = std::move(pinned);
}

std::string graphOf(const std::string& path_or_id) {
  if (namesStream(path_or_id)) return graphOfStream(path_or_id);
  const std::size_t dot = path_or_id.rfind('.');
  return dot == std::string::npos ? "" : path_or_id.substr(0, dot);
}

std::string nameOf(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

std::string joinPath(const std::string& graph, const std::string& name) {
  return graph.empty() ? name : graph + "." + name;
}

std::set<std::string> outermost(const std::set<std::string>& nodes) {
  std::set<std::string> result;
  for (const std::string& node : nodes) {
    bool inside = false;
    for (std::string around = graphOf(node); !around.empty(); around = graphOf(around))
      inside = inside || nodes.contains(around);
    if (!inside) result.insert(node);
  }
  return result;
}

Result<std::string> commonGraph(const std::set<std::string>& nodes) {
  const std::set<std::string> outer = outermost(nodes);
  if (outer.empty())
    return error("nothing-selected", "selection", "no node is selected", "select a node on the canvas");
  const std::string graph = graphOf(*outer.begin());
  for (const std::string& node : outer) {
    if (graphOf(node) == graph) continue;
    Diagnostic apart = error("not-editable", Location(Where::Node, node),
                             "it does not stand in the same region as '" + *outer.begin() + "'",
                             "select nodes of one region only");
    apart.related = {Location(Where::Node, *outer.begin())};
    return apart;
  }
  return graph;
}

Node newNode(const Document& document, const OperatorSpec& spec, const std::string& name) {
  Node node;
  node.name = name;
  node.kind = spec.kind;
  for (const ParameterSpec& parameter : spec.parameters)
    if (!parameter.initial) node.parameters[parameter.name] = startingValue(document, parameter);
  return node;
}

std::string addOperator(Document& document, const std::string& graph, const OperatorSpec& spec, Position at) {
  Graph* around = findGraph(document, graph);
  if (!around) return {};
  Node node = newNode(document, spec, snakeCase(spec.kind));
  node.at = at;
  return place(*around, std::move(node), graph);
}

std::string addRegion(Document& document, const std::string& graph, Position at) {
  Graph* around = findGraph(document, graph);
  if (!around) return {};
  Node node;
  node.name = "part";  // "region" is kept for the boundary
  node.kind = "Region";
  node.at = at;
  node.body = Region{};
  node.body->collapsed = false;
  return place(*around, std::move(node), graph);
}

void addStream(Document& document, const std::string& graph, const Stream& stream) {
  if (Graph* around = findGraph(document, graph)) around->streams.push_back(stream);
}

bool canInsert(const OperatorSpec& spec) {
  return singlePort(spec.inputs) && singlePort(spec.outputs);
}

std::string insertOnStream(Document& document, const std::string& origin, const OperatorSpec& spec,
                           Position at) {
  Stream* stream = findStream(document, origin);
  if (!stream || !canInsert(spec)) return {};
  const std::string graph = graphOf(origin);
  const Endpoint target = stream->to;
  const std::optional<Value> depth = stream->depth;
  const std::string path = addOperator(document, graph, spec, at);
  const std::string name = nameOf(path);
  stream->to = {name, singlePort(spec.inputs)->name, {}};  // streams have not moved, only nodes
  findGraph(document, graph)->streams.push_back({{name, singlePort(spec.outputs)->name, {}}, target, depth});
  return path;
}

void removeParts(Document& document, const Selection& parts) {
  std::set<std::string> graphs;  // that lose streams
  for (const std::string& id : parts.streams) graphs.insert(graphOf(id));
  for (const std::string& path : graphs) {
    Graph* graph = findGraph(document, path);
    if (!graph) continue;
    const std::vector<std::string> ids = streamIds(*graph, path);
    std::vector<Stream> left;
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (!parts.streams.contains(ids[i])) left.push_back(std::move(graph->streams[i]));
    graph->streams = std::move(left);
  }
  for (const std::string& path : outermost(parts.nodes)) {
    Graph* graph = findGraph(document, graphOf(path));
    if (graph && graph->find(nameOf(path))) GraphEdit(*graph).erase(nameOf(path));
  }
}

Result<Done> renameNode(Document& document, const std::string& path, const std::string& name) {
  const Location where(Where::Node, path);
  Graph* graph = findGraph(document, graphOf(path));
  Node* node = findNode(document, path);
  if (!graph || !node) return error("unknown-node", where, "the program has no such node", "select a node");
  if (name == node->name) return Done{};
  if (!isIdentifier(name) || name == "region")
    return error("invalid-name", where, "'" + name + "' cannot be the name of a node",
                 "use letters, digits and _, not a digit first, and not 'region'");
  if (graph->find(name)) {
    Diagnostic taken =
        error("name-taken", where, "there is a node '" + name + "' already", "choose another name");
    taken.related = {Location(Where::Node, joinPath(graphOf(path), name))};
    return taken;
  }
  for (Stream& stream : graph->streams) {
    for (Endpoint* end : {&stream.from, &stream.to})
      if (end->node == node->name) end->node = name;
  }
  node->name = name;
  followInSteps(document, path, joinPath(graphOf(path), name));
  followInPins(document, {{path, joinPath(graphOf(path), name)}});
  return Done{};
}

}  // namespace sluice::ui
