#pragma once
// A design point as JSON, wherever sluice-cli prints one.

#include <string>

#include "engine/explorer/point.h"

namespace sluice::cli {

/// {"knobs": ..., "state": ..., "level": ..., "cause": ..., "metrics": ..., "wall_seconds": ...}, one line.
std::string pointJson(const Document& document, const DesignPoint& point);

}  // namespace sluice::cli
