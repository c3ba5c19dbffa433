#pragma once
// What `sluice-cli compile --platform` adds: the compiled design in the memories and on the dies of a card.

#include <nlohmann/json_fwd.hpp>

#include "engine/tensor/compiled_placement.h"

namespace sluice::cli {

nlohmann::ordered_json placementJson(const PlacedDesign& placed, const Platform& platform);
void printPlacement(const PlacedDesign& placed, const Platform& platform);

}  // namespace sluice::cli
