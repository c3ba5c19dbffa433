#include "engine/operators/depth_problem.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "engine/itensor/itensor_text.h"
#include "engine/operators/registry.h"

namespace sluice::inline operators {
namespace {

/// Elaboration's own FIFO between an operator and an inferred Broadcast has the machine's depth, though it
/// carries the origin of the first copy.
bool isSettable(const FlatGraph& graph, const FlatStream& stream) {
  const FlatOperator& consumer = graph.operators[stream.consumer];
  if (!definitionOf(consumer).copies) return true;
  return std::none_of(consumer.outputs.begin(), consumer.outputs.end(), [&](StreamId id) {
    const FlatStream& copy = graph.streams[id];
    return copy.origin == stream.origin ||
           std::find(copy.also.begin(), copy.also.end(), stream.origin) != copy.also.end();
  });
}

/// What makes an end of a FIFO: the operator's kind and the values of its parameters, and the port.
std::string endText(const FlatOperator& op, std::uint32_t port) {
  std::string text = op.spec->kind + ":" + std::to_string(port);
  const auto number = [](const BoundInteger& bound) { return std::to_string(bound.value); };
  for (const auto& [name, value] : op.parameters.values()) {
    text += ";" + name + "=";
    if (const auto* integer = std::get_if<BoundInteger>(&value)) text += number(*integer);
    if (const auto* flag = std::get_if<bool>(&value)) text += *flag ? "1" : "0";
    if (const auto* string = std::get_if<std::string>(&value)) text += *string;
    if (const auto* list = std::get_if<std::vector<BoundInteger>>(&value))
      for (const BoundInteger& each : *list) text += number(each) + ",";
    if (const auto* orders = std::get_if<std::vector<StreamOrder>>(&value))
      for (const StreamOrder& each : *orders) text += (each ? sluice::text(*each) : "") + ",";
  }
  return text;
}

std::string endsText(const FlatGraph& graph, StreamId id) {
  const FlatStream& stream = graph.streams[id];
  return endText(graph.operators[stream.producer], stream.producer_port) + " -> " +
         endText(graph.operators[stream.consumer], stream.consumer_port);
}

}  // namespace

std::int64_t DepthGroup::tokenBits() const {
  return std::max<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(8 * bytes / static_cast<double>(streams.size()))), 1);
}

AlikeFifos alikeFifos(const DepthProblem& problem) {
  AlikeFifos alike{{problem.graph, problem.inputs, {}}, {}};
  std::map<std::tuple<std::int64_t, std::int64_t, bool, std::string>, std::size_t> known;
  for (const DepthGroup& group : problem.groups) {
    const auto [at, fresh] = known.try_emplace(
        {group.tokens, group.tokenBits(), group.fixed, endsText(problem.graph, group.streams.front())},
        alike.problem.groups.size());
    alike.group_of.push_back(at->second);
    if (fresh) {
      alike.problem.groups.push_back(group);
      continue;
    }
    DepthGroup& all = alike.problem.groups[at->second];
    all.streams.insert(all.streams.end(), group.streams.begin(), group.streams.end());
    all.depth = std::max(all.depth, group.depth);
    all.bytes += group.bytes;
  }
  return alike;
}

std::vector<std::int64_t> AlikeFifos::spread(std::span<const std::int64_t> depths) const {
  std::vector<std::int64_t> each;
  for (const std::size_t group : group_of) each.push_back(depths[group]);
  return each;
}

std::vector<std::int64_t> AlikeFifos::gathered(std::span<const std::int64_t> depths) const {
  std::vector<std::int64_t> all(problem.groups.size(), 0);
  for (std::size_t group = 0; group < group_of.size(); ++group)
    all[group_of[group]] = std::max(all[group_of[group]], depths[group]);
  return all;
}

Bytes DepthGroup::bytesOf(std::int64_t tokens_each) const {
  return static_cast<Bytes>(std::ceil(static_cast<double>(tokens_each) * bytes));
}

DepthProblem depthProblem(FlatGraph graph, InputSet inputs) {
  DepthProblem problem{std::move(graph), std::move(inputs), {}};
  std::map<std::string, std::size_t> by_origin;
  for (StreamId id = 0; id < problem.graph.streams.size(); ++id) {
    const FlatStream& stream = problem.graph.streams[id];
    if (!isSettable(problem.graph, stream)) continue;
    const auto [at, fresh] = by_origin.try_emplace(stream.origin, problem.groups.size());
    if (fresh) problem.groups.push_back({.origin = stream.origin});
    DepthGroup& group = problem.groups[at->second];
    group.streams.push_back(id);
    group.depth = std::max(group.depth, stream.depth);
    group.bytes += 1;
  }
  return problem;
}

void setTokenBytes(DepthProblem& problem, const std::vector<double>& bytes) {
  for (DepthGroup& group : problem.groups) {
    group.bytes = 0;
    for (const StreamId stream : group.streams) group.bytes += std::max(1.0, bytes[stream]);
  }
}

void setDepths(FlatGraph& graph, const DepthProblem& problem, std::span<const std::int64_t> depths) {
  for (std::size_t group = 0; group < depths.size(); ++group)
    for (const StreamId stream : problem.groups[group].streams)
      graph.streams[stream].depth = static_cast<std::uint64_t>(depths[group]);
}

Bytes fifoBytes(const DepthProblem& problem, std::span<const std::int64_t> depths) {
  Bytes bytes = 0;
  for (std::size_t group = 0; group < depths.size(); ++group)
    bytes += problem.groups[group].bytesOf(depths[group]);
  return bytes;
}

}  // namespace sluice::inline operators
