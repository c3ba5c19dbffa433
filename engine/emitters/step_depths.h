#pragma once
// The order in which STeP's simulator is to build the operators of a graph, and the settings by which its
// channels then get the depths that the streams have (interchange/step_format.md 4): a channel is made with
// the first of its ends, and that end decides.

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/core/result.h"
#include "engine/interchange/step_settings.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline emitters {

struct StepDepths {
  std::vector<OperatorId> order;  ///< readers, and writers, of memory as they stand in the graph
  std::int64_t channel_depth = 1;
  std::map<std::int64_t, std::int64_t> depths;  ///< config_dict
};

/// `operators`: as stepOperators() gives them. Errors: streams whose depths no settings give, each with what
/// decides it.
Result<StepDepths> stepDepths(const FlatGraph& graph, const std::vector<nlohmann::json>& operators);

}  // namespace sluice::inline emitters
