#include "engine/tensor/placement/compiled_placement.h"

#include <algorithm>
#include <cmath>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/placement/logic_estimate.h"

namespace sluice::inline tensor {
namespace {

Result<std::vector<DesignPlacement>> placeGroups(const CompiledDesign& compiled,
                                                 std::span<const Resources> logic, const Platform& platform,
                                                 const PlacementOptions& options) {
  std::size_t groups = 0;
  for (const Task& task : compiled.design.tasks) groups = std::max(groups, task.group + 1);
  std::vector<DesignPlacement> placements;
  for (std::size_t group = 0; group < groups; ++group) {
    SLUICE_TRY(DesignPlacement placement,
               placeDesign(compiled.design, group, logic, platform, options, compiled.partitions));
    placements.push_back(std::move(placement));
  }
  return placements;
}

std::vector<std::int64_t> crossingsOf(const std::vector<DesignPlacement>& groups, std::size_t streams) {
  std::vector<std::int64_t> all(streams, 0);
  for (const DesignPlacement& group : groups) {
    const std::vector<std::int64_t> own = sluice::crossingsOf(group, streams);
    for (std::size_t stream = 0; stream < streams; ++stream) all[stream] += own[stream];
  }
  return all;
}

/// What it computes with: weights and biases, which follow, may be of other types.
Scalar computedScalar(const Task& task) {
  return (task.inputs.empty() ? task.outputs : task.inputs).front().type.scalar;
}

/// The FIFOs before the registers are those that withCrossings() adds, in the order of the streams.
std::vector<StreamCrossing> streamCrossings(const CompiledDesign& compiled,
                                            const std::vector<std::int64_t>& borders,
                                            std::int64_t crossing_cycles) {
  std::vector<StreamCrossing> crossings(borders.size());
  std::size_t added = borders.size();
  for (std::size_t stream = 0; stream < borders.size(); ++stream) {
    if (borders[stream] == 0 || crossing_cycles == 0) continue;
    const std::int64_t vectors = vectorsPerTile(compiled.design, compiled.design.streams[stream]);
    crossings[stream] = {borders[stream] * crossing_cycles, compiled.sizing.fifos[added++].depth * vectors,
                         borders[stream]};
  }
  return crossings;
}

}  // namespace

std::vector<Resources> logicOf(const CompiledDesign& compiled, double products_per_dsp) {
  std::vector<Resources> logic;
  for (std::size_t number = 0; number < compiled.design.tasks.size(); ++number) {
    const Task& task = compiled.design.tasks[number];
    Resources& own = logic.emplace_back();
    if (task.kind == TaskKind::Compute)
      own = kernelLogic(computedScalar(task), compiled.timings[number].tiling.unrolled(), products_per_dsp);
    else if (task.kind == TaskKind::Converter)
      own = converterLogic();
    else if (task.kind == TaskKind::Load)
      own = loadLogic();
    else if (task.kind == TaskKind::Store)
      own = storeLogic();
  }
  return logic;
}

Result<PlacedDesign> placeCompiled(CompiledDesign compiled, const CompileOptions& options,
                                   double products_per_dsp, const Platform& platform,
                                   const PlacementOptions& placement) {
  // From some round on a stream keeps the registers that it has had, needed or not; so there is an end.
  constexpr int most_rounds = 32, free_rounds = 8;
  const std::vector<Resources> logic = logicOf(compiled, products_per_dsp);
  const std::size_t streams = compiled.design.streams.size();
  const TimedGraph without_crossings = compiled.timed;
  const Bytes bytes_before = compiled.sizing.total_bytes;
  std::vector<std::int64_t> crossings(streams, 0);
  for (int round = 0; round < most_rounds; ++round) {
    SLUICE_TRY(std::vector<DesignPlacement> groups, placeGroups(compiled, logic, platform, placement));
    std::vector<std::int64_t> crossed = crossingsOf(groups, streams);
    for (std::size_t stream = 0; stream < streams && round >= free_rounds; ++stream)
      crossed[stream] = std::max(crossed[stream], crossings[stream]);
    if (crossed == crossings) return PlacedDesign{std::move(compiled), std::move(groups), bytes_before};
    crossings = std::move(crossed);
    for (std::size_t stream = 0; stream < streams; ++stream)  // no buffer lies on two dies
      if (crossings[stream] > 0) compiled.design.streams[stream].folded = false;
    compiled.timed = withCrossings(without_crossings, crossings, platform.crossing_cycles);
    SLUICE_TRY(compiled.sizing, sizeDesign(compiled, options.sizing, sizingOptions(options)));
    compiled.design = withDepths(compiled.design, compiled.sizing);
    compiled.crossings = streamCrossings(compiled, crossings, platform.crossing_cycles);
  }
  return error(
      "infeasible-placement", Location(Where::Platform, platform.name) / Location(Where::Field, "dies"),
      "dies and FIFO depths still changed each other after " + std::to_string(most_rounds) + " rounds",
      "allow a fuller die, or unroll less");
}

}  // namespace sluice::inline tensor
