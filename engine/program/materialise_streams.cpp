// Wiring, second half: from connected ends to flat streams and inferred broadcasts.

#include <stdexcept>

#include "engine/program/wiring.h"

namespace sluice::inline program {

void Wiring::materialiseStreams(Planner& planner, Expander& expander) {
  planner_ = &planner;
  expander_ = &expander;
  const std::size_t written = graph_.operators.size();  // broadcasts are appended behind
  graph_.streams.reserve(first_target_.back());         // one into every input, but for theirs
  for (OperatorId id = 0; id < written && !sink_.cancelled(); ++id) {
    for (std::uint32_t port = 0; port < first_point_[id + 1] - first_point_[id]; ++port)
      pourFrom(first_point_[id] + port, {id, port, {}});
  }
  if (ports_ == Ports::Closed) findLoops();
}

void Wiring::pourFrom(std::size_t point, Source source) {
  const std::span<const Link> links = linksFrom(point);
  if (links.empty()) return;  // only in a draft
  if (links.size() == 1) return pourInto(links[0], std::move(source));
  const OperatorId broadcast = addBroadcast(point, links.size());
  if (!sink_.empty()) return;
  addStream(source, broadcast, 0, &links[0]);
  for (std::uint32_t i = 0; i < links.size(); ++i) pourInto(links[i], {broadcast, i, {}});
}

void Wiring::pourInto(const Link& link, Source source) {
  source.chain.push_back(&link);
  if (link.target >= first_target_.back()) {
    const std::size_t junction = link.target - first_target_.back();
    reached_[junction] = true;
    return pourFrom(first_point_.back() + junction, std::move(source));
  }
  const OperatorId consumer = owner_of_target_[link.target];
  addStream(source, consumer, static_cast<std::uint32_t>(link.target - first_target_[consumer]), &link);
}

/// `named` gives the origin to a stream that runs through none: from an operator right into its inferred
/// broadcast.
void Wiring::addStream(const Source& source, OperatorId consumer, std::uint32_t port, const Link* named) {
  const Link* deciding = source.chain.empty() ? named : source.chain.front();
  std::uint64_t depth = 0;
  for (const Link* link : source.chain) {
    if (link->depth == 0) continue;
    deciding = link;
    depth = link->depth;
    break;
  }
  FlatStream& stream = graph_.streams.emplace_back();
  FlatOperator& from = graph_.operators[source.producer];
  FlatOperator& to = graph_.operators[consumer];
  constexpr std::size_t ports_and_arrow = 32;
  stream.name.reserve(from.name.size() + to.name.size() + ports_and_arrow);
  appendEnd(stream.name, from, true, source.port);
  stream.name += " -> ";
  appendEnd(stream.name, to, false, port);
  stream.origin = deciding->stream->origin;
  for (const Link* link : source.chain)
    if (link != deciding) stream.also.push_back(link->stream->origin);
  stream.producer = source.producer;
  stream.consumer = consumer;
  stream.producer_port = source.port;
  stream.consumer_port = port;
  stream.depth = depth == 0 ? graph_.machine.fifo_depth : depth;
  from.outputs[source.port] = to.inputs[port] = static_cast<StreamId>(graph_.streams.size() - 1);
}

OperatorId Wiring::addBroadcast(std::size_t point, std::size_t ways) {
  Node node;
  node.name = "broadcast";
  node.kind = "Broadcast";
  node.parameters["ways"] = static_cast<std::int64_t>(ways);
  const std::string origin = pointOrigin(point);
  const NodePlan plan = planner_->planOperator(node, origin, {});
  if (!sink_.empty()) return 0;
  const auto [shared, isNew] = broadcast_parameters_.try_emplace(ways);
  if (isNew) shared->second = expander_->sharedParameters(plan);
  FlatOperator op = expander_->makeOperator(plan, shared->second, {}, {});
  if (!sink_.empty()) return 0;
  if (op.inputs.size() != 1 || op.outputs.size() != ways)
    throw std::logic_error("the catalog's Broadcast is not one input to 'ways' outputs");
  op.name = pointName(point) + ".broadcast";
  op.inferred = true;
  graph_.operators.push_back(std::move(op));
  return static_cast<OperatorId>(graph_.operators.size() - 1);
}

/// "gate.out", or "gate.out[2]" where the port is a bundle. Appended: every stream has a name of two of them.
void Wiring::appendEnd(std::string& text, const FlatOperator& op, bool output, std::size_t index) const {
  for (const PortSpec& port : output ? op.spec->outputs : op.spec->inputs) {
    const std::size_t width = widthOf(op, port);
    if (index >= width) {
      index -= width;
      continue;
    }
    text.append(op.name).append(1, '.').append(port.name);
    if (!port.width.empty()) text.append(1, '[').append(std::to_string(index)).append(1, ']');
    return;
  }
  throw std::logic_error("an operator has no such port");
}

std::string Wiring::pointName(std::size_t point) const {
  if (point < first_point_.back()) {
    const OperatorId id = owner_of_point_[point];
    std::string name;
    appendEnd(name, graph_.operators[id], true, point - first_point_[id]);
    return name;
  }
  const Junction& junction = junctions_[point - first_point_.back()];
  const Region& region = *junction.bodies->plan->region;
  const bool output = junction.port >= region.inputs.size();
  const std::string& port =
      output ? region.outputs[junction.port - region.inputs.size()] : region.inputs[junction.port];
  const bool bundle = junction.bodies->widths[junction.port] > 1;
  return junction.bodies->instances[junction.instance].prefix + "region." + port +
         (bundle ? "[" + std::to_string(junction.element) + "]" : "");
}

std::string Wiring::pointOrigin(std::size_t point) const {
  if (point < first_point_.back()) return graph_.operators[owner_of_point_[point]].origin;
  return junctions_[point - first_point_.back()].bodies->plan->path;
}

/// Boundaries that feed each other in a cycle are reached from no operator.
void Wiring::findLoops() {
  if (!sink_.empty()) return;
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    if (reached_[i]) continue;
    const std::size_t target = first_target_.back() + i;
    sink_.add("recursive-region", placeOf(*fed_by_[target]),
              "it is part of a cycle of region boundaries without any operator",
              "remove one of the streams of the cycle");
  }
}

}  // namespace sluice::inline program
