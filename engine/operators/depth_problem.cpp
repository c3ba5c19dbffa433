#include "engine/operators/depth_problem.h"

#include <algorithm>
#include <cmath>
#include <map>

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

}  // namespace

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
