// sluice-cli parallelize: unroll factors and array partitions of loop nests.

#include <algorithm>
#include <iostream>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/tensor/loop_nests/array_partition.h"
#include "engine/tensor/loop_nests/kernel_exploration.h"
#include "engine/tensor/loop_nests/loop_nest_file.h"
#include "engine/tensor/loop_nests/parallelization.h"

namespace sluice::cli {
namespace {

struct ParallelizeOptions {
  std::string file;
  std::string mode = text(ParallelizationMode::IntensityAndConnection);
  std::int64_t max_parallel_factor = 32;
  bool divisors = false, explore = false;
  std::int64_t dsp_budget = ExplorationOptions{}.dsp_budget;
  std::uint64_t seed = 0;
  bool json = false;
};

/// A program with the decisions about it.
struct Decided {
  LoopProgram program;
  std::vector<NestConnection> connections;
  Parallelization parallelization;
  std::vector<ArrayPartition> partitions;
};

Result<Decided> decide(const ParallelizeOptions& options) {
  SLUICE_TRY(LoopProgram program, loadLoopProgram(options.file));
  SLUICE_TRY(Parallelization parallelization,
             parallelize(program, {*parallelizationModeNamed(options.mode), options.max_parallel_factor,
                                   options.divisors ? UnrollFactors::Divisors : UnrollFactors::PowersOfTwo}));
  std::vector<std::vector<std::int64_t>> unroll;
  for (const NestParallelization& nest : parallelization.nests) unroll.push_back(nest.unroll);
  Decided decided{std::move(program), {}, std::move(parallelization), {}};
  decided.connections = connections(decided.program);
  decided.partitions = partitionArrays(decided.program, unroll);
  return decided;
}

/// A whole ratio as a number, another as text.
Json ratioJson(const Ratio& ratio) {
  return ratio.denominator == 1 ? Json(ratio.numerator) : Json(text(ratio));
}

template <class Entries, class Convert>
Json entriesJson(const Entries& entries, Convert convert) {
  Json list = Json::array();
  for (const auto& entry : entries) list.push_back(convert(entry));
  return list;
}

Json connectionJson(const NestConnection& connection, const LoopProgram& program) {
  const auto scale = [](const std::optional<Ratio>& at) { return at ? ratioJson(*at) : Json(); };
  return {{"source", program.nests[connection.source].name},
          {"target", program.nests[connection.target].name},
          {"array", program.arrays[connection.array].name},
          {"permutation_source_to_target", entriesJson(connection.source_loop, orNull<std::size_t>)},
          {"permutation_target_to_source", entriesJson(connection.target_loop, orNull<std::size_t>)},
          {"scaling_source_to_target", entriesJson(connection.source_scale, scale)},
          {"scaling_target_to_source", entriesJson(connection.target_scale, scale)}};
}

Json decidedJson(const Decided& decided, const ParallelizeOptions& options) {
  Json order = Json::array(), nests = Json::array(), arrays = Json::array(), links = Json::array();
  for (const std::size_t nest : decided.parallelization.order)
    order.push_back(decided.program.nests[nest].name);
  for (std::size_t n = 0; n < decided.program.nests.size(); ++n) {
    const NestParallelization& nest = decided.parallelization.nests[n];
    Json constraints = Json::array();
    for (const std::vector<Ratio>& constraint : nest.constraints)
      constraints.push_back(entriesJson(constraint, ratioJson));
    nests.push_back({{"name", decided.program.nests[n].name},
                     {"intensity", nest.intensity},
                     {"connections", nest.connections},
                     {"parallel_factor", nest.parallel_factor},
                     {"constraints", std::move(constraints)},
                     {"unroll", nest.unroll},
                     {"unrolled", nest.unrolled()}});
  }
  for (std::size_t a = 0; a < decided.program.arrays.size(); ++a) {
    Json factors = Json::array(), kinds = Json::array();
    for (const DimensionPartition& dimension : decided.partitions[a].dimensions) {
      factors.push_back(dimension.factor);
      kinds.push_back(text(dimension.kind));
    }
    arrays.push_back({{"name", decided.program.arrays[a].name},
                      {"factors", std::move(factors)},
                      {"kinds", std::move(kinds)},
                      {"banks", decided.partitions[a].banks()}});
  }
  for (const NestConnection& connection : decided.connections)
    links.push_back(connectionJson(connection, decided.program));
  return {{"mode", options.mode},      {"max_parallel_factor", options.max_parallel_factor},
          {"order", std::move(order)}, {"connections", std::move(links)},
          {"nests", std::move(nests)}, {"arrays", std::move(arrays)}};
}

void printParallelization(const Json& report) {
  Json nests = Json::array();  // in the order in which they are decided
  for (const Json& name : report["order"])
    nests.push_back(*std::ranges::find(report["nests"], name, [](const Json& nest) { return nest["name"]; }));
  const auto constraints = [](const Json& list) {
    std::string all;
    for (const Json& one : list) all += writtenPlain(one);
    return all.empty() ? "-" : all;
  };
  tableOf(nests, {{"name", "nest"},
                  {"intensity", "intensity"},
                  {"connections", "connections", writtenPlain},
                  {"parallel_factor", "at most", writtenPlain},
                  {"constraints", "constraints", constraints},
                  {"unroll", "unroll"}})
      .print(std::cout);
  std::cout << "\n";
  tableOf(report["arrays"], {{"name", "array"}, {"factors", "partition"}, {"banks", "banks", writtenPlain}})
      .print(std::cout);
}

Json pointJson(const ProgramPoint& point, const LoopProgram& program) {
  Json kernels = Json::array();
  for (std::size_t nest = 0; nest < point.kernels.size(); ++nest) {
    const KernelPoint& kernel = point.kernels[nest];
    kernels.push_back({{"name", program.nests[nest].name},
                       {"tile", kernel.tile},
                       {"initiation_interval", kernel.initiation_interval},
                       {"latency", kernel.latency},
                       {"dsp", kernel.dsp}});
  }
  return {{"latency", point.latency}, {"dsp", point.dsp}, {"kernels", std::move(kernels)}};
}

void printFront(const Json& report) {
  const auto kernels = [](const Json& list) {
    std::string all;
    for (const Json& kernel : list)
      all += (all.empty() ? "" : ", ") + written(kernel["name"]) + " " + written(kernel["tile"]) + " every " +
             writtenPlain(kernel["initiation_interval"]);
    return all;
  };
  tableOf(report["front"],
          {{"latency", "latency", writtenPlain},
           {"dsp", "DSPs", writtenPlain},
           {"kernels", "tiles and intervals", kernels}},
          0)
      .print(std::cout);
}

/// ScaleHLS's side: each kernel for itself.
int runExploration(const ParallelizeOptions& options) {
  const Result<LoopProgram> program = loadLoopProgram(options.file);
  if (!program) return fail(program.diagnostics(), options.json);
  ExplorationOptions exploration;
  exploration.dsp_budget = options.dsp_budget;
  exploration.seed = options.seed;
  const Result<std::vector<ProgramPoint>> front = exploreProgram(*program, exploration);
  if (!front) return fail(front.diagnostics(), options.json);
  Json points = Json::array();
  for (const ProgramPoint& point : *front) points.push_back(pointJson(point, *program));
  return show({{"dsp_budget", options.dsp_budget}, {"front", std::move(points)}}, options.json, printFront);
}

int runParallelize(const ParallelizeOptions& options) {
  if (options.explore) return runExploration(options);
  const Result<Decided> decided = decide(options);
  if (!decided) return fail(decided.diagnostics(), options.json);
  return show(decidedJson(*decided, options), options.json, printParallelization);
}

}  // namespace

Command parallelizeCommand() {
  const auto options = std::make_shared<ParallelizeOptions>();
  Command command{
      .name = "parallelize",
      .summary = "unroll factors and array banks of loop nests, aware of intensity and connections",
      .examples = {{"parallelize nests.json", "unroll factors and banks"},
                   {"parallelize nests.json --mode ia --max-parallel-factor 32",
                    "without regard to connections, 32 iterations at once"}},
      .run = [options](Process&) { return runParallelize(*options); }};
  command.add("FILE", options->file, "loop nests as JSON", {.required = true});
  command.add("--mode", options->mode, "what a nest's factors depend on",
              {.choices = {"ia+ca", "ia", "ca", "naive"}});
  command.add("--max-parallel-factor", options->max_parallel_factor,
              "iterations at once of the most intense nest",
              {.type = "N", .range = Range{1, largest_parallel_factor}});
  command.add("--divisors", options->divisors, "unroll by any divisor, not by powers of two alone");
  command.add("--explore", options->explore,
              "ScaleHLS instead: tiles and intervals of each kernel for itself, latency against DSPs");
  command.add("--dsp", options->dsp_budget, "with --explore: DSPs of the device",
              {.type = "N", .range = Range{1, std::int64_t{1} << 40}, .needs = "--explore"});
  command.add("--seed", options->seed, "with --explore: of the random choices", {.needs = "--explore"});
  command.add(jsonFlag(options->json));
  return command;
}

}  // namespace sluice::cli
