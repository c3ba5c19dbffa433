#include "engine/tensor/fusion.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace sluice {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

bool sizesFit(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t b) { return b >= 0 && b <= most_bytes; });
}

void checkEdge(const FusionGraph& graph, std::size_t index, std::map<std::size_t, std::size_t>& producer_of,
               Diagnostics& found) {
  const FusionEdge& edge = graph.edges[index];
  const auto report = [&](std::string cause, std::string mend) {
    found.push_back({Severity::Error, "edge " + std::to_string(index), std::move(cause), std::move(mend)});
  };
  if (std::max(edge.producer, edge.consumer) >= graph.kernels.size())
    return report("it ends at a kernel that does not exist",
                  "use numbers below " + std::to_string(graph.kernels.size()));
  if (producer_of.emplace(edge.value, edge.producer).first->second != edge.producer)
    report("value " + std::to_string(edge.value) + " has two producers",
           "give every tensor a number of its own");
  if (!sizesFit(
          {edge.converter_bytes, edge.tensor_bytes, edge.producer_tile_bytes, edge.consumer_tile_bytes}))
    report("one of its sizes is negative or above 2^40 bytes", "give sizes in bytes, of one block");
}

/// Which of `kernels` are in: one flag per kernel of the graph.
std::vector<bool> flagsOf(const FusionGraph& graph, std::span<const std::size_t> kernels) {
  std::vector<bool> inside(graph.kernels.size(), false);
  for (const std::size_t kernel : kernels) inside[kernel] = true;
  return inside;
}

/// Two tiles for every tensor that enters (per reader) or leaves (per tensor).
std::int64_t dmaBytes(const FusionGraph& graph, const std::vector<bool>& inside) {
  std::int64_t bytes = 0;
  std::set<std::size_t> leaving;
  for (const FusionEdge& edge : graph.edges) {
    if (inside[edge.consumer] && !inside[edge.producer]) bytes += 2 * edge.consumer_tile_bytes;
    const bool leaves = inside[edge.producer] && (!inside[edge.consumer] || edge.leaves_anyway);
    if (leaves && leaving.insert(edge.value).second) bytes += 2 * edge.producer_tile_bytes;
  }
  return bytes;
}

Diagnostic tooLarge(const FusionGraph& graph, std::size_t kernel, std::int64_t bytes, std::int64_t capacity) {
  return {Severity::Error, "kernel '" + graph.kernels[kernel].name + "'",
          "it alone needs " + std::to_string(bytes) + " bytes on chip, of " + std::to_string(capacity),
          "choose smaller tiles or unroll it less, or a device with more memory"};
}

}  // namespace

std::vector<std::size_t> fusionOrder(const FusionGraph& graph) {
  std::vector<std::size_t> waiting(graph.kernels.size(), 0), order;
  std::vector<std::vector<std::size_t>> consumers(graph.kernels.size());
  for (const FusionEdge& edge : graph.edges) {
    ++waiting[edge.consumer];
    consumers[edge.producer].push_back(edge.consumer);
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t kernel = 0; kernel < waiting.size(); ++kernel)
    if (waiting[kernel] == 0) ready.push(kernel);
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t consumer : consumers[order.back()])
      if (--waiting[consumer] == 0) ready.push(consumer);
  }
  return order;
}

Diagnostics check(const FusionGraph& graph) {
  Diagnostics found;
  for (const FusionKernel& kernel : graph.kernels)
    if (!sizesFit({kernel.local_bytes, kernel.memory_bytes}))
      found.push_back({Severity::Error, "kernel '" + kernel.name + "'",
                       "its memory is negative or above 2^40 bytes", "give sizes in bytes, of one block"});
  std::map<std::size_t, std::size_t> producer_of;
  for (std::size_t index = 0; index < graph.edges.size(); ++index)
    checkEdge(graph, index, producer_of, found);
  if (found.empty() && fusionOrder(graph).size() < graph.kernels.size())
    found.push_back({Severity::Error, "the graph of kernels", "it has a cycle",
                     "break the cycle through memory, as decoding does with its caches"});
  return found;
}

std::int64_t groupBytes(const FusionGraph& graph, std::span<const std::size_t> kernels, FusionMemory memory) {
  const std::vector<bool> inside = flagsOf(graph, kernels);
  std::int64_t bytes = 0;
  std::set<std::pair<std::size_t, std::size_t>> shared;
  for (const FusionEdge& edge : graph.edges) {
    if (!inside[edge.producer] || !inside[edge.consumer]) continue;
    if (!edge.stream || shared.emplace(edge.value, *edge.stream).second) bytes += edge.converter_bytes;
  }
  if (memory == FusionMemory::Converters) return bytes;
  for (const std::size_t kernel : kernels) bytes += graph.kernels[kernel].local_bytes;
  if (memory == FusionMemory::LocalMemory) return bytes;
  for (const std::size_t kernel : kernels) bytes += graph.kernels[kernel].memory_bytes;
  return bytes + dmaBytes(graph, inside);
}

FusionPlan planOf(const FusionGraph& graph, std::vector<std::size_t> group_of, FusionMemory memory) {
  FusionPlan plan;
  for (std::size_t kernel = 0; kernel < group_of.size(); ++kernel) {
    if (group_of[kernel] >= plan.groups.size()) plan.groups.resize(group_of[kernel] + 1);
    plan.groups[group_of[kernel]].kernels.push_back(kernel);
  }
  for (FusionGroup& group : plan.groups) {
    group.bytes = groupBytes(graph, group.kernels, memory);
    plan.on_chip_bytes = std::max(plan.on_chip_bytes, group.bytes);
  }
  std::set<std::size_t> written;
  for (const FusionEdge& edge : graph.edges) {
    if (group_of[edge.producer] == group_of[edge.consumer]) continue;
    plan.external_bytes += edge.tensor_bytes;
    if (!edge.leaves_anyway && written.insert(edge.value).second) plan.external_bytes += edge.tensor_bytes;
  }
  plan.least_capacity = plan.on_chip_bytes;
  plan.group_of = std::move(group_of);
  return plan;
}

Result<FusionPlan> fuseGreedily(const FusionGraph& graph, std::int64_t capacity, FusionMemory memory) {
  std::vector<std::vector<std::size_t>> groups, producers(graph.kernels.size());
  for (const FusionEdge& edge : graph.edges) producers[edge.consumer].push_back(edge.producer);
  std::vector<std::size_t> group_of(graph.kernels.size(), 0);
  std::int64_t largest = 0;  // that was accepted on the way
  for (const std::size_t kernel : fusionOrder(graph)) {
    std::size_t nearest = 0;
    for (const std::size_t producer : producers[kernel]) nearest = std::max(nearest, group_of[producer]);
    if (!producers[kernel].empty()) {
      groups[nearest].push_back(kernel);
      const std::int64_t bytes = groupBytes(graph, groups[nearest], memory);
      if (bytes <= capacity) {
        group_of[kernel] = nearest;
        largest = std::max(largest, bytes);
        continue;
      }
      groups[nearest].pop_back();
    }
    group_of[kernel] = groups.size();
    groups.push_back({kernel});
    const std::int64_t alone = groupBytes(graph, groups.back(), memory);
    if (alone > capacity) return tooLarge(graph, kernel, alone, capacity);
    largest = std::max(largest, alone);
  }
  FusionPlan plan = planOf(graph, std::move(group_of), memory);
  plan.least_capacity = largest;
  return plan;
}

Result<std::vector<FusionPlan>> fusionFront(const FusionGraph& graph, FusionMemory memory, bool optimal) {
  // A plan is found by every capacity from its least on up to the next plan's, so stepping below it visits
  // all.
  std::vector<FusionPlan> plans;
  std::int64_t capacity = std::int64_t{1} << 60;
  while (capacity >= 0) {
    auto plan = optimal ? fuseOptimally(graph, capacity, memory) : fuseGreedily(graph, capacity, memory);
    if (!plan && plans.empty()) return plan.diagnostics();
    if (!plan) break;
    capacity = plan->least_capacity - 1;
    plans.push_back(std::move(*plan));
  }
  std::sort(plans.begin(), plans.end(), [](const FusionPlan& a, const FusionPlan& b) {
    return std::pair(a.on_chip_bytes, a.external_bytes) < std::pair(b.on_chip_bytes, b.external_bytes);
  });
  std::vector<FusionPlan> front;
  for (FusionPlan& plan : plans)
    if (front.empty() || plan.external_bytes < front.back().external_bytes) front.push_back(std::move(plan));
  std::reverse(front.begin(), front.end());
  return front;
}

}  // namespace sluice
