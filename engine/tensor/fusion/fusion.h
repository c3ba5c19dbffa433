#pragma once
// Kernel fusion: which kernels stream to each other on one device (a group) and which exchange whole tensors
// through external memory, so that no group needs more on-chip memory than there is.

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline tensor {

struct FusionKernel {
  std::string name;
  std::int64_t local_bytes = 0;   ///< the buffers it computes in
  std::int64_t memory_bytes = 0;  ///< its double buffers to tensors that are always outside: weights, inputs
  std::size_t layer = 0;          ///< the greedy algorithm joins kernels of one layer only
};

/// One tensor from one kernel to another; parallel edges are separate transfers.
struct FusionEdge {
  std::size_t producer = 0;
  std::size_t consumer = 0;
  std::size_t value = 0;             ///< edges of one number carry the same tensor of one producer
  std::int64_t converter_bytes = 0;  ///< between the two on chip; 0: a bare FIFO
  std::int64_t tensor_bytes = 0;     ///< moved when it goes through external memory: once out, once in
  std::int64_t producer_tile_bytes = 0;
  std::int64_t consumer_tile_bytes = 0;
  bool leaves_anyway = false;  ///< a result: written out in any case
  /// Readers of one value in one group that want the same stream share a converter, and a fork behind it;
  /// empty: a converter of its own, as in the published listing.
  std::optional<std::size_t> stream = std::nullopt;
};

struct FusionGraph {
  std::vector<FusionKernel> kernels;
  std::vector<FusionEdge> edges;
};

/// What fills a group's on-chip memory.
enum class FusionMemory {
  Converters,   ///< the published listing
  LocalMemory,  ///< and every kernel's own, as on the slides
  DmaBuffers    ///< and two tiles for every tensor that a group exchanges with external memory
};

struct FusionGroup {
  std::vector<std::size_t> kernels;  ///< ascending
  std::int64_t bytes = 0;

  bool operator==(const FusionGroup&) const = default;
};

struct FusionPlan {
  std::vector<FusionGroup> groups;  ///< in an order in which they can run
  std::vector<std::size_t> group_of;
  std::int64_t on_chip_bytes = 0;   ///< of the largest group
  std::int64_t external_bytes = 0;  ///< traffic of the tensors between groups
  std::int64_t least_capacity = 0;  ///< with which the same search finds this plan

  bool operator==(const FusionPlan&) const = default;
};

/// Ends and names of edges, no cycle, nothing negative or above 2^40 bytes.
Diagnostics check(const FusionGraph& graph);

// The following need a graph that passes the check.

/// Kernels in dependence order, of those that are ready the lowest number first.
std::vector<std::size_t> fusionOrder(const FusionGraph& graph);
std::int64_t groupBytes(const FusionGraph& graph, std::span<const std::size_t> kernels, FusionMemory memory);
/// The plan of groups given as each kernel's group, groups numbered in running order.
FusionPlan planOf(const FusionGraph& graph, std::vector<std::size_t> group_of, FusionMemory memory);

/// StreamTensor's algorithm 2: kernel by kernel, into the most recent group among its producers', or where
/// that would exceed `capacity` into a new one; kernels of another layer into the most recent group of
/// theirs. Group numbers never fall along an edge, so groups can run one after the other. Fails only where
/// one kernel alone exceeds the capacity.
Result<FusionPlan> fuseGreedily(const FusionGraph& graph, std::int64_t capacity, FusionMemory memory);

constexpr std::size_t most_optimal_kernels = 20;

/// The least external traffic there is within `capacity`: dynamic programming over the dependence-closed sets
/// of kernels that may have run, cut off by the greedy plan's traffic. Fails for more than
/// most_optimal_kernels, and where the sets are too many.
Result<FusionPlan> fuseOptimally(const FusionGraph& graph, std::int64_t capacity, FusionMemory memory,
                                 const std::stop_token& stop = {});

/// The plans of all capacities, without those that another beats in on-chip bytes and external traffic; the
/// largest group descending. `optimal` for graphs small enough.
Result<std::vector<FusionPlan>> fusionFront(const FusionGraph& graph, FusionMemory memory,
                                            bool optimal = false, const std::stop_token& stop = {});

}  // namespace sluice::inline tensor
