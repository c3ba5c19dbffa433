#include "engine/program/wiring.h"

#include <algorithm>

#include "engine/program/fields.h"

namespace sluice::inline program {
namespace {

std::string countText(std::size_t width) {
  return width == 1 ? "1 stream" : std::to_string(width) + " streams";
}

}  // namespace

Wiring::Wiring(FlatGraph& graph, const GraphInstances& root, std::size_t junctions, Binding& binding,
               DiagnosticSink& sink)
    : graph_(graph), root_(root), binding_(binding), sink_(sink), junctions_(junctions) {
  numberEnds();
  numberJunctions(root);
}

void Wiring::numberEnds() {
  std::size_t points = 0, targets = 0;
  for (OperatorId id = 0; id < graph_.operators.size(); ++id) {
    const FlatOperator& op = graph_.operators[id];
    first_point_.push_back(points);
    first_target_.push_back(targets);
    points += op.outputs.size();
    targets += op.inputs.size();
    owner_of_point_.resize(points, id);
    owner_of_target_.resize(targets, id);
  }
  first_point_.push_back(points);
  first_target_.push_back(targets);
  fed_by_.resize(targets + junctions_.size());
  reached_.resize(junctions_.size());
}

void Wiring::numberJunctions(const GraphInstances& graph) {
  for (std::size_t port = 0; port < graph.ports(); ++port) {
    const std::size_t width = graph.widths[port];
    for (std::size_t i = 0; i < graph.instances.size() * width; ++i)
      junctions_[graph.first_junction[port] + i] = {&graph, i / width, port, i % width};
  }
  for (const NodeInstances& node : graph.nodes)
    if (node.bodies) numberJunctions(*node.bodies);
}

void Wiring::connect(Ports ports) {
  ports_ = ports;
  connectGraph(root_);
  sortLinks();
  if (!sink_.empty() || ports == Ports::Open) return;
  findOpenEnds(root_);
}

void Wiring::connectGraph(const GraphInstances& graph) {
  for (const StreamPlan& stream : graph.plan->streams)
    for (std::size_t i = 0; i < graph.instances.size() && !sink_.cancelled(); ++i)
      connectStream(graph, stream, i);
  for (const NodeInstances& node : graph.nodes)
    if (node.bodies) connectGraph(*node.bodies);
}

void Wiring::connectStream(const GraphInstances& graph, const StreamPlan& stream, std::size_t instance) {
  const auto where = [&] { return placeOf(stream); };
  const Place place(where);
  const std::optional<Bundle> from = bundle(graph, stream.from, instance, true, place);
  const std::optional<Bundle> to = bundle(graph, stream.to, instance, false, place);
  if (!from || !to) return;
  if (from->width != to->width) return complainWidths(graph, stream, *from, *to);
  std::uint64_t depth = 0;
  if (stream.depth) {
    const auto bound = binding_.close(*stream.depth, graph.plan->indices, graph.instances[instance].indices,
                                      fieldOf(&Stream::depth).range,
                                      [&] { return placeOf(stream) / Location(Where::Field, "depth"); });
    if (!bound) return;
    depth = static_cast<std::uint64_t>(bound->value);
  }
  for (std::size_t i = 0; i < from->width; ++i) {
    const std::size_t point = from->first + i, target = to->first + i;
    if (fed_by_[target]) {
      const Location other = placeOf(*fed_by_[target]);
      sink_.add("port-driven-twice", place, "its destination is already fed by " + text(other),
                "remove one of the two, or join them with a Reassemble", {other});
      continue;
    }
    fed_by_[target] = &stream;
    links_.push_back({point, target, &stream, depth});
  }
}

std::optional<Wiring::Bundle> Wiring::bundle(const GraphInstances& graph, const EndPlan& end,
                                             std::size_t instance, bool source, Place place) {
  const std::size_t operatorEnds = source ? first_point_.back() : first_target_.back();
  Bundle all;
  bool single = false;
  if (end.node == EndPlan::boundary) {
    all = {operatorEnds + graph.junction(end.port, instance), graph.widths[end.port], false};
  } else if (const NodeInstances& node = graph.nodes[end.node]; node.bodies) {
    const std::size_t first = node.bodies->junction(end.port, node.first_child[instance]);
    const std::size_t last = node.bodies->junction(end.port, node.first_child[instance + 1]);
    all = {operatorEnds + first, last - first, true};
  } else {
    const std::size_t id = node.first_operator + instance;
    const FlatOperator& op = graph_.operators[id];
    const std::vector<PortSpec>& ports = source ? op.spec->outputs : op.spec->inputs;
    all.first = source ? first_point_[id] : first_target_[id];
    for (std::size_t i = 0; i < end.port; ++i) all.first += widthOf(op, ports[i]);
    all.width = widthOf(op, ports[end.port]);
    single = ports[end.port].width.empty();
  }
  if (!end.index) return all;
  const auto index =
      binding_.close(*end.index, graph.plan->indices, graph.instances[instance].indices, Range{0}, place);
  if (!index) return std::nullopt;
  if (single || static_cast<std::size_t>(index->value) >= all.width) {
    const std::string& owner =
        end.node == EndPlan::boundary ? graph.plan->path : graph.plan->nodes[end.node].path;
    const std::string port = std::string(source ? "the output" : "the input") + " of '" + owner + "'";
    sink_.add("out-of-range", place,
              single ? port + " is a single stream and has no element [" + std::to_string(index->value) + "]"
                     : port + " bundles " + countText(all.width) + ", there is no [" +
                           std::to_string(index->value) + "]",
              single ? "remove the index" : "use an index from 0 to " + std::to_string(all.width - 1));
    return std::nullopt;
  }
  return Bundle{all.first + static_cast<std::size_t>(index->value), 1, false};
}

void Wiring::complainWidths(const GraphInstances& graph, const StreamPlan& stream, const Bundle& from,
                            const Bundle& to) {
  const std::string width = std::to_string(to.width);
  std::string fix = "make the two widths equal";
  if (from.width == 1 && to.region) {
    const std::string count = text(graph.plan->nodes[stream.to.node].region->count);
    fix = "put a Broadcast with ways = " + count +
          " between them, or a Partition if every instance is to get another part";
  } else if (from.width == 1) {
    fix = "name one element, as in [0], or put a Broadcast with ways = " + width + " between them";
  } else if (to.width == 1) {
    fix = "name one element, as in [0], or join the streams with a Reassemble";
  }
  sink_.add("width-mismatch", placeOf(stream),
            "its source is " + countText(from.width) + ", its destination " + countText(to.width), fix);
}

void Wiring::sortLinks() {
  std::stable_sort(links_.begin(), links_.end(),
                   [](const Link& a, const Link& b) { return a.point < b.point; });
  first_link_.assign(first_point_.back() + junctions_.size() + 1, links_.size());
  for (std::size_t i = links_.size(); i-- > 0;) first_link_[links_[i].point] = i;
  for (std::size_t i = first_link_.size() - 1; i-- > 0;)
    first_link_[i] = std::min(first_link_[i], first_link_[i + 1]);
}

std::span<const Wiring::Link> Wiring::linksFrom(std::size_t point) const {
  return std::span(links_).subspan(first_link_[point], first_link_[point + 1] - first_link_[point]);
}

void Wiring::findOpenEnds(const GraphInstances& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const NodePlan& node = graph.plan->nodes[i];
    const NodeInstances& instances = graph.nodes[i];
    if (instances.bodies) {
      findOpenJunctions(node, *instances.bodies);
      findOpenEnds(*instances.bodies);
      continue;
    }
    for (std::size_t k = 0; k < graph.instances.size(); ++k) {
      const std::size_t id = instances.first_operator + k;
      findOpenPorts(node, graph_.operators[id], id, false);
      findOpenPorts(node, graph_.operators[id], id, true);
    }
  }
}

void Wiring::findOpenPorts(const NodePlan& node, const FlatOperator& op, std::size_t id, bool output) {
  const std::vector<PortSpec>& ports = output ? op.spec->outputs : op.spec->inputs;
  std::size_t end = output ? first_point_[id] : first_target_[id];
  for (std::size_t port = 0; port < ports.size(); ++port) {
    const std::size_t width = widthOf(op, ports[port]);
    std::size_t open = 0, firstOpen = 0;
    for (std::size_t i = 0; i < width; ++i, ++end) {
      if (output ? !linksFrom(end).empty() : isFed(end)) continue;
      if (open++ == 0) firstOpen = i;
    }
    if (open == 0) continue;
    const std::string which = ports[port].width.empty() ? "it"
                              : open == width           ? "none of its " + countText(width)
                                                        : "[" + std::to_string(firstOpen) + "]";
    const bool none = open == width && !ports[port].width.empty();
    sink_.add("unconnected-port", placeOf(node, output, port),
              output ? which + (none ? " is consumed" : " is not consumed by any stream")
                     : which + (none ? " is fed" : " is not fed by any stream"),
              output ? "connect it to an input; add a Consumer if its tokens are not needed"
                     : "connect an output to it");
  }
}

void Wiring::findOpenJunctions(const NodePlan& node, const GraphInstances& bodies) {
  const std::size_t inputs = node.region->inputs.size();
  if (bodies.ports() == 0) return;
  const std::size_t begin = bodies.first_junction.front();
  const std::size_t end = bodies.junction(bodies.ports() - 1, bodies.instances.size());
  for (std::size_t junction = begin; junction < end; ++junction) {
    const bool fed = isFed(first_target_.back() + junction);
    const bool consumed = !linksFrom(first_point_.back() + junction).empty();
    if (fed && consumed) continue;
    const std::size_t port = junctions_[junction].port;
    const bool output = port >= inputs;
    const Location place = placeOf(node, output, output ? port - inputs : port);
    const std::string number =
        node.numbered ? " of " + bodies.instances[junctions_[junction].instance].prefix : "";
    const std::string instance = number.empty() ? "" : number.substr(0, number.size() - 1);
    if (!fed) {
      sink_.add("unconnected-port", place,
                (output ? "nothing inside the region feeds it" : "no stream feeds it" + instance),
                output ? "connect an output to region." + node.region->outputs[port - inputs]
                       : "connect an output to it");
    }
    if (!consumed) {
      sink_.add("unconnected-port", place,
                (output ? "no stream consumes it" + instance : "nothing inside the region consumes it"),
                "connect it to an input; add a Consumer if its tokens are not needed");
    }
  }
}

}  // namespace sluice::inline program
