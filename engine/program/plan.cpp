#include "engine/program/plan.h"

#include <algorithm>
#include <functional>
#include <map>

#include "engine/itensor/itensor_text.h"
#include "engine/program/file_format_names.h"
#include "engine/program/fix_edit.h"
#include "engine/program/spelling.h"
#include "engine/program/stream_id.h"

namespace sluice::inline program {
namespace {

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

Location parameterPlace(const NodePlan& node, const std::string& parameter) {
  return placeOf(node) / Location(Where::Parameter, parameter);
}

std::string kindOf(const Value& value) {
  if (value.integer()) return "the whole number " + text(value);
  if (value.boolean()) return text(value);
  if (value.string()) return "the text '" + text(value) + "'";
  return "the list " + text(value);
}

std::vector<std::string> portNames(const NodePlan& node, bool output) {
  if (node.region) return output ? node.region->outputs : node.region->inputs;
  std::vector<std::string> names;
  for (const PortSpec& port : output ? node.spec->outputs : node.spec->inputs) names.push_back(port.name);
  return names;
}

/// Of a port; without its names, as every stream of every point asks for two.
std::optional<std::size_t> portPosition(const NodePlan& node, bool output, const std::string& name) {
  const auto positionIn = [&](const auto& ports, const auto& projection) -> std::optional<std::size_t> {
    const auto found = std::ranges::find(ports, name, projection);
    if (found == ports.end()) return std::nullopt;
    return static_cast<std::size_t>(found - ports.begin());
  };
  if (node.region) return positionIn(output ? node.region->outputs : node.region->inputs, std::identity());
  return positionIn(output ? node.spec->outputs : node.spec->inputs, &PortSpec::name);
}

std::optional<std::size_t> positionOf(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

Location placeOf(const NodePlan& node) {
  return Location(node.spec ? Where::Operator : Where::Region, node.path);
}

Location placeOf(const NodePlan& node, bool output, std::size_t port) {
  return placeOf(node) /
         Location(output ? Where::OutputPort : Where::InputPort, portNames(node, output)[port]);
}

Location placeOf(const StreamPlan& stream) {
  return Location(Where::Stream, stream.origin,
                  text(stream.written->from) + " -> " + text(stream.written->to));
}

GraphPlan Planner::plan() {
  for (const Input& input : document_.inputs) {
    if (!inputs_.insert(input.name).second)
      sink_.add("duplicate-name", Location(Where::Input, input.name), "there are two inputs of this name",
                "give one of the two another name");
  }
  GraphPlan root;
  planGraph(document_.program, 0, root);
  return root;
}

void Planner::planGraph(const Graph& graph, int depth, GraphPlan& plan) {
  plan.nodes.resize(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    NodePlan& nodePlan = plan.nodes[i];
    nodePlan.path = joined(plan.path, node.name);
    planNode(node, depth, plan, nodePlan);
    const auto place = [&] { return Location(Where::Node, nodePlan.path); };
    if (!plan.positions.emplace(node.name, i).second)
      sink_.add("duplicate-name", place(), "there are two nodes of this name in one graph",
                "give one of the two another name");
    if (!isIdentifier(node.name) || node.name == boundary_name) {
      sink_.add("invalid-name", place(), "this cannot be the name of a node",
                "names are made of letters, digits and _, do not begin with a digit, and are not 'region'");
    }
  }
  const std::vector<std::string> ids = streamIds(graph, plan.path);
  for (std::size_t i = 0; i < graph.streams.size(); ++i) planStream(graph.streams[i], ids[i], plan);
}

void Planner::planNode(const Node& node, int depth, const GraphPlan& graph, NodePlan& plan) {
  if (node.body) return planRegion(node, depth, graph, plan);
  if (node.kind == region_kind) {
    return sink_.add("missing-field", Location(Where::Node, plan.path), "a region without a program",
                     "give it a program, or remove it");
  }
  plan.spec = catalog_.find(node.kind);
  if (plan.spec) return planParameters(node, graph.indices, plan);
  std::vector<std::string> operators;
  for (const OperatorSpec* spec : catalog_.all()) operators.push_back(spec->kind);
  std::vector<std::string> kinds{std::string(region_kind)};
  kinds.insert(kinds.end(), operators.begin(), operators.end());
  sink_.add("unknown-operator", Location(Where::Operator, plan.path),
            "there is no operator of kind '" + node.kind + "'",
            spellingFix(node.kind, kinds, "choose a kind of the palette"), {},
            spellingFixes({FixEdit::Kind::SetKind, plan.path, {}, {}, {}}, node.kind, operators));
}

NodePlan Planner::planOperator(const Node& node, const std::string& path,
                               std::span<const std::string> indices) {
  NodePlan plan;
  plan.path = path;
  plan.spec = catalog_.find(node.kind);
  if (plan.spec) {
    planParameters(node, indices, plan);
  } else {
    sink_.add("unknown-operator", Location(Where::Operator, path),
              "the catalog has no operator of kind '" + node.kind + "'", "add the kind to the catalog");
  }
  return plan;
}

void Planner::planRegion(const Node& node, int depth, const GraphPlan& graph, NodePlan& plan) {
  const Region& region = *node.body;
  plan.region = &region;
  plan.numbered = !(region.count == Value(1));
  const Location place = placeOf(plan);
  if (depth >= max_region_depth) {
    return sink_.add("too-many", place,
                     "regions are nested more than " + std::to_string(max_region_depth) + " deep",
                     "dissolve some of the regions");
  }
  if (const auto count = binding_.open(region.count, graph.indices, place / Location(Where::Field, "count")))
    plan.count = *count;
  for (const auto& [name, value] : node.parameters)
    sink_.add("unknown-parameter", parameterPlace(plan, name), "a region has no parameters", "remove it");
  if (!region.index.empty()) {
    const bool outer = positionOf(region.index, graph.indices).has_value();
    if (!isIdentifier(region.index) || outer || binding_.taken(region.index)) {
      sink_.add(isIdentifier(region.index) ? Code("name-taken") : Code("invalid-name"),
                place / Location(Where::Field, "index '" + region.index + "'"),
                outer ? "a region around has the same index"
                      : "a constant, knob or function has this name, or it is none",
                "give the index another name");
    }
  }
  std::set<std::string> ports;
  for (const auto* names : {&region.inputs, &region.outputs}) {
    for (const std::string& name : *names) {
      if (!isIdentifier(name))
        sink_.add("invalid-name", place, "'" + name + "' cannot be the name of a port",
                  "use letters, digits and _");
      if (!ports.insert(name).second)
        sink_.add("duplicate-name", place, "there are two ports named '" + name + "'",
                  "rename one of the two");
    }
  }
  planWidths(ports, plan);
  plan.body = std::make_unique<GraphPlan>();
  plan.body->path = plan.path;
  plan.body->region = &region;
  plan.body->indices = graph.indices;
  plan.body->indices.push_back(region.index);
  planGraph(region.body, depth + 1, *plan.body);
}

/// The same for every instance, so that a stream of the region has one width.
void Planner::planWidths(const std::set<std::string>& ports, NodePlan& plan) {
  const Region& region = *plan.region;
  for (const auto& [name, width] : region.widths) {
    if (!ports.contains(name)) {
      sink_.add("unknown-port", placeOf(plan) / Location(Where::Field, "widths"),
                "the region has no port '" + name + "'",
                spellingFix(name, {ports.begin(), ports.end()}, "remove it"));
    }
  }
  for (const auto* names : {&region.inputs, &region.outputs}) {
    for (const std::string& name : *names) {
      const auto width = region.widths.find(name);
      plan.widths.push_back(
          width == region.widths.end()
              ? std::nullopt
              : binding_.open(width->second, {},
                              placeOf(plan) / Location(Where::Field, "width of '" + name + "'")));
    }
  }
}

void Planner::planParameters(const Node& node, std::span<const std::string> indices, NodePlan& plan) {
  plan.parameters.reserve(plan.spec->parameters.size());
  for (const ParameterSpec& spec : plan.spec->parameters) {
    const auto given = node.parameters.find(spec.name);
    if (given != node.parameters.end()) {
      planParameter(spec, given->second, indices, plan);
    } else if (spec.initial) {
      planParameter(spec, *spec.initial, indices, plan);
    } else {
      sink_.add("missing-parameter", parameterPlace(plan, spec.name), "it must be given and is missing",
                "set '" + spec.name + "'" + (spec.help.empty() ? "" : ": " + spec.help), {},
                {{FixEdit::Kind::AddParameter, plan.path, spec.name, {}, {}}});
    }
  }
  for (const auto& [name, value] : node.parameters) {
    if (plan.spec->parameter(name)) continue;
    std::vector<std::string> known;
    for (const ParameterSpec& spec : plan.spec->parameters) known.push_back(spec.name);
    sink_.add("unknown-parameter", parameterPlace(plan, name),
              plan.spec->kind + " has no parameter of this name", spellingFix(name, known, "remove it"), {},
              spellingFixes({FixEdit::Kind::RenameParameter, plan.path, name, {}, {}}, name, known));
  }
}

void Planner::planParameter(const ParameterSpec& spec, const Value& value,
                            std::span<const std::string> indices, NodePlan& plan) {
  const auto where = [&] { return parameterPlace(plan, spec.name); };
  const Place place(where);
  switch (spec.kind) {
    case ParameterKind::Integer: {
      if (value.boolean() || value.list())
        return sink_.add("wrong-type", place,
                         "expected a whole number or an expression, found " + kindOf(value),
                         "write for example 4 or E/2");
      auto integer = binding_.open(value, indices, place);
      if (integer) plan.parameters.push_back({spec.name, spec.range, *std::move(integer)});
      return;
    }
    case ParameterKind::IntegerList: {
      if (!value.list())
        return sink_.add("wrong-type", place, "expected a list of whole numbers, found " + kindOf(value),
                         "write for example [1, N]");
      std::vector<OpenInteger> integers;
      for (const Value& element : *value.list()) {
        if (element.boolean() || element.list()) {
          sink_.add("wrong-type", place,
                    "expected whole numbers or expressions in the list, found " + kindOf(element),
                    "write for example [1, N]");
        } else if (auto integer = binding_.open(element, indices, place)) {
          integers.push_back(*std::move(integer));
        }
      }
      if (integers.size() == value.list()->size())
        plan.parameters.push_back({spec.name, spec.range, std::move(integers)});
      return;
    }
    case ParameterKind::Boolean:
      if (!value.boolean())
        return sink_.add("wrong-type", place, "expected true or false, found " + kindOf(value),
                         "write true or false");
      plan.parameters.push_back({spec.name, 0, *value.boolean()});
      return;
    case ParameterKind::Choice:
    case ParameterKind::Input:
    case ParameterKind::Text:
      return planText(spec, value, place, plan);
    case ParameterKind::Orders:
      return planOrders(spec, value, place, plan);
  }
}

/// Read once for all instances: an order is in numbers alone.
void Planner::planOrders(const ParameterSpec& spec, const Value& value, Place place, NodePlan& plan) {
  const std::string write =
      "write for example [\"itensor<4x2xf32, iter_space: [4,2]*[2,4], iter_map: "
      "(d0,d1)->(d1,d0)>\"]";
  if (!value.list())
    return sink_.add("wrong-type", place, "expected a list of iterative tensor types, found " + kindOf(value),
                     write);
  std::vector<StreamOrder> orders;
  for (const Value& element : *value.list()) {
    if (!element.string())
      return sink_.add("wrong-type", place,
                       "expected iterative tensor types in the list, found " + kindOf(element), write);
    if (element.string()->empty()) {
      orders.emplace_back();
      continue;
    }
    const Result<WrittenITensor> read = parseITensor(*element.string(), place);
    if (!read) return sink_.add(read.diagnostics());
    orders.push_back(std::make_shared<const ITensor>(read->type));
  }
  plan.parameters.push_back({spec.name, 0, std::move(orders)});
}

void Planner::planText(const ParameterSpec& spec, const Value& value, Place place, NodePlan& plan) {
  const bool input = spec.kind == ParameterKind::Input;
  const auto allowed = [&] {
    std::vector<std::string> names = spec.choices;
    if (input)
      for (const Input& each : document_.inputs) names.push_back(each.name);
    return names;
  };
  if (!value.string()) {
    return sink_.add("wrong-type", place,
                     std::string("expected ") +
                         (input                              ? "the name of an input"
                          : spec.kind == ParameterKind::Text ? "a text"
                                                             : "a choice") +
                         ", found " + kindOf(value),
                     spellingFix("", allowed(), "write a text"));
  }
  const std::optional<std::string> chosen = binding_.choice(*value.string(), place);
  if (!chosen) return;
  if (input && chosen->empty())  // of an operator that was just added
    return sink_.add("unknown-input", place, "no input of the document is chosen",
                     spellingFix("", allowed(), "add an input, and choose it"));
  const bool known = spec.kind == ParameterKind::Text ||
                     (input ? inputs_.contains(*chosen) : positionOf(*chosen, spec.choices).has_value());
  if (!known) {
    return sink_.add(
        input ? Code("unknown-input") : Code("unknown-choice"), place,
        input ? "the document has no input named '" + *chosen + "'"
              : "'" + *chosen + "' is not one of its choices",
        spellingFix(*chosen, allowed(), "add an input named '" + *chosen + "'"), {},
        *chosen == *value.string() ? symbolFixes(place, *chosen, allowed()) : std::vector<FixEdit>{});
  }
  plan.parameters.push_back({spec.name, 0, *chosen});
}

void Planner::planStream(const Stream& stream, const std::string& id, GraphPlan& plan) {
  StreamPlan result;
  result.written = &stream;
  result.origin = id;
  const auto where = [&] { return placeOf(result); };
  const Place place(where);
  bool whole = planEnd(plan, stream.from, true, place, result.from);
  whole = planEnd(plan, stream.to, false, place, result.to) && whole;
  if (stream.depth) {
    result.depth = binding_.open(*stream.depth, plan.indices,
                                 [&] { return placeOf(result) / Location(Where::Field, "depth"); });
    whole = whole && result.depth;
  }
  if (whole) plan.streams.push_back(std::move(result));
}

bool Planner::planEnd(const GraphPlan& plan, const Endpoint& end, bool source, Place place, EndPlan& result) {
  if (end.node == boundary_name) return planBoundary(plan, end, source, place, result);
  if (end.index) {
    result.index = binding_.open(*end.index, plan.indices, place);
    if (!result.index) return false;
  }
  const auto found = plan.positions.find(end.node);
  if (found == plan.positions.end()) {
    std::vector<std::string> names;
    for (const auto& [name, position] : plan.positions) names.push_back(name);
    sink_.add("unknown-node", place, "there is no node '" + end.node + "' in this graph",
              spellingFix(end.node, names, "add a node of this name, or remove the stream"), {},
              nodeFixes(place, source, end, names));
    return false;
  }
  result.node = found->second;
  const NodePlan& node = plan.nodes[result.node];
  if (!node.spec && !node.region) return false;  // its kind is refused already
  const auto port = portPosition(node, source, end.port);
  if (!port) {
    refusePort(node, end, source, place);
    return false;
  }
  result.port = *port + (node.region && source ? node.region->inputs.size() : 0);
  return true;
}

/// "region.x": the boundary of the region around; its inputs are sources inside.
bool Planner::planBoundary(const GraphPlan& plan, const Endpoint& end, bool source, Place place,
                           EndPlan& result) {
  if (!plan.region) {
    sink_.add("unknown-region", place, "'region' names the boundary of a region, and this stream is in none",
              "name an operator of the program");
    return false;
  }
  const std::vector<std::string>& ports = source ? plan.region->inputs : plan.region->outputs;
  const auto port = positionOf(end.port, ports);
  if (!port) {
    sink_.add("unknown-port", place,
              "the region has no " + std::string(source ? "input '" : "output '") + end.port + "'",
              spellingFix(end.port, ports, "add the port to the region"));
    return false;
  }
  if (end.index) {
    if (!plan.region->widths.contains(end.port)) {
      sink_.add("out-of-range", place,
                "inside a region its boundary is a single stream, but '" + text(end) + "' has an index",
                "remove the index, or give the port a width");
      return false;
    }
    result.index = binding_.open(*end.index, plan.indices, place);
    if (!result.index) return false;
  }
  result.port = source ? *port : plan.region->inputs.size() + *port;
  return true;
}

void Planner::refusePort(const NodePlan& node, const Endpoint& end, bool source, Place place) {
  const std::string wanted = source ? "output" : "input", other = source ? "input" : "output";
  if (portPosition(node, !source, end.port)) {
    return sink_.add(
        "unknown-port", place,
        "'" + end.port + "' is an " + other + " of '" + end.node + "', but an " + wanted + " is needed here",
        "streams go from outputs to inputs: swap the two ends");
  }
  sink_.add(
      "unknown-port", place, "'" + end.node + "' has no " + wanted + " '" + end.port + "'",
      spellingFix(end.port, portNames(node, source), "it has no " + wanted + "s at all: remove the stream"),
      {}, portFixes(place, source, end, portNames(node, source)));
}

}  // namespace sluice::inline program
