#pragma once
// Knobs and design points as JSON, wherever sluice-cli prints them.

#include <nlohmann/json_fwd.hpp>

#include "engine/explorer/point.h"

namespace sluice::cli {

/// A number, or the name of a choice.
nlohmann::ordered_json knobJson(const Knob& knob, std::int64_t value);
/// All of a document, by name.
nlohmann::ordered_json knobsJson(const Document& document, const KnobValues& values);
/// {"knobs": ..., "state": ..., "level": ..., "cause": ..., "metrics": ..., "wall_seconds": ...}; "deadlock"
/// where there is one.
nlohmann::ordered_json pointJson(const Document& document, const DesignPoint& point);

}  // namespace sluice::cli
