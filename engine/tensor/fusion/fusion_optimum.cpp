// The fusion plan of least external traffic (fusion.h): the cheapest chain of dependence-closed sets from
// none of the kernels to all, each step adding one group.
//
// Only groups that hang together are tried: one of two halves without an edge between them moves as much as
// the halves as two groups, which may run one after the other and need less memory each.

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "engine/core/cancelled.h"
#include "engine/tensor/fusion/fusion.h"
#include "engine/tensor/fusion/group_memory.h"

namespace sluice::inline tensor {
namespace {

using Set = std::uint32_t;  ///< of kernels, numbered in dependence order

constexpr std::int64_t unreached = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_steps = 20'000'000;
constexpr std::int64_t steps_between_looks = 1 << 16;  ///< at whether a stop was requested

constexpr Set only(std::size_t kernel) {
  return Set{1} << kernel;
}

class OptimumSearch {
 public:
  OptimumSearch(const FusionGraph& graph, std::int64_t capacity, FusionMemory memory, std::int64_t bound,
                std::stop_token stop)
      : graph_(graph),
        capacity_(capacity),
        memory_(memory),
        bound_(bound),
        order_(fusionOrder(graph)),
        whole_(graph, memory),
        stop_(std::move(stop)) {
    const std::size_t count = order_.size();
    std::vector<std::size_t> rank(count);
    for (std::size_t i = 0; i < count; ++i) rank[order_[i]] = i;
    producers_.assign(count, 0);
    neighbours_.assign(count, 0);
    incoming_.resize(count);
    for (FusionEdge edge : graph.edges) {
      edge.producer = rank[edge.producer];
      edge.consumer = rank[edge.consumer];
      producers_[edge.consumer] |= only(edge.producer);
      neighbours_[edge.consumer] |= only(edge.producer);
      neighbours_[edge.producer] |= only(edge.consumer);
      addIncoming(edge);
      addReader(edge);
    }
    best_.assign(std::size_t{1} << count, unreached);
    last_group_.assign(best_.size(), 0);
  }

  /// True where the search is complete; then groups() tells whether it beat the bound.
  bool run() {
    best_[0] = 0;
    for (std::size_t done = 0; done + 1 < best_.size(); ++done) {
      if (best_[done] == unreached || best_[done] >= bound_) continue;
      done_ = static_cast<Set>(done);
      extend(0, 0, 0, 0);
      if (steps_ > most_steps || stop_.stop_requested()) return false;
    }
    return true;
  }

  /// Each kernel's group; empty where no plan moves less than the bound.
  std::optional<std::vector<std::size_t>> groups() const {
    std::vector<Set> chain;
    std::size_t at = best_.size() - 1;
    if (best_[at] == unreached) return {};
    for (; at != 0; at &= ~static_cast<std::size_t>(last_group_[at])) chain.push_back(last_group_[at]);
    std::reverse(chain.begin(), chain.end());
    std::vector<std::size_t> group_of(order_.size(), 0);
    for (std::size_t g = 0; g < chain.size(); ++g)
      for (std::size_t i = 0; i < order_.size(); ++i)
        if (chain[g] & only(i)) group_of[order_[i]] = g;
    return group_of;
  }

 private:
  struct Value {
    std::size_t number = 0, producer = 0;
    Set readers = 0;
    std::int64_t bytes = 0;
  };

  struct Incoming {
    FusionEdge edge;
    Set sharers = 0;  ///< other kernels that its converter serves in their group
  };

  void addIncoming(FusionEdge edge) {
    Set sharers = 0;
    for (std::vector<Incoming>& edges : incoming_) {
      for (Incoming& other : edges) {
        if (!edge.stream || other.edge.stream != edge.stream || other.edge.value != edge.value) continue;
        if (other.edge.consumer == edge.consumer) {
          edge.converter_bytes = 0;  // the twin pays
        } else {
          other.sharers |= only(edge.consumer);
          sharers |= only(other.edge.consumer);
        }
      }
    }
    incoming_[edge.consumer].push_back({edge, sharers});
  }

  void addReader(const FusionEdge& edge) {
    if (edge.leaves_anyway) return;
    const auto found = std::find_if(values_.begin(), values_.end(),
                                    [&](const Value& value) { return value.number == edge.value; });
    if (found == values_.end())
      values_.push_back({edge.value, edge.producer, only(edge.consumer), edge.tensor_bytes});
    else
      found->readers |= only(edge.consumer);
  }

  /// Adds kernels from `next` on to `group`, which reads `read` bytes from outside and needs at least
  /// `bytes`.
  void extend(Set group, std::size_t next, std::int64_t bytes, std::int64_t read) {
    for (std::size_t kernel = next; kernel < order_.size() && ++steps_ <= most_steps; ++kernel) {
      if (steps_ % steps_between_looks == 0 && stop_.stop_requested()) steps_ = most_steps;
      if ((done_ & only(kernel)) || (producers_[kernel] & ~(done_ | group))) continue;
      std::int64_t more_bytes = bytes, more_read = read;
      if (memory_ != FusionMemory::Converters) more_bytes += graph_.kernels[order_[kernel]].local_bytes;
      for (const auto& [edge, sharers] : incoming_[kernel]) {
        if (!(group & only(edge.producer)))
          more_read += edge.tensor_bytes;
        else if (!(group & sharers))
          more_bytes += edge.converter_bytes;
      }
      if (more_bytes > capacity_ || best_[done_] + more_read >= bound_) continue;
      consider(group | only(kernel), more_read);
      extend(group | only(kernel), kernel + 1, more_bytes, more_read);
    }
  }

  void consider(Set group, std::int64_t read) {
    std::int64_t traffic = best_[done_] + read;
    for (const Value& value : values_)
      if ((group & only(value.producer)) && (value.readers & ~group)) traffic += value.bytes;
    const Set after = done_ | group;
    if (traffic >= bound_ || traffic >= best_[after] || !hangsTogether(group)) return;
    if (memory_ == FusionMemory::DmaBuffers && bytesOf(group) > capacity_) return;
    best_[after] = traffic;
    last_group_[after] = group;
    if (after + std::size_t{1} == best_.size()) bound_ = traffic;
  }

  bool hangsTogether(Set group) const {
    Set reached = group & (~group + 1), frontier = reached;
    while (frontier != 0) {
      const auto kernel = static_cast<std::size_t>(std::countr_zero(frontier));
      frontier &= frontier - 1;
      const Set fresh = neighbours_[kernel] & group & ~reached;
      reached |= fresh;
      frontier |= fresh;
    }
    return reached == group;
  }

  std::int64_t bytesOf(Set group) {
    whole_.clear();
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (group & only(i)) whole_.add(order_[i], 0);
    return whole_.bytes(0);
  }

  const FusionGraph& graph_;
  std::int64_t capacity_;
  FusionMemory memory_;
  std::int64_t bound_;
  std::vector<std::size_t> order_;
  std::vector<Set> producers_, neighbours_;
  std::vector<std::vector<Incoming>> incoming_;
  std::vector<Value> values_;
  GroupMemory whole_;               ///< of one group
  std::vector<std::int64_t> best_;  ///< least traffic up to each closed set
  std::vector<Set> last_group_;
  Set done_ = 0;
  std::int64_t steps_ = 0;
  std::stop_token stop_;
};

}  // namespace

Result<FusionPlan> fuseOptimally(const FusionGraph& graph, std::int64_t capacity, FusionMemory memory,
                                 const std::stop_token& stop) {
  const auto refuse = [](std::string cause) {
    return error("too-many", "the graph of kernels", std::move(cause),
                 "use the greedy plan, or search a part of the graph");
  };
  if (graph.kernels.size() > most_optimal_kernels)
    return refuse("it has " + std::to_string(graph.kernels.size()) +
                  " kernels; the optimum is searched up to " + std::to_string(most_optimal_kernels));
  Result<FusionPlan> greedy = fuseGreedily(graph, capacity, memory);
  const std::int64_t bound = greedy ? greedy->external_bytes : unreached;
  OptimumSearch search(graph, capacity, memory, bound, stop);
  const bool complete = search.run();
  if (stop.stop_requested()) return cancelledDiagnostic();
  if (!complete) return refuse("it has too many ways to be cut for an exhaustive search");
  if (auto group_of = search.groups()) return planOf(graph, std::move(*group_of), memory);
  if (greedy) greedy->least_capacity = greedy->on_chip_bytes;
  return greedy;
}

}  // namespace sluice::inline tensor
