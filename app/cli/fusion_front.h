#pragma once
// What `sluice-cli compile --fusion-front` tells: the fusion plans over all capacities that no other plan
// beats in on-chip bytes and external traffic.

#include "app/cli/report.h"
#include "engine/tensor/fusion/fusion.h"

namespace sluice::cli {

Json fusionFrontJson(const std::vector<FusionPlan>& front);
void printFusionFront(const Json& report);

}  // namespace sluice::cli
