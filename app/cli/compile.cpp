// sluice-cli compile: what a tensor program is compiled to, and how long it will take.

#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>
#include <set>

#include "app/cli/compilation.h"
#include "app/cli/placement.h"
#include "app/cli/rewrite_listing.h"
#include "app/cli/trust_report.h"
#include "engine/emitters/fitting_knobs.h"
#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_text.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "engine/tensor/fusion/program_fusion.h"
#include "engine/tensor/placement/block_bound.h"
#include "engine/tensor/placement/part_resources.h"
#include "engine/tensor/programs/padded_program.h"
#include "engine/tensor/programs/repeated_layers.h"

namespace sluice::cli {
namespace {

struct CompileCommand : FileOptions {
  std::string platform, parts;
  std::vector<std::string> rewrites;
  bool list_rewrites = false, refused = false, fusion_front = false, text = false;
};

struct Report {
  TensorCompilation compilation;
  DesignSummary summary;
  std::vector<std::int64_t> predicted;  ///< cycles of each group
  SimulatedFifos simulated;
  std::optional<Platform> platform;
  std::optional<PlacedDesign> placed;

  const CompiledDesign& compiled() const { return compilation.compiled; }
  std::int64_t predictedTotal() const {
    return std::accumulate(predicted.begin(), predicted.end(), std::int64_t{0});
  }
};

Json kernelsJson(const CompiledDesign& compiled) {
  Json list = Json::array();
  for (std::size_t i = 0; i < compiled.design.tasks.size(); ++i) {
    const Task& task = compiled.design.tasks[i];
    const TaskTiming& timing = compiled.timings[i];
    if (task.kind != TaskKind::Compute) continue;
    list.push_back({{"name", task.name},
                    {"group", task.group},
                    {"operations", timing.operations},
                    {"cycles", timing.cycles},
                    {"unrolled", timing.tiling.unrolled()},
                    {"tile", timing.tiling.tile},
                    {"unroll", timing.tiling.unroll},
                    {"tokens", timing.curve.tokens},
                    {"initial_delay", timing.curve.initial_delay},
                    {"interval", {timing.curve.interval.cycles, timing.curve.interval.tokens}}});
  }
  return list;
}

Json convertersJson(const CompiledDesign& compiled) {
  Json list = Json::array();
  for (std::size_t i = 0; i < compiled.design.tasks.size(); ++i) {
    const Task& task = compiled.design.tasks[i];
    if (task.kind != TaskKind::Converter) continue;
    std::int64_t elements = 2;
    for (const std::int64_t extent : task.buffer) elements *= extent;
    list.push_back({{"name", task.name},
                    {"group", task.group},
                    {"from", text(task.inputs[0].type)},
                    {"to", text(task.outputs[0].type)},
                    {"buffer", task.buffer},
                    {"before_loop", task.before_loop},
                    {"bytes", bytesOf(elements * task.inputs[0].type.scalar.bits)},
                    {"iterations", compiled.timings[i].iterations},
                    {"fill", compiled.timings[i].fill},
                    {"drain", compiled.timings[i].drain}});
  }
  return list;
}

Json fifosJson(const Report& report) {
  const DataflowDesign& design = report.compiled().design;
  Json list = Json::array();
  for (std::size_t i = 0; i < design.streams.size(); ++i) {
    const DataflowStream& stream = design.streams[i];
    const ITensor& type = sourceOf(design, stream).type;
    list.push_back({{"from", design.tasks[stream.from.task].name},
                    {"to", design.tasks[stream.to.task].name},
                    {"tokens", tokenCount(type)},
                    {"token_bits", tokenBits(type)},
                    {"vector", stream.vector},
                    {"folded", stream.folded},
                    {"depth", orNull(stream.depth)},
                    {"published", report.compiled().sizing.fifos[i].published.tokens},
                    {"bytes", report.compiled().sizing.fifos[i].bytes},
                    {"simulated_peak", report.simulated.peak[i]}});
  }
  return list;
}

Json groupsJson(const Report& report) {
  Json list = Json::array();
  const auto& planned = report.compiled().plan.groups;
  const std::vector<std::int64_t> bytes = onChipBytesOfGroups(report.compiled().design);
  std::vector<Json> kernels(report.predicted.size(), Json::array());
  const DataflowDesign& design = report.compiled().design;
  const RepeatedLayers layers = repeatedLayers(design.program);
  std::vector<std::set<std::size_t>> within(report.predicted.size());  // layers of each group
  for (const Task& task : design.tasks) {
    if (task.kind != TaskKind::Compute) continue;
    kernels[task.group].push_back(task.name);
    within[task.group].insert(layers.layerOf(task.subject));
  }
  for (std::size_t g = 0; g < report.predicted.size(); ++g) {
    // Rewrites may have made other groups than fusion did.
    const bool as_planned = planned.size() == report.predicted.size();
    const std::size_t layer = within[g].size() == 1 ? *within[g].begin() : 0;
    list.push_back({{"kernels", std::move(kernels[g])},
                    {"layer", layer >= 1 && layer <= layers.count ? Json(layer) : Json()},
                    {"fusion_bytes", as_planned ? Json(planned[g].bytes) : Json()},
                    {"on_chip_bytes", bytes[g]},
                    {"predicted_cycles", report.predicted[g]}});
  }
  return list;
}

/// Equal layers whose groups are alike, too: how many, and what one of them has. Null: there are none.
Json layersJson(const Json& groups) {
  std::map<std::int64_t, Json> cycles;  // of each layer's groups
  for (const Json& group : groups)
    if (!group["layer"].is_null()) cycles[group["layer"]].push_back(group["predicted_cycles"]);
  if (cycles.size() < 2) return {};
  const Json& first = cycles.begin()->second;
  if (std::ranges::any_of(cycles, [&](const auto& layer) { return layer.second != first; })) return {};
  std::int64_t sum = 0;
  for (const Json& group : first) sum += group.get<std::int64_t>();
  return {{"count", cycles.size()}, {"groups", first.size()}, {"predicted_cycles", sum}};
}

/// Tensors in more than one bank.
Json arraysJson(const CompiledDesign& compiled) {
  Json list = Json::array();
  for (std::size_t tensor = 0; tensor < compiled.partitions.size(); ++tensor) {
    const ArrayPartition& partition = compiled.partitions[tensor];
    if (partition.banks() == 1) continue;
    Json factors = Json::array();
    for (const DimensionPartition& dimension : partition.dimensions) factors.push_back(dimension.factor);
    list.push_back({{"name", compiled.design.program.tensors[tensor].name},
                    {"partition", std::move(factors)},
                    {"banks", partition.banks()}});
  }
  return list;
}

Json appliedJson(const CompiledDesign& compiled) {
  Json list = Json::array();
  for (const RewriteMade& made : compiled.rewrites)
    list.push_back({{"rewrite", made.text}, {"difference", made.difference}});
  return list;
}

Json reportJson(const Report& report, const std::string& file) {
  const DesignSummary& summary = report.summary;
  Json groups = groupsJson(report), layers = layersJson(groups);
  return {
      {"program", file},
      {"kernels", kernelsJson(report.compiled())},
      {"groups", std::move(groups)},
      {"layers", std::move(layers)},
      {"converters", convertersJson(report.compiled())},
      {"fifos", fifosJson(report)},
      {"arrays", arraysJson(report.compiled())},
      {"rewrites", appliedJson(report.compiled())},
      {"sizing", report.compilation.sizing},
      {"diagnostics", diagnosticsJson(paddingOf(report.compiled().design.program))},
      {"memory",
       {{"fifo_bytes", summary.fifo_bytes},
        {"on_chip_bytes", summary.on_chip_bytes},
        {"largest_group_bytes", summary.largest_group_bytes},
        {"external_bytes", summary.external_bytes},
        {"host_bytes", summary.host_bytes}}},
      {"trust", trustJson({})},
      {"predicted", {{"cycles", report.predictedTotal()}}},
      {"simulated",
       {{"state", report.simulated.deadlock ? "deadlocked" : "done"}, {"cycles", report.simulated.cycles}}}};
}

std::string shapeOf(const Json& extents) {
  return shapeText(extents.get<std::vector<std::int64_t>>());
}

/// Without what the second of equal layers and those behind it have, which is what the first one has.
Json listed(const Json& report, const char* what) {
  if (report["layers"].is_null()) return report[what];
  Json some = Json::array();
  for (const Json& row : report[what]) {
    const Json& layer = report["groups"][row["group"].get<std::size_t>()]["layer"];
    if (layer.is_null() || layer == 1) some.push_back(row);
  }
  return some;
}

void printLayers(const Json& layers) {
  if (layers.is_null()) return;
  std::cout << counted(layers["count"], "equal layer")
            << ", of which the first is listed: " << counted(layers["groups"], "group") << ", "
            << written(layers["predicted_cycles"]) << " predicted cycles each\n\n";
}

void printCompilation(const Json& report) {
  printLayers(report["layers"]);
  tableOf(listed(report, "kernels"), {{"name", "kernel"},
                                      {"group", "group"},
                                      {"operations", "operations"},
                                      {"unrolled", "unrolled"},
                                      {"cycles", "cycles"},
                                      {"tokens", "tokens"},
                                      {"initial_delay", "initial delay"}})
      .print(std::cout);
  std::cout << "\n";
  tableOf(listed(report, "converters"), {{"name", "converter"},
                                         {"group", "group"},
                                         {"buffer", "buffer", shapeOf},
                                         {"before_loop", "shared loops"},
                                         {"fill", "fill"},
                                         {"drain", "drain"}})
      .print(std::cout);
  std::cout << "\n";
  for (const Json& made : report["rewrites"])
    std::cout << written(made["rewrite"]) << ": " << written(made["difference"]) << "\n";
  if (!report["rewrites"].empty()) std::cout << "\n";
  const auto size = [](const Json& list) { return grouped(list.size()); };
  const auto fifos = [](const Json& list) {
    return grouped(static_cast<std::size_t>(
        std::ranges::count_if(list, [](const Json& fifo) { return !fifo["folded"].get<bool>(); })));
  };
  const auto banks = [](const Json& arrays) {
    std::int64_t most = 1;
    for (const Json& array : arrays) most = std::max(most, array["banks"].get<std::int64_t>());
    return written(most);
  };
  linesOf("in all", report,
          {{"groups", "groups", size},
           {"fifos", "FIFOs", fifos},
           {"arrays", "banks of one tensor", banks},
           {"memory/fifo_bytes", "FIFO memory", writtenBytes},
           {"memory/on_chip_bytes", "on-chip memory with FIFOs, transfers double-buffered", writtenBytes},
           {"memory/external_bytes", "off-chip traffic", writtenBytes},
           {"predicted/cycles", "predicted cycles"},
           {"simulated", "simulated cycles", writtenRun}})
      .print(std::cout);
  std::cout << trustLine({});
  std::cout << shown(diagnosticsFrom(report["diagnostics"]));
}

/// The fusion plans over all capacities that no other beats in on-chip bytes and external traffic.
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

int listFusionFront(const TensorCompilation& compilation, const CompileCommand& options) {
  const CompileOptions& chosen = compilation.options;
  const TensorProgram& program = compilation.compiled.design.program;
  Result<ProgramFusion> kernels = fusionGraph(program, chosen.tiling.default_tile_size, chosen.converters);
  if (!kernels) return fail(kernels.diagnostics(), options.json);
  if (chosen.layers_apart) kernels = withLayersApart(*std::move(kernels), program);
  const Result<std::vector<FusionPlan>> front =
      fusionFront(kernels->graph, chosen.memory, chosen.fusion == FusionSearch::Optimal);
  if (!front) return fail(front.diagnostics(), options.json);
  return show(fusionFrontJson(*front), options.json, printFusionFront);
}

/// None, if none is named.
Result<std::optional<Platform>> wantedPlatform(const CompileCommand& options) {
  if (options.platform.empty()) return std::optional<Platform>();
  SLUICE_TRY(Platform named, platformNamed(options.platform));
  return std::optional(std::move(named));
}

int runCompile(const CompileCommand& options) {
  Result<std::optional<Platform>> wanted = wantedPlatform(options);
  if (!wanted) return fail(wanted.diagnostics(), options.json);
  std::optional<Platform> platform = *std::move(wanted);
  const Result<CompilationSource> source =
      compilationSource(options, platform ? &*platform : nullptr, options.rewrites);
  if (!source) return fail(source.diagnostics(), options.json);
  Result<TensorCompilation> compilation = tensorCompilation(source->document, source->inputs, source->knobs);
  if (!compilation) return fail(compilation.diagnostics(), options.json);
  if (options.fusion_front) return listFusionFront(*compilation, options);
  if (options.list_rewrites)
    return show(rewritesJson(compilation->compiled.rewritable, options.refused), options.json, printRewrites);
  std::optional<PlacedDesign> placed;
  if (platform) {
    Result<NeededPlacement> found = placeAsNeeded(compilation->compiled, compilation->options,
                                                  BoundOptions{}.products_per_dsp, *platform);
    if (!found) return fail(found.diagnostics(), options.json);
    if (!found->problems.empty()) {
      found->problems = withFittingKnobs(std::move(found->problems), source->document, source->inputs,
                                         source->knobs, *platform);
      return failPlacement(*found, *platform, options.json);
    }
    placed = std::move(found->placed);
    compilation->compiled = placed->compiled;  // with depths for the dies' crossings
  }
  if (options.text) {
    std::cout << text(compilation->compiled.design);
    return ExitDone;
  }
  const Result<DepthProblem> problem = depthProblem(compilation->compiled, compilation->options);
  if (!problem) return fail(problem.diagnostics(), options.json);
  std::vector<std::int64_t> depths;
  for (const DataflowStream& stream : compilation->compiled.design.streams)
    depths.push_back(stream.depth.value_or(folded_tiles));
  Report report{*std::move(compilation), {}, {}, simulateFifos(*problem, depths), std::move(platform),
                std::move(placed)};
  report.summary = summarise(report.compiled().design);
  report.predicted = predictedCycles(report.compiled());
  Json object = reportJson(report, options.file);
  if (report.placed) object["placement"] = placementJson(*report.placed, *report.platform);
  if (report.placed && !options.parts.empty()) {
    const Result<Done> written =
        writeOutput(options.parts, partsCsv(report.compiled().design, report.placed->groups), {options.file});
    if (!written) return fail(written.diagnostics(), options.json);
  }
  show(object, options.json, printCompilation);
  if (report.placed && !options.json) printPlacement(object["placement"], report.platform->title);
  return report.simulated.deadlock ? ExitDeadlock : ExitDone;
}

}  // namespace

Command compileCommand() {
  const auto options = std::make_shared<CompileCommand>();
  Command command{
      .name = "compile",
      .summary =
          "compile a tensor program: kernels, converters, FIFOs, memory, predicted and simulated cycles",
      .examples = {{"compile sample_workloads/gpt2_block.sluice",
                    "kernels, converters, FIFOs, memory and cycles"},
                   {"compile gpt2 --set tokens=64 --list-rewrites",
                    "of a built-in model, and what may be rewritten"}},
      .options = programOptions(*options),
      .run = [options](Process&) { return runCompile(*options); }};
  command.add("--platform", options->platform,
              "place it on a card: u55c, u280, generic or a machine file; its memory replaces the machine's");
  command.add("--parts", options->parts,
              "write what every kernel, converter, transfer and FIFO takes of the card as CSV",
              {.type = "FILE", .needs = "--platform"});
  command.add(
      "--rewrites", options->rewrites,
      "rewrites of the design, in this order: \"fold everywhere\", \"vectorise stream '...' by 2x4\" ...",
      {.type = "REWRITE"});
  command.add("--fusion-front", options->fusion_front,
              "on-chip bytes against external traffic over all capacities of a group's memory");
  command.add("--text", options->text,
              "print the design as MLIR-style text, with the iterative tensor types of its streams");
  command.add("--list-rewrites", options->list_rewrites,
              "list the rewrites that are legal, and compile no further");
  command.add("--refused", options->refused, "list where they are not legal as well, and why",
              {.needs = "--list-rewrites"});
  return command;
}

}  // namespace sluice::cli
