#include "engine/figures/streamtensor_prediction.h"

#include <cmath>

#include "engine/explorer/evaluate.h"
#include "engine/program/elaborate.h"

namespace sluice::figures {
namespace {

/// The platform's machine with its numbers bound.
Result<BoundMachine> boundMachine(const Platform& platform) {
  Document document;
  document.machine = machineOf(platform);
  const Result<FlatGraph> graph = elaborate(document, {}, builtInCatalog());
  if (!graph) return graph.diagnostics();
  return graph->machine;
}

/// DSPs of every task.
std::vector<std::int64_t> dspsOf(const CompiledDesign& compiled, const BoundOptions& bound) {
  std::vector<std::int64_t> dsps(compiled.design.tasks.size(), 0);
  for (std::size_t task = 0; task < dsps.size(); ++task) {
    if (compiled.design.tasks[task].kind != TaskKind::Compute) continue;
    const auto products = static_cast<double>(compiled.timings[task].tiling.unrolled());
    dsps[task] = static_cast<std::int64_t>(std::ceil(products / bound.products_per_dsp));
  }
  return dsps;
}

}  // namespace

Result<CompiledBlock> compiledBlock(const TransformerModel& model, BlockPhase phase, const Platform& platform,
                                    const BlockChoices& choices) {
  const Result<Quantisation> widths = quantisationNamed("W4A8");
  if (!widths) return widths.diagnostics();
  const Result<TensorProgram> program = transformerBlock(model, phase, *widths);
  if (!program) return program.diagnostics();
  const Result<BoundMachine> machine = boundMachine(platform);
  if (!machine) return machine.diagnostics();
  CompileOptions options;
  options.tiling.overall_unroll_size = choices.unroll;
  options.tiling.accumulation_latency = 1;  // integers: a sum can be added to in every cycle
  options.requests_per_cycle = choices.requests_per_cycle;
  options.equalisation = choices.equalisation;
  options.machine = *machine;
  Result<CompiledDesign> compiled = compile(*program, options);
  if (!compiled) return compiled.diagnostics();
  return CompiledBlock{*std::move(compiled), choices};
}

Result<PlacedBlock> placedBlock(const TransformerModel& model, BlockPhase phase, const Platform& platform,
                                std::int64_t requests_per_cycle) {
  constexpr std::int64_t steps = 8;
  const BoundOptions bound;
  const double products =
      static_cast<double>(totalResources(platform)[Resource::Dsp]) * bound.fill * bound.products_per_dsp;
  PlacementOptions options;
  options.dies.fill = bound.fill;
  options.dies.node_limit = 200;  // designs that the dies hold take about half of it at most
  Diagnostics problem;
  for (std::int64_t step = steps; step > 0; --step) {
    for (const Equalisation equalisation : {Equalisation::Normal, Equalisation::Conservative}) {
      const auto unroll = static_cast<std::int64_t>(products * static_cast<double>(step) / steps);
      Result<CompiledBlock> block =
          compiledBlock(model, phase, platform, {unroll, requests_per_cycle, equalisation});
      if (!block) return block.diagnostics();
      Result<DesignPlacement> placement =
          placeDesign(block->compiled.design, 0, dspsOf(block->compiled, bound), platform, options);
      if (placement) return PlacedBlock{*std::move(block), *std::move(placement)};
      problem = placement.diagnostics();
    }
  }
  return problem;
}

Result<double> simulatedCycles(const CompiledBlock& block, const Platform& platform,
                               const std::stop_token& stop) {
  const CompiledDesign& compiled = block.compiled;
  const Result<LoweredDesign> lowering =
      lowered(compiled.design, compiled.timings, {block.choices.requests_per_cycle, {}});
  if (!lowering) return lowering.diagnostics();
  Document document;
  document.title = compiled.design.program.name;
  document.machine = machineOf(platform);
  document.program = lowering->graph;
  const auto workload = makeWorkload(std::move(document), {});
  if (!workload) return workload.diagnostics();
  const Result<PointResult> result = evaluate(**workload, {}, RecordMode::Count, stop);
  if (!result) return result.diagnostics();
  if (result->point.state == PointState::Cancelled)
    return Diagnostic{Severity::Note, "figure", "it was cancelled", "run it again"};
  if (result->point.state != PointState::Done) {
    return Diagnostic{Severity::Error, "block " + compiled.design.program.name,
                      "the run did not finish: " + result->point.cause, "report this"};
  }
  return static_cast<double>(result->point.metrics.cycles);
}

}  // namespace sluice::figures
