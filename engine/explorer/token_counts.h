#pragma once
// Token counts: what is known of a graph before any run, by following exact numbers from the sources on - how
// many tokens each stream carries, in which groups, and by which fixed rule each operator turns what it takes
// into what it gives (Operator::rates). What depends on the run stays unknown.

#include <vector>

#include "engine/operators/token_rates.h"

namespace sluice::inline explorer {

struct TokenCounts {
  std::vector<StreamCount> streams;  ///< parallel to FlatGraph::streams
  std::vector<TokenRule> operators;  ///< parallel to FlatGraph::operators
};

TokenCounts countTokens(const FlatGraph& graph, const Inference& inference, const InputSet& inputs);

}  // namespace sluice::inline explorer
