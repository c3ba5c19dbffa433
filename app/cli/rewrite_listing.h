#pragma once
// What `sluice-cli compile --list-rewrites` tells: the rewrites of a compiled design and where each is legal,
// in the words that --rewrites takes.

#include "app/cli/report.h"
#include "engine/tensor/dataflow/dataflow.h"

namespace sluice::cli {

/// `refused`: the other places as well, with what is in the way.
Json rewritesJson(const DataflowDesign& design, bool refused);
void printRewrites(const Json& report);

}  // namespace sluice::cli
