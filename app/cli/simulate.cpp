// sluice-cli simulate: one design point, run and measured.

#include <chrono>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/distribution.h"
#include "app/cli/energy_report.h"
#include "app/cli/progress.h"
#include "app/cli/simulation_report.h"
#include "engine/core/atomic_file.h"
#include "engine/core/stopwatch.h"
#include "engine/explorer/tables.h"
#include "engine/interchange/chrome_trace.h"
#include "engine/interchange/vcd.h"

namespace sluice::cli {
namespace {

struct SimulateOptions : FileOptions {
  bool count = false, all = false, stalls = false;
  std::uint64_t near_misses = 0;
  std::size_t top = stall_detail;
  std::string out, trace, vcd;
  bool wantsTimeline() const { return stalls || !trace.empty() || !vcd.empty(); }
  ComputeArguments compute{"none", {}, {}};
  /// What is asked for is of one run; without, every trace of a set is run.
  bool showsOneRun() const {
    return count || wantsTimeline() || near_misses > 0 || !out.empty() || compute.precision != "none";
  }
};

RunFindings find(const SimulateOptions& options, const Opened& opened, const PointResult& result,
                 std::stop_token stop) {
  SearchBudget budget;
  budget.stop = std::move(stop);
  RunFindings findings;
  findings.inputs = opened.told;
  if (result.simulation.deadlock)
    findings.unlocked = unlock(*opened.workload, result, budget);
  else if (options.near_misses > 0 && !result.simulation.cancelled)
    findings.near_misses = nearMisses(*opened.workload, result, options.near_misses, budget);
  if (options.stalls)
    findings.stalls = findStalls(result.symbolic.graph, *result.simulation.timeline, options.top);
  return findings;
}

/// The files of other tools that were asked for.
Result<Done> writeTraces(const SimulateOptions& options, const PointResult& result) {
  if (!options.wantsTimeline()) return Done{};
  const FlatGraph& graph = result.symbolic.graph;
  const Timeline& timeline = *result.simulation.timeline;
  if (!timeline.exact())
    std::cerr << "the run has too many events to keep each: neighbouring ones are joined\n";
  std::vector<OutputFile> files;
  if (!options.trace.empty()) files.push_back({options.trace, [&] { return chromeTrace(graph, timeline); }});
  if (!options.vcd.empty()) files.push_back({options.vcd, [&] { return valueChangeDump(graph, timeline); }});
  return writeOutputs(files, {options.file});
}

/// The run's answer: what is printed, and the exit code.
int conclude(const SimulateOptions& options, const Opened& opened, const PricedPoint& priced,
             const std::stop_token& stop) {
  const auto& [result, energy] = priced;
  if (result.point.state == PointState::Failed)
    return fail(diagnosticsOf(options.file, result), options.json);
  if (!options.out.empty() && !result.simulation.occupancy.empty()) {
    const Result<Done> written =
        writeInto(options.out, "occupancy.csv", occupancyCsv(result.symbolic.graph, result.simulation));
    if (!written) return fail(written.diagnostics(), options.json);
  }
  if (const Result<Done> written = writeTraces(options, result); !written)
    return fail(written.diagnostics(), options.json);
  ComputedTensors kept;
  const bool computed =
      options.compute.precision != "none" && !result.simulation.deadlock && !result.simulation.cancelled;
  if (computed) {
    Result<ComputedTensors> stored =
        computeTensors(result.symbolic.graph, *opened.workload, opened.knobs, options.compute, stop);
    if (!stored) return fail(stored.diagnostics(), options.json);
    kept = *std::move(stored);
  }
  const RunFindings findings = find(options, opened, result, stop);
  const Workload& workload = *opened.workload;
  if (options.json) {
    printJson(simulationJson(options.file, workload, priced, findings, kept));
  } else {
    std::cout << simulationText(workload, result, findings, options.all);
    if (energy) std::cout << "\n" << energyText(result, *energy, options.all);
    if (!kept.tensors.empty()) std::cout << tensorsText(kept);
    if (computed && kept.tensors.empty())
      std::cout << "\nComputed in " << options.compute.precision
                << "; no tensor is stored: what is kept is what a store writes off chip\n";
  }
  if (const Diagnostics told = diagnosticsOf(options.file, result); !told.empty())
    std::cerr << shown(told);
  else if (result.point.state != PointState::Done)
    std::cerr << text(result.point.state) << ": " << result.point.cause << "\n";
  if (result.simulation.cancelled) return ExitCancelled;
  return result.simulation.deadlock ? ExitDeadlock : ExitDone;
}

int runSimulate(const SimulateOptions& options, const std::stop_token& stop) {
  Result<OpenedSet> found = openSet(options);
  if (!found) return fail(found.diagnostics(), options.json);
  if (!found->set.empty() && !options.showsOneRun()) return simulateSet(options, *std::move(found), stop);
  if (!found->set.empty()) tellChosen(found->set);
  const Result<Opened> opened =
      Opened{std::move(found->set.workload), std::move(found->knobs), std::move(found->told)};
  ProgressLine line;
  const Clock::time_point start = Clock::now();
  const auto progress = [&](double fraction, Cycles cycle) {
    const double spent = secondsSince(start);
    line.show("cycle " + std::to_string(cycle), fraction,
              fraction < guess_holds ? secondsLeft(fraction, spent) : -1);
  };
  const RecordMode mode = options.wantsTimeline() ? RecordMode::Timeline
                          : options.count         ? RecordMode::Count
                                                  : RecordMode::Record;
  const Result<PricedPoint> result = evaluatePriced(*opened->workload, opened->knobs, mode, stop, progress);
  line.clear();
  if (!result) return fail(result.diagnostics(), options.json);
  return conclude(options, *opened, *result, stop);
}

}  // namespace

Command simulateCommand() {
  const auto options = std::make_shared<SimulateOptions>();
  Command command{
      .name = "simulate",
      .summary = "run one design point: cycles, traffic, memory, stalls, deadlock",
      .examples = {{"simulate sample_workloads/simple_moe.sluice --set token_tile=8 --stalls",
                    "cycles, FIFOs, and what waits for what"},
                   {"simulate sample_workloads/simple_moe.sluice --trace trace.json --json",
                    "a timeline for Perfetto, and the numbers for a script"}},
      .options = with(pointOptions(*options), technologyOptions(*options)),
      .run = [options](Process& process) { return runSimulate(*options, process.interrupt.token()); }};
  command.add("--count", options->count,
              "count only: faster, without the occupancy of streams; of a set of traces the chosen one");
  command.add("--stalls", options->stalls, "tell who is to blame for every lost cycle");
  command.add("--top", options->top,
              "with --stalls: how many causes are listed, and how many operators that each held up",
              {.range = Range{0, 1000}, .shows_default = true});
  command.add("--trace", options->trace,
              "write what every operator did and how full streams were, for Perfetto or chrome://tracing",
              {.type = "OUT.json"});
  command.add("--vcd", options->vcd, "write the same as a value change dump, for GTKWave or Surfer",
              {.type = "OUT.vcd"});
  command.add("--all", options->all, "print every stream and operator");
  command.add("--near-misses", options->near_misses,
              "also find the FIFOs that lock the run up with up to so many slots fewer", {.type = "K"});
  command.add(output_option, options->out, "write occupancy.csv into this folder", {.type = "FOLDER"});
  command.add("--compute", options->compute.precision,
              "functional mode: also compute the tensors that the program stores (none, float32, bfloat16)",
              {.choices = {"none", "float32", "bfloat16"}});
  command.add("--tensors", options->compute.tensors,
              "with --compute: the arrays of off-chip memory, by name; others are filled by formula; may be "
              "given several times",
              {.type = "FILE.npz", .needs = "--compute"});
  command.add("--dump", options->compute.dump, "with --compute: write the stored tensors here as .npy",
              {.type = "FOLDER", .needs = "--compute"});
  command.add("--dump-npz", options->compute.dump_npz,
              "with --compute: write the stored tensors into this file, each under its name",
              {.type = "OUT.npz", .needs = "--compute"});
  return command;
}

}  // namespace sluice::cli
