#include "app/cli/placement.h"

#include <iostream>

namespace sluice::cli {
namespace {

Json resourcesJson(const Resources& used, const Resources& there) {
  Json object = Json::object();
  for (const Resource resource : all_resources)
    object[std::string(text(resource))] = {{"used", used[resource]}, {"of", there[resource]}};
  return object;
}

Json groupJson(const PlacedDesign& placed, const DesignPlacement& group, const Platform& platform) {
  Json buffers = Json::array(), dies = Json::array();
  for (std::size_t at = 0; at < group.buffers.size(); ++at) {
    const PlacedBuffer& memory = group.memory.buffers[at];
    buffers.push_back({{"name", group.buffers[at].memory.name},
                       {"bytes", bytesOf(group.buffers[at].memory)},
                       {"banks", group.buffers[at].memory.banks},
                       {"memory", std::string(text(memory.memory))},
                       {"blocks", memory.blocks}});
  }
  for (std::size_t die = 0; die < platform.dies.size(); ++die) {
    Json tasks = Json::array();
    for (std::size_t at = 0; at < group.tasks.size(); ++at)
      if (group.dies.die[at] == die) tasks.push_back(placed.compiled.design.tasks[group.tasks[at]].name);
    dies.push_back({{"name", platform.dies[die].name},
                    {"tasks", std::move(tasks)},
                    {"resources", resourcesJson(group.dies.used[die], platform.dies[die].resources)}});
  }
  std::int64_t crossings = 0;
  for (const std::int64_t borders : group.dies.crossings) crossings += borders;
  return {{"buffers", std::move(buffers)},     {"dies", std::move(dies)},   {"crossings", crossings},
          {"objective", group.dies.objective}, {"bound", group.dies.bound}, {"optimal", group.dies.optimal}};
}

}  // namespace

Json placementJson(const PlacedDesign& placed, const Platform& platform) {
  Json groups = Json::array();
  for (const DesignPlacement& group : placed.groups) groups.push_back(groupJson(placed, group, platform));
  return {{"platform", platform.name},
          {"clock_mhz", platform.clock_mhz},
          {"fifo_bytes_without_crossings", placed.fifo_bytes_without_crossings},
          {"fifo_bytes", placed.compiled.sizing.total_bytes},
          {"groups", std::move(groups)}};
}

void printPlacement(const Json& report, const std::string& title) {
  std::vector<std::string> head{"group", "die", "tasks"};
  for (const Resource resource : all_resources) head.emplace_back(text(resource));
  Table table(head, 2);
  std::size_t number = 0;
  for (const Json& group : report["groups"]) {
    for (const Json& die : group["dies"]) {
      std::vector<std::string> row{std::to_string(number), die["name"], std::to_string(die["tasks"].size())};
      for (const Json& resource : die["resources"]) {
        const std::int64_t used = resource["used"], there = resource["of"];
        const std::int64_t percent = there > 0 ? (100 * used + there / 2) / there : 0;
        row.push_back(std::to_string(used) + " (" + std::to_string(percent) + " %)");
      }
      table.row(row);
    }
    ++number;
  }
  std::cout << "\n" << title << ":\n";
  table.print(std::cout);
}

}  // namespace sluice::cli
