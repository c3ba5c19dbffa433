#include "engine/tensor/fusion/group_memory.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace sluice::inline tensor {

template <class Key>
void GroupMemory::Shared::sort(const std::vector<Key>& keys) {
  std::map<Key, std::size_t> numbers;
  for (std::size_t edge = 0; edge < keys.size(); ++edge) {
    const auto [known, fresh] = numbers.try_emplace(keys[edge], classes_.size());
    if (fresh) classes_.emplace_back();
    std::vector<std::size_t>& edges = classes_[known->second].edges;
    place_[edge] = {known->second, edges.size()};
    edges.push_back(edge);
  }
  for (Class& each : classes_) each.first = each.edges.size();
}

std::size_t GroupMemory::Shared::first(std::size_t edge) const {
  const Class& own = classes_[place_[edge].number];
  return own.first < own.edges.size() ? own.edges[own.first] : none;
}

void GroupMemory::Shared::set(std::size_t edge, bool needed) {
  const auto [number, position] = place_[edge];
  Class& own = classes_[number];
  needed_[edge] = needed;
  if (needed) own.first = std::min(own.first, position);
  while (own.first < own.edges.size() && !needed_[own.edges[own.first]]) ++own.first;
}

GroupMemory::GroupMemory(const FusionGraph& graph, FusionMemory memory)
    : graph_(graph),
      memory_(memory),
      edges_of_(graph.kernels.size()),
      group_of_(graph.kernels.size(), none),
      converters_(graph.edges.size()),
      leaving_(graph.edges.size()) {
  // An edge that shares no converter has a class of its own.
  std::vector<std::tuple<bool, std::size_t, std::size_t>> streams;
  std::vector<std::size_t> values;
  for (std::size_t index = 0; index < graph.edges.size(); ++index) {
    const FusionEdge& edge = graph.edges[index];
    edges_of_[edge.producer].push_back(index);
    edges_of_[edge.consumer].push_back(index);
    streams.emplace_back(edge.stream.has_value(), edge.stream ? edge.value : index, edge.stream.value_or(0));
    values.push_back(edge.value);
  }
  converters_.sort(streams);
  leaving_.sort(values);
}

void GroupMemory::add(std::size_t kernel, std::size_t group) {
  if (group >= bytes_.size()) bytes_.resize(group + 1, 0);
  move(kernel, group);
  bytes_[group] += ownBytes(graph_.kernels[kernel]);
}

void GroupMemory::remove(std::size_t kernel) {
  bytes_[group_of_[kernel]] -= ownBytes(graph_.kernels[kernel]);
  move(kernel, none);
}

void GroupMemory::clear() {
  for (std::size_t kernel = 0; kernel < group_of_.size(); ++kernel)
    if (group_of_[kernel] != none) remove(kernel);
}

std::optional<std::size_t> GroupMemory::groupOf(std::size_t kernel) const {
  return group_of_[kernel] == none ? std::nullopt : std::optional(group_of_[kernel]);
}

std::int64_t GroupMemory::ownBytes(const FusionKernel& kernel) const {
  if (memory_ == FusionMemory::Converters) return 0;
  return kernel.local_bytes + (memory_ == FusionMemory::DmaBuffers ? kernel.memory_bytes : 0);
}

void GroupMemory::move(std::size_t kernel, std::size_t group) {
  for (const std::size_t edge : edges_of_[kernel]) count(edge, false);
  group_of_[kernel] = group;
  for (const std::size_t edge : edges_of_[kernel]) count(edge, true);
}

/// Counts what an edge needs between the groups that its ends are in now, or takes it back.
void GroupMemory::count(std::size_t index, bool present) {
  const FusionEdge& edge = graph_.edges[index];
  const std::size_t from = group_of_[edge.producer], to = group_of_[edge.consumer];
  const bool inside = from != none && from == to;
  if (inside) need(converters_, index, present, &FusionEdge::converter_bytes, 1, from);
  if (memory_ != FusionMemory::DmaBuffers) return;
  // Two tiles for every tensor that enters (per reader) or leaves (per tensor).
  if (!inside && to != none) bytes_[to] += (present ? 2 : -2) * edge.consumer_tile_bytes;
  if (from != none && (!inside || edge.leaves_anyway))
    need(leaving_, index, present, &FusionEdge::producer_tile_bytes, 2, from);
}

void GroupMemory::need(Shared& shared, std::size_t edge, bool needed, std::int64_t FusionEdge::*bytes,
                       std::int64_t times, std::size_t group) {
  const auto held = [&] {
    const std::size_t first = shared.first(edge);
    return first == none ? 0 : times * (graph_.edges[first].*bytes);
  };
  bytes_[group] -= held();
  shared.set(edge, needed);
  bytes_[group] += held();
}

}  // namespace sluice::inline tensor
