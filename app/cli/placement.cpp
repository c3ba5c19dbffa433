#include "app/cli/placement.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <span>

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

namespace {

constexpr std::size_t most_parts = 20, most_buffers = 10;

/// The tasks that a refusal names.
std::set<std::string> refusedTasks(const Diagnostics& problems) {
  std::set<std::string> names;
  for (const Diagnostic& problem : problems)
    for (const LocationPart& part : problem.place.parts())
      if (part.kind == Where::Task) names.insert(part.name);
  return names;
}

/// The largest share of the card that a part takes of any resource.
double largestShare(const Json& part, const Json& group) {
  double most = 0;
  for (const Resource resource : all_resources) {
    const std::string name(text(resource));
    const double there = group["resources"][name]["of"];
    if (there > 0) most = std::max(most, part[name].get<double>() / there);
  }
  return most;
}

struct Listed {
  std::size_t group;  ///< its number
  const Json* entry;
};

/// What the groups list under a key.
std::vector<Listed> listed(const Json& report, const char* key) {
  std::vector<Listed> all;
  std::size_t group = 0;
  for (const Json& each : report["groups"]) {
    for (const Json& entry : each[key]) all.push_back({group, &entry});
    ++group;
  }
  return all;
}

/// The parts of all groups that take most of the card, those that were refused before them.
void printParts(const Json& report, const std::set<std::string>& refused) {
  std::vector<Listed> parts = listed(report, "parts");
  std::ranges::stable_sort(parts, std::greater(), [&](const Listed& part) {
    return largestShare(*part.entry, report["groups"][part.group]) +
           (refused.contains((*part.entry)["name"]) ? 1e6 : 0);
  });
  std::vector<std::string> head{"group", "part", "kind"};
  for (const Resource resource : all_resources) head.emplace_back(text(resource));
  Table table(head, 3);
  for (const auto& [group, part] : parts) {
    std::vector<std::string> row{std::to_string(group), written((*part)["name"]), written((*part)["kind"])};
    for (const Resource resource : all_resources)
      row.push_back(std::to_string((*part)[std::string(text(resource))].get<std::int64_t>()));
    table.row(row);
  }
  std::cout << "\nwhat takes most of the card (LUTs, flip-flops and DSPs are estimates from published "
               "syntheses):\n";
  table.print(std::cout, most_parts, "--json");
}

/// Where the largest buffers of all groups lie.
void printBuffers(const Json& report) {
  std::vector<Listed> buffers = listed(report, "buffers");
  std::ranges::stable_sort(buffers, std::greater(),
                           [](const Listed& buffer) { return (*buffer.entry)["bytes"].get<std::int64_t>(); });
  Table table({"group", "buffer", "memory", "blocks", "bytes", "banks"}, 3);
  for (const auto& [group, buffer] : buffers)
    table.row({std::to_string(group), written((*buffer)["name"]), written((*buffer)["memory"]),
               written((*buffer)["blocks"]), writtenBytes((*buffer)["bytes"]), written((*buffer)["banks"])});
  std::cout << "\nthe largest buffers, and the memory that each lies in:\n";
  table.print(std::cout, most_buffers, "--json");
}

}  // namespace

void printPlacement(const Json& report, const std::string& title, const Diagnostics& problems) {
  std::vector<std::string> head{"group", "die", "tasks"};
  for (const Resource resource : all_resources) head.emplace_back(text(resource));
  Table table(head, 2);
  const auto row = [&](const std::string& group, const std::string& die, const std::string& tasks,
                       const Json& resources) {
    std::vector<std::string> cells{group, die, tasks};
    for (const Json& resource : resources) {
      const std::int64_t used = resource["used"], there = resource["of"];
      const std::int64_t percent = there > 0 ? (100 * used + there / 2) / there : 0;
      cells.push_back(std::to_string(used) + " (" + std::to_string(percent) + " %)");
    }
    table.row(cells);
  };
  std::size_t number = 0;
  for (const Json& group : report["groups"]) {
    std::size_t tasks = 0;
    for (const Json& die : group["dies"]) {
      row(std::to_string(number), die["name"], std::to_string(die["tasks"].size()), die["resources"]);
      tasks += die["tasks"].size();
    }
    if (group["dies"].size() > 1)
      row(std::to_string(number), "the card", std::to_string(tasks), group["resources"]);
    ++number;
  }
  std::cout << "\n" << title << ":\n";
  table.print(std::cout);
  printParts(report, refusedTasks(problems));
  printBuffers(report);
}

int failPlacement(const NeededPlacement& needed, const Platform& platform, bool json) {
  const Json placement = placementJson(needed.placed, platform);
  if (json) {
    printJson({{"diagnostics", diagnosticsJson(needed.problems)}, {"needed", placement}});
  } else {
    report(needed.problems, json);
    printPlacement(placement, "what the design would need of " + platform.title, needed.problems);
  }
  return ExitDiagnostic;
}

}  // namespace sluice::cli
