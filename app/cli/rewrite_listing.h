#pragma once
// What `sluice-cli compile --list-rewrites` tells: the rewrites of a compiled design and where each is legal,
// in the words that --rewrites and a schedule take.

#include <nlohmann/json_fwd.hpp>

#include "engine/tensor/dataflow.h"

namespace sluice::cli {

/// `refused`: the other places as well, with what is in the way.
nlohmann::ordered_json rewritesJson(const DataflowDesign& design, bool refused);
void printRewrites(const DataflowDesign& design, bool refused);

}  // namespace sluice::cli
