#include "app/cli/fusion_front.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "app/cli/table.h"

namespace sluice::cli {

nlohmann::ordered_json fusionFrontJson(const std::vector<FusionPlan>& front) {
  nlohmann::ordered_json plans = nlohmann::ordered_json::array();
  for (const FusionPlan& plan : front)
    plans.push_back({{"on_chip_bytes", plan.on_chip_bytes},
                     {"external_bytes", plan.external_bytes},
                     {"least_capacity", plan.least_capacity},
                     {"groups", plan.groups.size()}});
  return {{"front", std::move(plans)}};
}

void printFusionFront(const std::vector<FusionPlan>& front) {
  const auto number = [](std::int64_t value) { return grouped(static_cast<std::uint64_t>(value)); };
  Table table({"on-chip bytes", "external bytes", "from a capacity of", "groups"}, 0);
  for (const FusionPlan& plan : front)
    table.row({number(plan.on_chip_bytes), number(plan.external_bytes), number(plan.least_capacity),
               std::to_string(plan.groups.size())});
  table.print(std::cout);
}

}  // namespace sluice::cli
