#include "app/cli/fusion_front.h"

#include <iostream>

namespace sluice::cli {

Json fusionFrontJson(const std::vector<FusionPlan>& front) {
  Json plans = Json::array();
  for (const FusionPlan& plan : front)
    plans.push_back({{"on_chip_bytes", plan.on_chip_bytes},
                     {"external_bytes", plan.external_bytes},
                     {"least_capacity", plan.least_capacity},
                     {"groups", plan.groups.size()}});
  return {{"front", std::move(plans)}};
}

void printFusionFront(const Json& report) {
  tableOf(report["front"],
          {{"on_chip_bytes", "on-chip bytes"},
           {"external_bytes", "external bytes"},
           {"least_capacity", "from a capacity of"},
           {"groups", "groups"}},
          0)
      .print(std::cout);
}

}  // namespace sluice::cli
