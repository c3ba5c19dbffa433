// The problems of the designer's benchmark: which program, from which published points (resources/published),
// and what is taken for granted where programs and publication differ.

#include <algorithm>
#include <cmath>

#include "engine/explorer/pareto.h"
#include "engine/figures/built_experiment.h"
#include "engine/figures/design_benchmark.h"

namespace sluice::inline figures {
namespace {

using Objectives = std::vector<std::string>;
const Objectives cycles_and_memory{"cycles", "on_chip_bytes"};

/// The program of an experiment without its schedule, at its own knobs' defaults: only the schedule has them.
Result<PosedProblem> plainProgram(const Experiment& experiment, const FigureRequest& request,
                                  std::vector<DesignTarget> targets) {
  SLUICE_TRY(const BuiltExperiment built, build(experiment, request));
  return PosedProblem{std::make_shared<const Workload>(withSchedule(*built.workload, {})), built.knobs,
                      std::move(targets), built.inputs};
}

/// Figures 9 and 10. `which`: the points of "static" or "dynamic" tiles, or "all".
DesignProblem tiling(const std::string& figure, const std::string& model, const std::string& which,
                     std::int64_t compute, std::uint64_t budget) {
  DesignProblem problem{
      .name = "fig" + figure + "_" + model + (which == "all" ? "" : "_" + which),
      .targets = "Figure " + figure + (which == "all" ? "" : ", " + which + " tiles"),
      .assumed = std::to_string(compute) + " FLOPs per cycle and operator" +
                 (which == "all" ? ", though the dynamic point has 6400" : ", as published") +
                 "; memory counts all experts, published dynamic points those with tokens",
      .objectives = cycles_and_memory,
      .budget = budget,
      .pose = {}};
  problem.pose = [=](const FigureRequest& request) {
    std::vector<DesignTarget> targets;
    for (const PublishedRow& row : publishedTable("fig" + figure)) {
      const std::string& tile = row.text("tile");
      if (row.text("model") != model || !row.value("cycles")) continue;
      if (which != "all" && (which == "dynamic") != (tile == "dynamic")) continue;
      targets.push_back(
          {tile == "dynamic" ? tile : "tile " + tile, {row.number("cycles"), row.number("on_chip_bytes")}});
    }
    return plainProgram({"moe", model, {{"compute", compute}}}, request, std::move(targets));
  };
  return problem;
}

DesignProblem timeMultiplexing() {
  return {
      "fig12_qwen_b64",
      "Figure 12",
      "1024 FLOPs per cycle and operator, as published; the point of 128 dynamic regions leaves out an "
      "operator's 1024",
      {"cycles", "allocated_compute"},
      260,
      [](const FigureRequest& request) {
        std::vector<DesignTarget> targets;
        for (const PublishedRow& row : publishedTable("fig12"))
          targets.push_back({row.text("tiling") + ", " + row.text("regions") + " regions",
                             {row.number("cycles"), row.number("allocated_flops_per_cycle")}});
        return plainProgram({"moe", "qwen_b64", {{"compute", 1024}, {"f", 48}}}, request, std::move(targets));
      }};
}

/// Dynamic parallelization of the first `batch` requests of a set of 64: its published cycles.
DesignProblem attention(const std::string& figure, const std::string& point, std::int64_t batch,
                        std::size_t start, double published) {
  DesignProblem problem{.name = "fig" + figure + "_" + point,
                        .targets = "Figure " + figure + ", dynamic",
                        .assumed =
                            "memory and compute of the published schedule are not printed: those of its "
                            "program here",
                        .objectives = {"cycles", "on_chip_bytes", "allocated_compute"},
                        .budget = 300,
                        .pose = {}};
  problem.pose = [=](const FigureRequest& request) -> Result<PosedProblem> {
    const Experiment experiment{.workload = "attention",
                                .model = "qwen_b64",
                                .sizes = {{"B", batch}},
                                .knobs = {{"method", "dynamic"}},
                                .batch = 64,
                                .start = start};
    SLUICE_TRY(const std::vector<Outcome> outcomes, runAll({experiment}, request));
    const Metrics& metrics = outcomes.front().metrics;
    DesignTarget target{"dynamic",
                        {published, static_cast<double>(metrics.on_chip_bytes),
                         static_cast<double>(metrics.allocated_compute)}};
    return plainProgram(experiment, request, {std::move(target)});
  };
  return problem;
}

void addAttention(std::vector<DesignProblem>& problems) {
  for (const PublishedRow& row : publishedTable("fig14"))
    problems.push_back(attention("14", row.text("start"), 64, static_cast<std::size_t>(row.integer("start")),
                                 row.number("dynamic_cycles")));
  for (const PublishedRow& row : publishedTable("fig15"))
    problems.push_back(
        attention("15", "b" + row.text("batch"), row.integer("batch"), 4007, row.number("dynamic")));
}

/// The frontier of all points of a program's own space, as targets.
Result<std::vector<DesignTarget>> frontierOfSpace(const Workload& workload, const Objectives& objectives,
                                                  const FigureRequest& request) {
  const DesignSpace space = designSpace(workload.document);
  std::vector<double> rows(space.size() * objectives.size(), std::nan(""));
  const auto job = [&](std::size_t number) -> Result<Done> {
    SLUICE_TRY(const PointResult result,
               evaluate(workload, space.point(number), RecordMode::Count, request.stop));
    for (std::size_t k = 0; k < objectives.size() && result.point.state == PointState::Done; ++k)
      rows[number * objectives.size() + k] = metric(result.point, objectives[k]);
    return Done{};
  };
  SLUICE_CHECK(runJobs(space.size(), job, request));
  std::vector<DesignTarget> targets;
  for (const std::size_t i : paretoFrontier(rows, objectives.size())) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(i * objectives.size());
    targets.push_back(
        {"point " + std::to_string(i), {row, row + static_cast<std::ptrdiff_t>(objectives.size())}});
  }
  return targets;
}

/// sample_workloads/moe_three_ways.sluice, whose 72 points are all of its own space.
DesignProblem threeWays() {
  return {"moe_three_ways",
          "the frontier of the sample's 72 points",
          "the sample's sizes and its synthetic routing",
          cycles_and_memory,
          300,
          [](const FigureRequest& request) -> Result<PosedProblem> {
            SLUICE_TRY(Document document, buildWorkload("parallel_moe", "", {{"B", 32}}));
            SLUICE_TRY(const std::shared_ptr<const Workload> workload, makeWorkload(std::move(document), {}));
            SLUICE_TRY(std::vector<DesignTarget> targets,
                       frontierOfSpace(*workload, cycles_and_memory, request));
            return PosedProblem{std::make_shared<const Workload>(withSchedule(*workload, {})),
                                defaultKnobs(workload->document),
                                std::move(targets),
                                {}};
          }};
}

/// A block of a model on the U55C, against its compilation with the defaults of
/// sample_workloads/gpt2_block.sluice.
DesignProblem block(const std::string& model) {
  return {
      model + "_block",
      "compiled with the sample's defaults",
      "64 tokens of a prompt, W4A8, tiles of 32, 4096 operations at once, a U55C",
      cycles_and_memory,
      100,
      [model](const FigureRequest&) -> Result<PosedProblem> {
        Document document;
        document.title = model + " block";
        Node& node = document.program.nodes.emplace_back();
        node.name = "block";
        node.kind = "TensorProgram";
        node.parameters = {{"model", model}, {"phase", "prompt"}, {"quantisation", "W4A8"}, {"tokens", 64}};
        document.schedule.push_back({"compile_tensors",
                                     {{"program", "block"},
                                      {"tile", 32},
                                      {"unroll", 4096},
                                      {"on_chip_kib", 41984},
                                      {"sizing", "start_time"}},
                                     true});
        document.machine.name = "U55C";
        document.machine.mock_bf16 = false;
        document.machine.reference_mode = false;
        SLUICE_TRY(const std::shared_ptr<const Workload> compiled, makeWorkload(std::move(document), {}));
        SLUICE_TRY(const PointResult result, evaluate(*compiled, {}, RecordMode::Count));
        if (result.point.state != PointState::Done)
          return error("run-not-finished", model, "the compiled block did not run: " + result.point.cause,
                       "report this");
        DesignTarget target{"defaults", {}};
        for (const std::string& name : cycles_and_memory) target.values.push_back(metric(result.point, name));
        return PosedProblem{std::make_shared<const Workload>(withSchedule(*compiled, {})), {}, {target}, {}};
      }};
}

}  // namespace

std::vector<DesignProblem> designProblems() {
  std::vector<DesignProblem> problems{tiling("9", "mixtral_b64", "all", 4096, 600),
                                      tiling("9", "qwen_b64", "all", 4096, 234),
                                      tiling("10", "mixtral_b1024", "static", 4096, 116),
                                      tiling("10", "mixtral_b1024", "dynamic", 6400, 116),
                                      tiling("10", "qwen_b1024", "static", 4096, 116),
                                      tiling("10", "qwen_b1024", "dynamic", 6400, 116),
                                      timeMultiplexing()};
  addAttention(problems);
  problems.push_back(threeWays());
  for (const char* model : {"gpt2", "qwen", "llama", "gemma"}) problems.push_back(block(model));
  return problems;
}

}  // namespace sluice::inline figures
