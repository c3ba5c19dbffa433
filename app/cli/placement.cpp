#include "app/cli/placement.h"

#include <algorithm>
#include <iostream>

#include "engine/tensor/placement/part_resources.h"

namespace sluice::cli {
namespace {

Json resourcesJson(const Resources& used, const Resources& there) {
  Json object = Json::object();
  for (const Resource resource : all_resources)
    object[std::string(text(resource))] = {{"used", used[resource]}, {"of", there[resource]}};
  return object;
}

/// What each kernel, converter, transfer and FIFO takes, logic and memories together.
Json partsJson(const DataflowDesign& design, const DesignPlacement& group) {
  Json parts = Json::array();
  for (const PartResources& part : partsOf(design, group)) {
    Json one = {{"name", part.name}, {"kind", std::string(text(part.kind))}, {"bits", part.bits}};
    for (const Resource resource : all_resources) one[std::string(text(resource))] = part.resources[resource];
    parts.push_back(std::move(one));
  }
  return parts;
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
  Resources used;
  for (const Resources& die : group.dies.used) used += die;
  return {{"buffers", std::move(buffers)},
          {"parts", partsJson(placed.compiled.design, group)},
          {"resources", resourcesJson(used, totalResources(platform))},
          {"dies", std::move(dies)},
          {"crossings", crossings},
          {"crossing_bytes", crossingBytes(placed.compiled.design, group)},
          {"objective", group.dies.objective},
          {"bound", group.dies.bound},
          {"optimal", group.dies.optimal}};
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

/// The parts of all groups that take most; blocks of memory weigh by what they hold.
void printParts(const Json& report) {
  constexpr std::size_t most_rows = 20;
  std::vector<std::pair<std::string, const Json*>> parts;
  std::size_t number = 0;
  for (const Json& group : report["groups"]) {
    for (const Json& part : group["parts"]) parts.emplace_back(std::to_string(number), &part);
    ++number;
  }
  std::ranges::stable_sort(parts, std::greater(), [](const auto& part) {
    return (*part.second)["bits"].template get<std::int64_t>();
  });
  std::vector<std::string> head{"group", "part", "kind"};
  for (const Resource resource : all_resources) head.emplace_back(text(resource));
  Table table(head, 3);
  for (std::size_t at = 0; at < std::min(most_rows, parts.size()); ++at) {
    const auto& [group, part] = parts[at];
    std::vector<std::string> row{group, written((*part)["name"]), written((*part)["kind"])};
    for (const Resource resource : all_resources)
      row.push_back(std::to_string((*part)[std::string(text(resource))].get<std::int64_t>()));
    table.row(row);
  }
  std::cout << "\nwhat takes most of the memories (LUTs, flip-flops and DSPs are estimates from published "
               "syntheses):\n";
  table.print(std::cout);
  if (parts.size() > most_rows)
    std::cout << "  ... and " << parts.size() - most_rows << " more (--json lists them)\n";
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
  printParts(report);
}

int failPlacement(const NeededPlacement& needed, const Platform& platform, bool json) {
  const Json placement = placementJson(needed.placed, platform);
  if (json) {
    printJson({{"diagnostics", diagnosticsJson(needed.problems)}, {"needed", placement}});
  } else {
    report(needed.problems, json);
    printPlacement(placement, "what the design would need of " + platform.title);
  }
  return ExitDiagnostic;
}

}  // namespace sluice::cli
