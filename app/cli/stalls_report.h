#pragma once
// What `simulate --stalls` prints: every lost cycle by its cause.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/simulator/stalls.h"

namespace sluice::cli {

nlohmann::ordered_json stallsJson(const FlatGraph& graph, const StallReport& stalls);
/// The causes with whom they held up most; the first few, unless `all`.
std::string stallsText(const FlatGraph& graph, const StallReport& stalls, bool all);

}  // namespace sluice::cli
