#pragma once
// What `simulate` prints of a run.

#include <string>

#include "engine/explorer/evaluate.h"

namespace sluice::cli {

/// One JSON object and a newline.
std::string simulationJson(const std::string& file, const Document& document, const PointResult& result);
/// Tables; the busiest operators and the fullest streams only, unless `all`.
std::string simulationText(const Document& document, const PointResult& result, bool all);

/// "artificial": deeper FIFOs would open a circular wait, as one of its operators waits for room; "real": all
/// wait for tokens; "starvation": no circular wait at all.
std::string deadlockKind(const DeadlockReport& deadlock);

}  // namespace sluice::cli
