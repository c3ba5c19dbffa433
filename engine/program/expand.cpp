#include "engine/program/expand.h"

#include <limits>
#include <string_view>

#include "engine/program/fields.h"

namespace sluice::inline program {
namespace {

std::string_view lastName(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

Location parameterPlace(const NodePlan& node, const ParameterPlan& parameter) {
  return placeOf(node) / Location(Where::Parameter, parameter.name);
}

/// Does it have another value in every instance?
bool perInstance(const ParameterPlan& parameter) {
  if (const auto* integer = std::get_if<OpenInteger>(&parameter.value)) return !integer->bound;
  if (const auto* list = std::get_if<std::vector<OpenInteger>>(&parameter.value)) {
    for (const OpenInteger& integer : *list)
      if (!integer.bound) return true;
  }
  return false;
}

/// Binds one parameter; what fails is complained about and left out.
void bindParameter(const NodePlan& node, const ParameterPlan& parameter, std::span<const std::string> indices,
                   std::span<const std::int64_t> instance, Binding& binding, Parameters& parameters) {
  const auto close = [&](const OpenInteger& integer) {
    return binding.close(integer, indices, instance, parameter.range,
                         [&] { return parameterPlace(node, parameter); });
  };
  if (const auto* integer = std::get_if<OpenInteger>(&parameter.value)) {
    if (auto bound = close(*integer)) parameters.set(parameter.name, *std::move(bound));
  } else if (const auto* list = std::get_if<std::vector<OpenInteger>>(&parameter.value)) {
    std::vector<BoundInteger> bound;
    for (const OpenInteger& each : *list)
      if (auto value = close(each)) bound.push_back(*std::move(value));
    parameters.set(parameter.name, std::move(bound));
  } else if (const auto* orders = std::get_if<std::vector<StreamOrder>>(&parameter.value)) {
    parameters.set(parameter.name, *orders);
  } else if (const auto* boolean = std::get_if<bool>(&parameter.value)) {
    parameters.set(parameter.name, *boolean);
  } else {
    parameters.set(parameter.name, std::get<std::string>(parameter.value));
  }
}

}  // namespace

std::size_t widthOf(const FlatOperator& op, const PortSpec& port) {
  return port.width.empty() ? 1 : static_cast<std::size_t>(op.parameters.integer(port.width));
}

GraphInstances Expander::expand(const GraphPlan& plan) {
  GraphInstances root;
  root.plan = &plan;
  root.instances.emplace_back();
  expandGraph(root);
  return root;
}

void Expander::expandGraph(GraphInstances& graph) {
  for (const NodePlan& node : graph.plan->nodes) {
    if (stopped_) return;
    NodeInstances& result = graph.nodes.emplace_back();
    if (node.region) {
      expandRegion(node, graph, result);
    } else {
      expandOperator(node, graph, result);
    }
  }
}

bool Expander::tooMany(const NodePlan& node) {
  if (sink_.cancelled()) return stopped_ = true;
  if (operators_.size() <= max_operators && bodies_ <= max_operators && ports_ + junctions_ <= max_ports)
    return false;
  sink_.add("too-many", placeOf(node),
            "the program grows beyond " + std::to_string(max_operators) + " operators or " +
                std::to_string(max_ports) + " ports",
            "lower the counts of the regions or the widths of the bundles");
  stopped_ = true;
  return true;
}

Parameters Expander::sharedParameters(const NodePlan& node) {
  Parameters shared;
  for (const ParameterPlan& parameter : node.parameters)
    if (!perInstance(parameter)) bindParameter(node, parameter, {}, {}, binding_, shared);
  return shared;
}

FlatOperator Expander::makeOperator(const NodePlan& node, const Parameters& shared,
                                    std::span<const std::string> indices, const GraphInstance& instance) {
  FlatOperator op;
  const std::string_view last = lastName(node.path);
  op.name.reserve(instance.prefix.size() + last.size());
  op.name.append(instance.prefix).append(last);
  op.origin = node.path;
  op.spec = node.spec;
  op.parameters = shared;
  for (const ParameterPlan& parameter : node.parameters)
    if (perInstance(parameter))
      bindParameter(node, parameter, indices, instance.indices, binding_, op.parameters);
  for (const auto& [ports, streams] :
       {std::pair(&node.spec->inputs, &op.inputs), {&node.spec->outputs, &op.outputs}}) {
    for (const PortSpec& port : *ports) {
      if (!port.width.empty() && !op.parameters.values().contains(port.width))
        return op;  // told when it was bound
      const std::size_t width = widthOf(op, port);
      ports_ += std::min(width, max_ports);
      if (tooMany(node)) return op;
      streams->resize(streams->size() + width, unconnected);
    }
  }
  return op;
}

void Expander::expandOperator(const NodePlan& node, const GraphInstances& graph, NodeInstances& result) {
  result.first_operator = static_cast<OperatorId>(operators_.size());
  const Parameters shared = sharedParameters(node);
  for (const GraphInstance& instance : graph.instances) {
    operators_.push_back(makeOperator(node, shared, graph.plan->indices, instance));
    if (stopped_ || tooMany(node)) return;
  }
}

void Expander::expandRegion(const NodePlan& node, const GraphInstances& graph, NodeInstances& result) {
  result.bodies = std::make_unique<GraphInstances>();
  result.bodies->plan = node.body.get();
  std::vector<std::int64_t> counts;  // all of them first: too many are refused before any is made
  for (const GraphInstance& outer : graph.instances) {
    const auto count =
        binding_.close(node.count, graph.plan->indices, outer.indices, fieldOf(&Region::count).range,
                       [&] { return placeOf(node) / Location(Where::Field, "count"); });
    if (!count) {
      stopped_ = true;
      return;
    }
    counts.push_back(count->value);
    bodies_ += std::min(static_cast<std::size_t>(count->value), max_ports);
    if (tooMany(node)) return;
  }
  const std::string name(lastName(node.path));
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const GraphInstance& outer = graph.instances[k];
    result.first_child.push_back(result.bodies->instances.size());
    for (std::int64_t number = 0; number < counts[k]; ++number) {
      GraphInstance body{outer.prefix + name + (node.numbered ? "[" + std::to_string(number) + "]." : "."),
                         outer.indices};
      body.indices.push_back(number);
      result.bodies->instances.push_back(std::move(body));
    }
  }
  result.first_child.push_back(result.bodies->instances.size());
  if (!placePorts(node, *result.bodies)) return;
  const auto first = static_cast<OperatorId>(operators_.size());
  expandGraph(*result.bodies);
  if (!node.region->by_instance) return;
  InstanceOrder& order = orders_.emplace_back();
  order.first = first;
  order.last = static_cast<OperatorId>(operators_.size());
  for (const GraphInstance& instance : result.bodies->instances) order.prefixes.push_back(instance.prefix);
}

bool Expander::placePorts(const NodePlan& node, GraphInstances& bodies) {
  for (const std::optional<OpenInteger>& open : node.widths) {
    std::size_t width = 1;
    if (open) {
      const auto bound = binding_.close(*open, {}, {}, fieldOf(&Region::widths).range,
                                        placeOf(node) / Location(Where::Field, "widths"));
      if (!bound) {
        stopped_ = true;
        return false;
      }
      width = std::min(static_cast<std::size_t>(bound->value), max_ports);
    }
    bodies.widths.push_back(width);
    bodies.first_junction.push_back(junctions_);
    junctions_ += bodies.instances.size() * width;
    if (tooMany(node)) return false;
  }
  return true;
}

}  // namespace sluice::inline program
