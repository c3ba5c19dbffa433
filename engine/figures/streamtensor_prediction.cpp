#include "engine/figures/streamtensor_prediction.h"

#include "engine/core/cancelled.h"
#include "engine/explorer/evaluate.h"
#include "engine/program/elaborate.h"

namespace sluice::inline figures {
namespace {

/// The platform's machine with its numbers bound.
Result<BoundMachine> boundMachine(const Platform& platform) {
  Document document;
  document.machine = machineOf(platform);
  SLUICE_TRY(const FlatGraph graph, elaborate(document, {}, builtInCatalog()));
  return graph.machine;
}

Result<CompileOptions> optionsOf(const Platform& platform, const BlockChoices& choices) {
  SLUICE_TRY(const BoundMachine machine, boundMachine(platform));
  CompileOptions options;
  options.tiling.overall_unroll_size = choices.unroll;
  options.tiling.accumulation_latency = 1;  // integers: a sum can be added to in every cycle
  options.requests_per_cycle = choices.requests_per_cycle;
  options.equalisation = choices.equalisation;
  options.machine = machine;
  return options;
}

}  // namespace

Result<CompiledDesign> compiledBlock(const TransformerModel& model, BlockPhase phase,
                                     const Platform& platform, const BlockChoices& choices) {
  SLUICE_TRY(const Quantisation widths, quantisationNamed("W4A8"));
  SLUICE_TRY(const TensorProgram program, transformerBlock(model, phase, widths));
  SLUICE_TRY(const CompileOptions options, optionsOf(platform, choices));
  return compile(program, options);
}

Result<PlacedBlock> placedBlock(const TransformerModel& model, BlockPhase phase, const Platform& platform,
                                std::int64_t requests_per_cycle) {
  constexpr std::int64_t steps = 8;
  const BoundOptions bound;
  const double products =
      static_cast<double>(totalResources(platform)[Resource::Dsp]) * bound.fill * bound.products_per_dsp;
  PlacementOptions placement;
  placement.dies.fill = bound.fill;
  placement.dies.node_limit = 200;  // designs that the dies hold take about half of it at most
  Diagnostics problem;
  for (std::int64_t step = steps; step > 0; --step) {
    for (const Equalisation equalisation : {Equalisation::Normal, Equalisation::Conservative}) {
      const auto unroll = static_cast<std::int64_t>(products * static_cast<double>(step) / steps);
      const BlockChoices choices{unroll, requests_per_cycle, equalisation};
      SLUICE_TRY(CompiledDesign compiled, compiledBlock(model, phase, platform, choices));
      SLUICE_TRY(const CompileOptions options, optionsOf(platform, choices));
      Result<PlacedDesign> placed =
          placeCompiled(std::move(compiled), options, bound.products_per_dsp, platform, placement);
      if (placed) return PlacedBlock{*std::move(placed), choices};
      problem = placed.diagnostics();
    }
  }
  return problem;
}

void addCurve(FigureChart& chart, const std::string& name, bool published,
              std::span<const std::int64_t> lengths, const std::function<double(std::size_t)>& value) {
  FigureChart::Curve& curve = chart.curves.emplace_back();
  curve.name = name;
  curve.published = published;
  for (std::size_t at = 0; at < lengths.size(); ++at) {
    curve.x.push_back(static_cast<double>(lengths[at]));
    curve.y.push_back(value(at));
  }
}

Result<double> simulatedCycles(const CompiledDesign& compiled, const Platform& platform,
                               std::int64_t requests_per_cycle, const std::stop_token& stop) {
  SLUICE_TRY(const LoweredDesign lowering, lowered(compiled, requests_per_cycle));
  Document document;
  document.title = compiled.design.program.name;
  document.machine = machineOf(platform);
  document.program = lowering.graph;
  SLUICE_TRY(const auto workload, makeWorkload(std::move(document), {}));
  SLUICE_TRY(const PointResult result, evaluate(*workload, {}, RecordMode::Count, stop));
  if (result.point.state == PointState::Cancelled) return cancelledDiagnostic();
  if (result.point.state != PointState::Done) {
    return error("run-not-finished", "block " + compiled.design.program.name,
                 "the run did not finish: " + result.point.cause, "report this");
  }
  return static_cast<double>(result.point.metrics.cycles);
}

}  // namespace sluice::inline figures
