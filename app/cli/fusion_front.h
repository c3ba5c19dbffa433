#pragma once
// What `sluice-cli compile --fusion-front` tells: the fusion plans over all capacities that no other plan
// beats in on-chip bytes and external traffic.

#include <nlohmann/json_fwd.hpp>

#include "engine/tensor/fusion.h"

namespace sluice::cli {

nlohmann::ordered_json fusionFrontJson(const std::vector<FusionPlan>& front);
void printFusionFront(const std::vector<FusionPlan>& front);

}  // namespace sluice::cli
