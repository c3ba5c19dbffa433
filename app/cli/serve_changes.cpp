// The methods of `serve` that compile the program that is open, choose depths for its FIFOs, and lay two runs
// beside each other.

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/compare_json.h"
#include "app/cli/deadlock_report.h"
#include "app/cli/rpc_service.h"
#include "app/cli/sizing_json.h"
#include "engine/explorer/tables.h"
#include "engine/fifo/program_sizing.h"
#include "engine/program/file_format.h"
#include "engine/program/spelling.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/dataflow/dataflow_text.h"
#include "engine/tensor/dataflow/design_summary.h"

namespace sluice::cli {
namespace {

Json compiledJson(const TensorCompilation& compilation, bool with_text) {
  const CompiledDesign& compiled = compilation.compiled;
  const DataflowDesign& design = compiled.design;
  const DesignSummary summary = summarise(design);
  Json kernels = Json::array(), fifos = Json::array();
  for (const Task& task : design.tasks)
    if (task.kind == TaskKind::Compute) kernels.push_back({{"name", task.name}, {"group", task.group}});
  for (const DataflowStream& stream : design.streams)
    fifos.push_back({{"from", design.tasks[stream.from.task].name},
                     {"to", design.tasks[stream.to.task].name},
                     {"depth", stream.depth ? Json(*stream.depth) : Json()},
                     {"folded", stream.folded}});
  Json json = {{"program", compilation.node},
               {"sizing", compilation.sizing},
               {"predicted_cycles", predictedCycles(compiled)},
               {"fifo_bytes", summary.fifo_bytes},
               {"on_chip_bytes", summary.on_chip_bytes},
               {"largest_group_bytes", summary.largest_group_bytes},
               {"external_bytes", summary.external_bytes}};
  json["kernels"] = std::move(kernels);
  json["fifos"] = std::move(fifos);
  if (with_text) json["text"] = text(design);
  return json;
}

const DepthStrategy& depthStrategyNamed(const std::string& name) {
  if (const DepthStrategy* strategy = findDepthStrategy(name)) return *strategy;
  std::vector<std::string> names;
  for (const DepthStrategy& strategy : depthStrategies()) names.emplace_back(strategy.name);
  throw wrongParams("there is no strategy " + found(name) + "; " +
                    spellingFix(name, names, "name one of the depth strategies"));
}

}  // namespace

Json RpcService::compile(const Call& call) {
  const KnobValues knobs = changed(knobs_, call.params, "knobs");
  const bool with_text = call.params.flag("text", false);
  const Result<std::vector<CompiledProgram>> result =
      compiledPrograms(workload().document, workload().inputs, knobs, call.stop.get_token());
  if (!result) throw refusedBy(result.diagnostics());
  Json programs = Json::array();
  for (const CompiledProgram& each : *result) programs.push_back(compiledJson(each.compilation, with_text));
  return {{"programs", std::move(programs)}};
}

Json RpcService::sizeFifos(const Call& call) {
  const KnobValues knobs = changed(knobs_, call.params, "knobs");
  DepthOptions options;
  options.tolerance = static_cast<double>(call.params.count("tolerance_percent", 0)) / 100;
  options.stop = call.stop.get_token();
  options.front = call.params.flag("front", false);
  options.grouped = call.params.flag("grouped", false);
  options.most_simulations = call.params.count("most_simulations", options.most_simulations);
  if (const std::uint64_t seconds = call.params.count("seconds", 0); seconds > 0)
    options.seconds = static_cast<double>(seconds);
  const std::uint64_t pick = call.params.count("pick", 0);
  options.front = options.front || pick > 0;
  Result<ProgramSizing> sizing =
      sizeProgram(workload(), knobs, call.params.text("region", ""),
                  depthStrategyNamed(call.params.text("strategy", "simulated")), options);
  if (sizing && pick > 0) sizing = pickFromFront(workload(), knobs, *std::move(sizing), pick, options.stop);
  if (!sizing) throw refusedBy(sizing.diagnostics());
  Json json = sizingJson(*sizing);
  json["text"] = writeDocument(sizing->document);
  return json;
}

Json RpcService::unlock(const Call& call) {
  const std::stop_token stop = call.stop.get_token();
  const Result<PointResult> point =
      evaluate(workload(), changed(knobs_, call.params, "knobs"), RecordMode::Count, stop);
  if (!point) throw refusedBy(point.diagnostics());
  Json json = {{"cycles", point->simulation.cycles}, {"deadlock", nullptr}};
  if (!point->simulation.deadlock || stop.stop_requested()) return json;
  SearchBudget budget;
  budget.time = std::chrono::seconds(std::min<std::uint64_t>(call.params.count("seconds", 4), 3600));
  budget.stop = stop;
  const Unlock unlocked = sluice::unlock(workload(), *point, budget);
  json["deadlock"] = deadlockJson(point->symbolic.graph, *point->simulation.deadlock, unlocked);
  if (unlocked.repair && unlocked.repair->verified)
    json["text"] =
        writeDocument(repaired(workload().document, point->symbolic.scheduled.get(), *unlocked.repair));
  return json;
}

Json RpcService::compare(const Call& call) {
  const std::stop_token stop = call.stop.get_token();
  const std::string file = call.params.text("file", ""), given = call.params.text("text", "");
  const std::shared_ptr<const Workload> other =
      file.empty() && given.empty() ? workload_ : opened(file, given, {}, "");
  const auto run = [&](const Workload& of, const KnobValues& knobs, const char* changes) {
    Result<PointResult> made =
        evaluate(of, changedOf(of.document, knobs, call.params, changes), RecordMode::Timeline, stop);
    if (!made) throw refusedBy(made.diagnostics());
    return profileOf(*made);
  };
  const RunProfile a = run(workload(), knobs_, "knobs_a");
  const RunProfile b = run(*other, other == workload_ ? knobs_ : defaultKnobs(other->document), "knobs_b");
  const auto told = [](const RunProfile& profile) {
    return Json{{"state", text(profile.point.state)}, {"knobs", profile.point.knobs}};
  };
  Json json = {{"a", told(a)}, {"b", told(b)}};
  json.update(comparisonJson(sluice::compare(a, b), call.params.count("top", 0)));
  return json;
}

}  // namespace sluice::cli
