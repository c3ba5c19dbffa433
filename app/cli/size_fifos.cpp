// sluice-cli size-fifos: depths of a design's FIFOs in one of four ways, checked by simulation.

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/compilation.h"
#include "app/cli/table.h"
#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/timed_graph_file.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SizeFifosOptions : FileOptions {
  std::string mode = "start-time", equalisation = "normal", objective = "bytes";
  double tolerance = 0;
  std::uint64_t most_simulations = 20'000;
  bool front = false;
};

/// A design whose FIFOs are open: kernels from a file, or a compiled program.
struct Design {
  TimedGraph timed;
  DepthProblem problem;
  std::optional<TensorCompilation> compilation;
  SizingOptions options;

  Result<FifoSizing> size(SizingMethod method) const {
    return compilation ? sizeDesign(compilation->compiled, method, options)
                       : sizeFifos(timed, method, options);
  }
};

/// One answer.
struct Sized {
  std::vector<std::int64_t> depths;
  Bytes bytes = 0;
  std::optional<FifoSizing> closed;       ///< of the three
  std::optional<SimulatedSizing> search;  ///< of the fourth
  SimulatedFifos run;
  Cycles endless_cycles = 0;
  std::vector<SimulatedSizing> front;
};

Result<Design> designOf(const SizeFifosOptions& options) {
  Design design;
  design.options.fifo.hop_latency = 1;
  design.options.objective =
      options.objective == "bytes" ? SizingObjective::TotalBytes : SizingObjective::TotalDelay;
  if (options.file.ends_with(".json")) {
    Result<TimedGraph> timed = loadTimedGraph(options.file);
    if (!timed) return timed.diagnostics();
    design.timed = *std::move(timed);
    design.options.equalisation =
        options.equalisation == "normal" ? Equalisation::Normal : Equalisation::Conservative;
  } else {
    Result<TensorCompilation> compilation = compileProgram(options);
    if (!compilation) return compilation.diagnostics();
    design.timed = compilation->compiled.timed;
    design.compilation = *std::move(compilation);
  }
  Result<DepthProblem> problem = design.compilation
                                     ? depthProblem(design.compilation->compiled, design.compilation->options)
                                     : depthProblem(design.timed);
  if (!problem) return problem.diagnostics();
  design.problem = *std::move(problem);
  return design;
}

/// Depths in what flows: a compiled stream may be sent in vectors.
std::vector<std::int64_t> depthsOf(const Design& design, const FifoSizing& sizing) {
  std::vector<std::int64_t> depths;
  for (std::size_t i = 0; i < sizing.fifos.size(); ++i) {
    const std::int64_t vectors = design.compilation
                                     ? vectorsPerTile(design.compilation->compiled.design,
                                                      design.compilation->compiled.design.streams[i])
                                     : 1;
    depths.push_back(sizing.fifos[i].depth * vectors);
  }
  return depths;
}

Result<Sized> sizeBySearch(const Design& design, const SizeFifosOptions& options,
                           const std::stop_token& stop) {
  std::vector<std::vector<std::int64_t>> starts;
  for (const SizingMethod method :
       {SizingMethod::StartTime, SizingMethod::PathProgram, SizingMethod::AsSoonAsPossible}) {
    const Result<FifoSizing> closed = design.size(method);
    if (closed) starts.push_back(depthsOf(design, *closed));
  }
  const SimulatedSizingOptions search{options.tolerance, options.most_simulations, stop};
  Sized sized;
  if (options.front) {
    sized.front = simulatedFront(design.problem, starts, search);
    sized.search = sized.front.front();
  } else {
    sized.search = sizeBySimulation(design.problem, starts, search);
  }
  sized.depths = sized.search->depths;
  return sized;
}

Result<Sized> size(const Design& design, const SizeFifosOptions& options, const std::stop_token& stop) {
  Sized sized;
  if (options.mode == "simulated") {
    Result<Sized> found = sizeBySearch(design, options, stop);
    if (!found) return found;
    sized = *std::move(found);
  } else {
    const SizingMethod method = options.mode == "paper"        ? SizingMethod::PathProgram
                                : options.mode == "start-time" ? SizingMethod::StartTime
                                                               : SizingMethod::AsSoonAsPossible;
    const Result<FifoSizing> closed = design.size(method);
    if (!closed) return closed.diagnostics();
    sized.closed = *closed;
    sized.depths = depthsOf(design, *closed);
  }
  sized.bytes = fifoBytes(design.problem, sized.depths);
  sized.run = simulateFifos(design.problem, sized.depths);
  sized.endless_cycles = simulateFifos(design.problem, endlessDepths(design.problem)).cycles;
  return sized;
}

Json conflictJson(const std::optional<FifoConflict>& conflict, const TimedGraph& graph) {
  return conflict ? Json(describe(*conflict, graph).cause) : Json();
}

Json sizedJson(const Design& design, const Sized& sized, const SizeFifosOptions& options) {
  Json fifos = Json::array();
  for (std::size_t i = 0; i < sized.depths.size(); ++i) {
    const TimedStream& stream = design.timed.streams[i];
    Json fifo = {{"from", design.timed.kernels[stream.producer].name},
                 {"to", design.timed.kernels[stream.consumer].name},
                 {"tokens", design.problem.groups[i].tokens},
                 {"token_bits", std::llround(8 * design.problem.groups[i].bytes)},
                 {"depth", sized.depths[i]}};
    if (sized.closed) {
      const SizedFifo& closed = sized.closed->fifos[i];
      fifo["delay"] = closed.delay;
      fifo["published"] = closed.published.tokens;
      fifo["predicted_peak"] = closed.peak;
    }
    fifo["simulated_peak"] = sized.run.peak[i];
    fifo["producer_stalls"] = sized.run.stalls[i];
    fifos.push_back(std::move(fifo));
  }
  Json json = {{"file", options.file},
               {"mode", options.mode},
               {"total_bytes", sized.bytes},
               {"simulated",
                {{"state", sized.run.deadlock ? "deadlocked" : "done"},
                 {"cycles", sized.run.cycles},
                 {"endless_cycles", sized.endless_cycles},
                 {"slowdown", sized.run.deadlock ? Json()
                                                 : Json(static_cast<double>(sized.run.cycles) /
                                                        static_cast<double>(sized.endless_cycles))}}}};
  if (sized.closed) {
    json["objective"] = sized.closed->objective;
    json["total_delay"] = sized.closed->total_delay;
    json["stall"] = conflictJson(sized.closed->verdict.stall, design.timed);
    json["deadlock"] = conflictJson(sized.closed->verdict.deadlock, design.timed);
  }
  if (sized.search) {
    json["simulations"] = sized.search->simulations;
    json["minimal"] = sized.search->minimal;
  }
  if (!sized.front.empty()) {
    Json front = Json::array();
    for (const SimulatedSizing& point : sized.front)
      front.push_back({{"bytes", point.bytes}, {"cycles", point.cycles}, {"depths", point.depths}});
    json["front"] = std::move(front);
  }
  json["fifos"] = std::move(fifos);
  return json;
}

void print(const Design& design, const Sized& sized) {
  const auto number = [](std::int64_t value) { return grouped(static_cast<std::uint64_t>(value)); };
  Table fifos({"FIFO", "tokens", "published", "depth", "most at once", "producer waits"});
  for (std::size_t i = 0; i < sized.depths.size(); ++i)
    fifos.row({nameOf(design.timed, design.timed.streams[i]), number(design.problem.groups[i].tokens),
               sized.closed ? number(sized.closed->fifos[i].published.tokens) : "-", number(sized.depths[i]),
               number(sized.run.peak[i]), grouped(sized.run.stalls[i])});
  fifos.print(std::cout);
  std::cout << "\n";
  Table totals({"in all", ""});
  totals.row({"FIFO memory", bytesText(static_cast<double>(sized.bytes))});
  totals.row({"simulated cycles", sized.run.deadlock ? "deadlock" : grouped(sized.run.cycles)});
  totals.row({"with endless FIFOs", grouped(sized.endless_cycles)});
  if (sized.search) {
    totals.row({"simulations", grouped(sized.search->simulations)});
    totals.row({"no depth can be less", sized.search->minimal ? "yes" : "not all tried"});
  }
  totals.print(std::cout);
  if (sized.closed)
    for (const auto& conflict : {sized.closed->verdict.stall, sized.closed->verdict.deadlock})
      if (conflict) std::cout << "\n" << text(describe(*conflict, design.timed)) << "\n";
  if (sized.front.empty()) return;
  std::cout << "\n";
  Table front({"bytes", "cycles"}, 0);
  for (const SimulatedSizing& point : sized.front) front.row({grouped(point.bytes), grouped(point.cycles)});
  front.print(std::cout);
}

int runSizeFifos(const SizeFifosOptions& options, Interrupt& interrupt) {
  const Result<Design> design = designOf(options);
  if (!design) return fail(design.diagnostics(), options.json);
  const Result<Sized> sized = size(*design, options, interrupt.token());
  if (!sized) return fail(sized.diagnostics(), options.json);
  if (options.json)
    printJson(sizedJson(*design, *sized, options));
  else
    print(*design, *sized);
  if (interrupt.token().stop_requested()) return exitCancelled;
  return sized->run.deadlock ? exitDeadlock : exitDone;
}

}  // namespace

void addSizeFifos(CLI::App& application, Process& process) {
  CLI::App* command = application.add_subcommand(
      "size-fifos",
      "depths of FIFOs: the published program, start times, as soon as possible, by simulation");
  auto options = std::make_shared<SizeFifosOptions>();
  addProgramOptions(*command, *options);
  command->get_option("FILE")->description(
      "a .sluice file that compiles tensors, a model's name, or kernels and streams as .json");
  command->add_option("--mode", options->mode, "how depths are found")
      ->check(CLI::IsMember({"paper", "start-time", "asap", "simulated"}));
  command->add_option("--equalisation", options->equalisation, "pace of kernels from a .json file")
      ->check(CLI::IsMember({"normal", "conservative"}));
  command->add_option("--objective", options->objective, "what the programs minimise")
      ->check(CLI::IsMember({"bytes", "delay"}));
  command
      ->add_option("--tolerance", options->tolerance,
                   "simulated: cycles above those with endless FIFOs, as a fraction")
      ->check(CLI::Range(0.0, 1e9));
  command->add_option("--most-simulations", options->most_simulations, "simulated: give up improving then")
      ->check(CLI::Range(1, 1'000'000'000));
  command->add_flag("--front", options->front, "simulated: also fewer bytes at more cycles");
  command->callback([options, &process] { process.exit_code = runSizeFifos(*options, process.interrupt); });
}

}  // namespace sluice::cli
