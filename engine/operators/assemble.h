#pragma once
// The network of processes that a flat graph is.

#include <memory>
#include <vector>

#include "engine/operators/operator.h"
#include "engine/simulator/network.h"

namespace sluice::inline operators {

/// Of each operator of the graph.
std::vector<const Operator*> definitionsOf(const FlatGraph& graph);
/// Where the off-chip tensors of the operators begin: one after another.
std::vector<std::uint64_t> addressesOf(const FlatGraph& graph, const InputSet& inputs,
                                       const std::vector<const Operator*>& definitions);

/// With the machine's off-chip memory, and nothing else yet.
std::unique_ptr<simulator::Network> emptyNetwork(const BoundMachine& machine);
/// Ready to run. `inputs` must live as long.
std::unique_ptr<simulator::Network> assemble(const FlatGraph& graph, const InputSet& inputs,
                                             Functional* functional);

}  // namespace sluice::inline operators
