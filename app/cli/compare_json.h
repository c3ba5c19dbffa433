#pragma once
// Two runs side by side as JSON, for `compare` and `serve`.

#include "app/cli/json.h"
#include "engine/explorer/compare.h"

namespace sluice::cli {

/// Metrics, operators, streams and causes, each with `a`, `b` and `change`; `top` rows of each list, 0: all.
Json comparisonJson(const Comparison& comparison, std::size_t top);

}  // namespace sluice::cli
