#pragma once
// A design point as JSON, wherever sluice-cli prints one.

#include <nlohmann/json_fwd.hpp>

#include "engine/explorer/point.h"

namespace sluice::cli {

/// {"knobs": ..., "state": ..., "level": ..., "cause": ..., "metrics": ..., "wall_seconds": ...}; "deadlock"
/// where there is one.
nlohmann::ordered_json pointJson(const Document& document, const DesignPoint& point);

}  // namespace sluice::cli
