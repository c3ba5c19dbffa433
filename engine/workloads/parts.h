#pragma once
// Parts that several workloads are made of: experts with their weights, and the routing around them.

#include <functional>

#include "engine/workloads/knobs.h"
#include "engine/workloads/sketch.h"
#include "engine/workloads/workload_builder.h"

namespace sluice::workloads {

/// Where weights lie; those of a SwiGLU are D x `inner` and back.
struct Weights {
  std::string tensors = "w_";  ///< what the tensors' names begin with
  std::string inner = "F";
  std::string index = "e",
              count = "E";  ///< of the region's instances, each with weights of its own; or empty
};

/// A weight of rows x cols, loaded whole for every token.
Endpoint weightPerToken(Sketch& body, const std::string& name, const Endpoint& token, const Weights& weights,
                        const std::string& rows, const std::string& cols);
/// silu(x gate) * (x up) * down, row by row, its weights loaded whole for every row.
Endpoint swiglu(Sketch& body, const Endpoint& x, const Weights& weights = {});

/// What feeds a part, made when it is asked for: "tokens", "route", "weights" ...
using SourceOf = std::function<Endpoint(const std::string& name)>;

/// The region "expert", E x SwiGLU, with the routing around it; gives the weighted sum for every token. Asks
/// for "tokens", "route", "weights", "route_weights" and "route_back".
Endpoint routedExperts(Sketch& g, const SourceOf& source);
/// The sources of a whole batch: tokens, selectors of the input "routing", and routing weights.
Endpoint batchSource(Sketch& g, const std::string& name);

/// Knobs and steps of the three optimizations of the region "expert", whose path is `prefix` + "expert".
void addExpertSchedule(Document& document, const Sizes& sizes, const std::string& prefix = "");
/// The input "routing", synthetic and skewed.
Input skewedRouting(const Sizes& sizes);

}  // namespace sluice::workloads
