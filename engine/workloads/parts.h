#pragma once
// Parts that several workloads are made of: experts with their weights, and the routing around them.

#include <functional>
#include <optional>

#include "engine/workloads/graph_builder.h"
#include "engine/workloads/knobs.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::inline workloads {

/// Where weights lie; those of a SwiGLU are D x `inner` and back.
struct Weights {
  std::string tensors = "w_";  ///< what the tensors' names begin with
  std::string inner = "F";
  std::string index = "e",
              count = "E";  ///< of the region's instances, each with weights of its own; or empty
};

/// A weight of rows x cols, loaded whole for every token.
Endpoint weightPerToken(GraphBuilder& body, const std::string& name, const Endpoint& token,
                        const Weights& weights, const std::string& rows, const std::string& cols);
/// silu(x gate) * (x up) * down, row by row, its weights loaded whole for every row.
Endpoint swigluLayer(GraphBuilder& body, const Endpoint& x, const Weights& weights = {});

/// Has these sizes as constants, and FIFOs of the size "depth".
Document documentWith(const Sizes& sizes, std::initializer_list<const char*> constants);
/// Writes rows [1, D] into the memory, each as it comes.
void storeRows(GraphBuilder& g, const Endpoint& y);

/// What feeds a part, made when it is asked for: "tokens", "route", "weights" ...
using SourceOf = std::function<Endpoint(const std::string& name)>;

/// The region "expert", E x SwiGLU, with the routing around it; gives the weighted sum for every token. Asks
/// for "tokens", "route", "weights", "route_weights" and "route_back".
Endpoint routedExperts(GraphBuilder& g, const SourceOf& source);
/// The sources of a whole batch: tokens, selectors of the input "routing", and routing weights.
Endpoint batchSource(GraphBuilder& g, const std::string& name);

/// The region "project": queries, keys and values of requests [B] of rows [1, D], row by row with whole
/// weights; gives [B] of rows of all heads: "q", "k" and "v". D = H*q*d; H key-value heads of q query heads
/// each.
void projections(GraphBuilder& g, const Endpoint& x);
/// Knobs and steps for the region "project", whose path is `prefix` + "project": copies that share the batch,
/// tiles of several requests, and weights that are streamed in tiles of q_cols and kv_cols columns.
void addProjectionSchedule(Document& document, const Sizes& sizes, const std::string& prefix = "");

/// Attention over a cache of keys and values. What asks for it comes as streams [x], or [x, heads].
struct AttentionPart {
  Endpoint query;                   ///< [x, 1] or [x, heads, 1] of [q, d]
  Endpoint key, value;              ///< the new rows: [x, 1] or [x, heads] of [1, d]
  Endpoint index, tiles;            ///< [x] or [x, heads]: which cache, and its tiles with the new row
  Endpoint flat_index, flat_tiles;  ///< the same without the dimension of heads
  Endpoint offset;                  ///< flat: rows in the last tile before the new one
  std::string requests = "B";       ///< caches of N rows
  std::string compute = "compute";  ///< FLOPs per cycle of an operator
  std::optional<Value> write_back_depth =
      std::nullopt;  ///< tiles that wait on chip for the cache; absent: one
};
/// Gives [x] or [x, heads] of [q, d]. The stream "k_load.out" ends a request when its keys have been read.
Endpoint cachedAttention(GraphBuilder& body, const AttentionPart& part);

/// Knobs and steps of the three optimizations of the region "expert", whose path is `prefix` + "expert".
void addExpertSchedule(Document& document, const Sizes& sizes, const std::string& prefix = "");
/// The input "routing", synthetic and skewed.
Input skewedRouting(const Sizes& sizes);
/// The input "lengths" of B requests, below N: mostly short caches and a few long ones, spread over the
/// batch.
Input skewedLengths(const Sizes& sizes);

}  // namespace sluice::inline workloads
