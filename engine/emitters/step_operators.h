#pragma once
// The operators of a flat graph as operators of a STeP graph in JSON (interchange/step_format.md 5): what
// its importer reads, the other way round.

#include <nlohmann/json.hpp>

#include "engine/core/result.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline emitters {

/// In the order of the graph; its ids are the positions there. Errors: operators, or settings of theirs, that
/// STeP's simulator does not have, all of them.
Result<std::vector<nlohmann::json>> stepOperators(const FlatGraph& graph, const InputSet& inputs);

}  // namespace sluice::inline emitters
