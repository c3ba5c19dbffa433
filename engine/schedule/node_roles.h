#pragma once
// What a step may take a node of the program for: its operator's and its function's own word.

#include "engine/operators/functions.h"
#include "engine/program/document.h"

namespace sluice::inline schedule {

/// Unknown for a region.
ScheduleRole roleOf(const Node& node);
/// Of the parameter `function`, as given or by default.
TileRule tileRuleOf(const Node& node);
std::size_t operandsOf(const Node& node);  ///< input ports; 0 for a region
/// Multiplies tiles of two streams; may sum the products.
bool isProduct(const Node& node);
bool hasTransposedWeight(const Node& node);  ///< of a product
bool loadsPerReference(const Node& node);
bool holdsTensorProgram(const Node& node);

}  // namespace sluice::inline schedule
