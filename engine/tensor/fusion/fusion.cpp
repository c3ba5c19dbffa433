#include "engine/tensor/fusion/fusion.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "engine/core/cancelled.h"
#include "engine/tensor/fusion/group_memory.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

bool sizesFit(std::initializer_list<std::int64_t> sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t b) { return b >= 0 && b <= most_bytes; });
}

void checkEdge(const FusionGraph& graph, std::size_t index, std::map<std::size_t, std::size_t>& producer_of,
               Diagnostics& found) {
  const FusionEdge& edge = graph.edges[index];
  const auto report = [&](Code code, std::string cause, std::string fix) {
    found.push_back(error(code, "edge " + std::to_string(index), std::move(cause), std::move(fix)));
  };
  if (std::max(edge.producer, edge.consumer) >= graph.kernels.size())
    return report("unknown-node", "it ends at a kernel that does not exist",
                  "use numbers below " + std::to_string(graph.kernels.size()));
  if (producer_of.emplace(edge.value, edge.producer).first->second != edge.producer)
    report("duplicate-name", "value " + std::to_string(edge.value) + " has two producers",
           "give every tensor a number of its own");
  if (!sizesFit(
          {edge.converter_bytes, edge.tensor_bytes, edge.producer_tile_bytes, edge.consumer_tile_bytes}))
    report("out-of-range", "one of its sizes is negative or above 2^40 bytes",
           "give sizes in bytes, of one block");
}

/// What tensors between groups move: each in once for every reader, out once.
class ExternalTraffic {
 public:
  explicit ExternalTraffic(const FusionGraph& graph) : graph_(graph) {
    std::map<std::size_t, std::size_t> numbers;
    for (const FusionEdge& edge : graph.edges)
      tensor_of_.push_back(numbers.try_emplace(edge.value, numbers.size()).first->second);
    tensors_ = numbers.size();
  }

  std::int64_t bytes(const std::vector<std::size_t>& group_of) const {
    std::int64_t bytes = 0;
    std::vector<bool> written(tensors_, false);
    for (std::size_t index = 0; index < graph_.edges.size(); ++index) {
      const FusionEdge& edge = graph_.edges[index];
      if (group_of[edge.producer] == group_of[edge.consumer]) continue;
      const bool leaves = !edge.leaves_anyway && !written[tensor_of_[index]];
      if (leaves) written[tensor_of_[index]] = true;
      bytes += (leaves ? 2 : 1) * edge.tensor_bytes;
    }
    return bytes;
  }

 private:
  const FusionGraph& graph_;
  std::vector<std::size_t> tensor_of_;  ///< of each edge
  std::size_t tensors_ = 0;
};

Diagnostic tooLarge(const FusionGraph& graph, std::size_t kernel, std::int64_t bytes, std::int64_t capacity) {
  return error("does-not-fit", Location(Where::Kernel, graph.kernels[kernel].name),
               "it alone needs " + std::to_string(bytes) + " bytes on chip, of " + std::to_string(capacity),
               "choose smaller tiles or unroll it less, or a device with more memory");
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
      found.push_back(error("out-of-range", Location(Where::Kernel, kernel.name),
                            "its memory is negative or above 2^40 bytes",
                            "give sizes in bytes, of one block"));
  std::map<std::size_t, std::size_t> producer_of;
  for (std::size_t index = 0; index < graph.edges.size(); ++index)
    checkEdge(graph, index, producer_of, found);
  if (found.empty() && fusionOrder(graph).size() < graph.kernels.size())
    found.push_back(error("cyclic-graph", "the graph of kernels", "it has a cycle",
                          "break the cycle through memory, as decoding does with its caches"));
  return found;
}

std::int64_t groupBytes(const FusionGraph& graph, std::span<const std::size_t> kernels, FusionMemory memory) {
  GroupMemory group(graph, memory);
  for (const std::size_t kernel : kernels) group.add(kernel, 0);
  return group.bytes(0);
}

FusionPlan planOf(const FusionGraph& graph, std::vector<std::size_t> group_of, FusionMemory memory) {
  FusionPlan plan;
  GroupMemory groups(graph, memory);
  for (std::size_t kernel = 0; kernel < group_of.size(); ++kernel) {
    if (group_of[kernel] >= plan.groups.size()) plan.groups.resize(group_of[kernel] + 1);
    plan.groups[group_of[kernel]].kernels.push_back(kernel);
    groups.add(kernel, group_of[kernel]);
  }
  for (std::size_t group = 0; group < plan.groups.size(); ++group) {
    plan.groups[group].bytes = groups.bytes(group);
    plan.on_chip_bytes = std::max(plan.on_chip_bytes, plan.groups[group].bytes);
  }
  plan.external_bytes = ExternalTraffic(graph).bytes(group_of);
  plan.least_capacity = plan.on_chip_bytes;
  plan.group_of = std::move(group_of);
  return plan;
}

namespace {

/// StreamTensor's algorithm 2, for any number of capacities.
class GreedyFusion {
 public:
  GreedyFusion(const FusionGraph& graph, FusionMemory memory)
      : graph_(graph), order_(fusionOrder(graph)), producers_(graph.kernels.size()), groups_(graph, memory) {
    for (const FusionEdge& edge : graph.edges) producers_[edge.consumer].push_back(edge.producer);
  }

  Result<Done> run(std::int64_t capacity) {
    groups_.clear();
    latest_.clear();
    opened_by_.clear();
    count_ = 0;
    largest_ = 0;
    for (const std::size_t kernel : order_) {
      if (joinsProducers(kernel, capacity)) continue;
      latest_[graph_.kernels[kernel].layer] = count_;
      groups_.add(kernel, count_);
      opened_by_.push_back(kernel);
      const std::int64_t alone = groups_.bytes(count_++);
      if (alone > capacity) return tooLarge(graph_, kernel, alone, capacity);
      largest_ = std::max(largest_, alone);
    }
    return Done{};
  }

  /// The least capacity that gives the same groups.
  std::int64_t leastCapacity() const { return largest_; }
  std::int64_t onChipBytes() const {
    std::int64_t most = 0;
    for (std::size_t group = 0; group < count_; ++group) most = std::max(most, groups_.bytes(group));
    return most;
  }
  std::vector<std::size_t> groupOf() const {
    std::vector<std::size_t> group_of(order_.size());
    for (std::size_t kernel = 0; kernel < group_of.size(); ++kernel)
      group_of[kernel] = *groups_.groupOf(kernel);
    return group_of;
  }

 private:
  bool joinsProducers(std::size_t kernel, std::int64_t capacity) {
    if (producers_[kernel].empty()) return false;
    std::size_t nearest = 0;
    for (const std::size_t producer : producers_[kernel])
      nearest = std::max(nearest, *groups_.groupOf(producer));
    const std::size_t layer = graph_.kernels[kernel].layer;
    if (graph_.kernels[opened_by_[nearest]].layer != layer) {
      const auto latest = latest_.find(layer);
      if (latest == latest_.end() || latest->second < nearest) return false;
      nearest = latest->second;
    }
    groups_.add(kernel, nearest);
    const std::int64_t bytes = groups_.bytes(nearest);
    if (bytes > capacity) {
      groups_.remove(kernel);
      return false;
    }
    largest_ = std::max(largest_, bytes);
    return true;
  }

  const FusionGraph& graph_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::size_t>> producers_;
  GroupMemory groups_;
  std::map<std::size_t, std::size_t> latest_;  ///< layer -> its most recent group
  std::vector<std::size_t> opened_by_;         ///< of each group, its first kernel
  std::size_t count_ = 0;                      ///< of groups
  std::int64_t largest_ = 0;                   ///< bytes that were accepted on the way
};

}  // namespace

Result<FusionPlan> fuseGreedily(const FusionGraph& graph, std::int64_t capacity, FusionMemory memory) {
  GreedyFusion fusion(graph, memory);
  SLUICE_CHECK(fusion.run(capacity));
  FusionPlan plan = planOf(graph, fusion.groupOf(), memory);
  plan.least_capacity = fusion.leastCapacity();
  return plan;
}

namespace {

/// What a plan costs, and the capacity from which on it is found.
struct PlanCost {
  std::int64_t on_chip_bytes = 0, external_bytes = 0, least_capacity = 0;
  std::optional<FusionPlan> plan = std::nullopt;  ///< the greedy one is quickly made anew
};

/// Those that no other one beats, the largest group descending; of equal ones the first.
std::vector<PlanCost> frontOf(std::vector<PlanCost> costs) {
  std::stable_sort(costs.begin(), costs.end(), [](const PlanCost& a, const PlanCost& b) {
    return std::pair(a.on_chip_bytes, a.external_bytes) < std::pair(b.on_chip_bytes, b.external_bytes);
  });
  std::vector<PlanCost> front;
  for (const PlanCost& cost : costs)
    if (front.empty() || cost.external_bytes < front.back().external_bytes) front.push_back(cost);
  std::reverse(front.begin(), front.end());
  return front;
}

}  // namespace

Result<std::vector<FusionPlan>> fusionFront(const FusionGraph& graph, FusionMemory memory, bool optimal,
                                            const std::stop_token& stop) {
  GreedyFusion greedy(graph, memory);
  const ExternalTraffic traffic(graph);
  const auto cost_at = [&](std::int64_t capacity) -> Result<PlanCost> {
    if (optimal) {
      SLUICE_TRY(FusionPlan plan, fuseOptimally(graph, capacity, memory, stop));
      return PlanCost{plan.on_chip_bytes, plan.external_bytes, plan.least_capacity, std::move(plan)};
    }
    SLUICE_CHECK(greedy.run(capacity));
    return PlanCost{greedy.onChipBytes(), traffic.bytes(greedy.groupOf()), greedy.leastCapacity()};
  };
  // A plan is found by every capacity from its least on up to the next plan's, so stepping below it visits
  // all. There may be as many as kernels: whole plans are made of the front alone.
  std::vector<PlanCost> costs;
  for (std::int64_t capacity = std::int64_t{1} << 60; capacity >= 0;
       capacity = costs.back().least_capacity - 1) {
    const Result<PlanCost> cost = cost_at(capacity);
    if (stop.stop_requested()) return cancelledDiagnostic();
    if (!cost && costs.empty()) return cost.diagnostics();
    if (!cost) break;
    costs.push_back(*cost);
  }
  std::vector<FusionPlan> front;
  for (const PlanCost& cost : frontOf(std::move(costs))) {
    if (stop.stop_requested()) return cancelledDiagnostic();
    SLUICE_TRY(FusionPlan plan,
               cost.plan ? Result<FusionPlan>(*cost.plan) : fuseGreedily(graph, cost.least_capacity, memory));
    front.push_back(std::move(plan));
  }
  return front;
}

}  // namespace sluice::inline tensor
