#pragma once
// What `simulate --stalls` prints: every lost cycle by its cause.

#include <string>

#include "app/cli/json.h"
#include "engine/simulator/stalls.h"

namespace sluice::cli {

/// Every cause, and the victims of the first ones. What was left out is counted: causes_without_victims, and
/// of each cause victims_left_out (null where they were not counted) and cycles_left_out.
Json stallsJson(const FlatGraph& graph, const StallFindings& stalls);
/// The causes with whom they held up most; the first few, unless `all`.
std::string stallsText(const FlatGraph& graph, const StallFindings& stalls, bool all);

}  // namespace sluice::cli
