#include "engine/tensor/placement/needed_placement.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sluice::inline tensor {
namespace {

/// A card with so much room that every buffer lies where it suits best.
constexpr double roomy = 10'000;
constexpr std::size_t sketch_nodes = 10;

/// Without registers between dies: with them depths would be others than those that found no room.
Platform enlarged(Platform platform, double times) {
  for (Die& die : platform.dies)
    for (std::int64_t& count : die.resources.count)
      count = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) * times));
  platform.crossing_cycles = 0;
  return platform;
}

/// How many times the room of all dies together the group that needs most of a resource needs.
double mostNeeded(const PlacedDesign& placed, const Resources& room) {
  double most = 1;
  for (const DesignPlacement& group : placed.groups) {
    Resources used;
    for (const Resources& die : group.dies.used) used += die;
    for (const Resource resource : all_resources)
      if (room[resource] > 0)
        most = std::max(most, static_cast<double>(used[resource]) / static_cast<double>(room[resource]));
  }
  return most;
}

bool isOfTask(const Diagnostic& problem) {
  return !problem.place.parts().empty() && problem.place.parts().front().kind == Where::Task;
}

/// "5000 DSP" of "it needs 5000 DSP; 80 % of ...".
std::string needIn(const std::string& cause) {
  constexpr std::string_view before = "it needs";
  return cause.substr(before.size(), cause.find(';') - before.size());
}

/// A refusal with what the sums say that are shown beside it. The refusal goes by memories that were a
/// stopgap where the best one was full; in the sums every buffer lies where it suits best.
Diagnostics withNeeds(const Diagnostics& problems, const PlacedDesign& placed, const Platform& platform,
                      const DieOptions& options) {
  const bool of_tasks = std::ranges::any_of(problems, isOfTask);
  const auto isTold = [](const Diagnostics& told, const std::string& need) {
    return std::ranges::any_of(
        told, [&](const Diagnostic& each) { return each.cause.find(need) != std::string::npos; });
  };
  Diagnostics all, tasks;
  for (const DesignPlacement& group : placed.groups) {
    for (Diagnostic& lack : lackOfRoom(group.die_tasks, platform, options)) {
      if (isOfTask(lack)) {
        if (!of_tasks) tasks.push_back(std::move(lack));
      } else if (const std::string need = needIn(lack.cause); !isTold(problems, need) && !isTold(all, need)) {
        all.push_back(std::move(lack));
      }
    }
  }
  std::ranges::copy(problems, std::back_inserter(all));
  std::ranges::move(tasks, std::back_inserter(all));
  return all;
}

}  // namespace

Result<NeededPlacement> placeAsNeeded(const CompiledDesign& compiled, const CompileOptions& options,
                                      double products_per_dsp, const Platform& platform,
                                      const PlacementOptions& placement) {
  PlacementOptions sketch = placement;  // a good assignment does, the best is not looked for
  sketch.dies.node_limit = std::min(sketch.dies.node_limit, sketch_nodes);
  const auto placedOn = [&](const Platform& card) {
    return placeCompiled(compiled, options, products_per_dsp, card, sketch);
  };
  Result<PlacedDesign> placed = placeCompiled(compiled, options, products_per_dsp, platform, placement);
  if (placed) return NeededPlacement{*std::move(placed), {}, 1};
  Diagnostics problems = placed.diagnostics();
  if (placement.dies.stop.stop_requested()) return problems;
  placed = placedOn(enlarged(platform, roomy));
  if (!placed) return problems;
  // Whole tasks lie on a die, so that dies have to be larger than what is needed of all together.
  const double least = mostNeeded(*placed, share(totalResources(platform), placement.dies.fill));
  for (const double beyond : {1.25, 2.0, 4.0, 8.0}) {
    Result<PlacedDesign> spread = placedOn(enlarged(platform, least * beyond));
    if (placement.dies.stop.stop_requested()) return problems;
    if (!spread) continue;
    problems = withNeeds(problems, *spread, platform, placement.dies);
    return NeededPlacement{*std::move(spread), std::move(problems), least * beyond};
  }
  problems = withNeeds(problems, *placed, platform, placement.dies);
  return NeededPlacement{*std::move(placed), std::move(problems), roomy};
}

}  // namespace sluice::inline tensor
