#pragma once
// Knobs and design points as JSON, wherever sluice-cli prints them.

#include "app/cli/json.h"
#include "engine/explorer/point.h"

namespace sluice::cli {

/// A number, or the name of a choice.
Json knobJson(const Knob& knob, std::int64_t value);
/// All of a document, by name.
Json knobsJson(const Document& document, const KnobValues& values);
/// {"knobs": ..., "state": ..., "level": ..., "cause": ..., "metrics": ..., "wall_seconds": ...}; "deadlock"
/// where there is one.
Json pointJson(const Document& document, const DesignPoint& point);

}  // namespace sluice::cli
