#pragma once
// The selectors of a routing trace as SelectGen sends them, for who wants to know them before any run.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/flat_graph.h"

namespace sluice::inline operators {

/// For each selector in order, the targets that it names.
using SelectorRows = std::vector<std::vector<std::uint32_t>>;

/// Of a stream that comes from a SelectGen, through Broadcasts if need be; absent: only a run tells.
std::optional<SelectorRows> selectorRows(const FlatGraph& graph, StreamId control, const InputSet& inputs);

}  // namespace sluice::inline operators
