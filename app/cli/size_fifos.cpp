// sluice-cli size-fifos: depths of FIFOs by one of the strategies, checked by simulation.

#include <atomic>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/compilation.h"
#include "app/cli/progress.h"
#include "app/cli/sizing_json.h"
#include "app/cli/table.h"
#include "app/cli/trust_report.h"
#include "app/cli/written_program.h"
#include "engine/core/printable.h"
#include "engine/core/stopwatch.h"
#include "engine/fifo/runnable_traces.h"
#include "engine/fifo/set_sizing.h"
#include "engine/tensor/sizing/timed_graph_file.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

/// As in tensor/sizing/fifo_blocks.h.
constexpr const char* without_blocks =
    "  FIFOs of at most 2 tokens, or of 1,024 bits, are shift registers and take no block\n";

struct SizeFifosOptions : FileOptions {
  std::string mode;  ///< empty: as usual()
  std::string equalisation = "normal", objective = "bytes";
  double tolerance = 0;
  std::uint64_t most_simulations = 20'000;
  double seconds = std::numeric_limits<double>::infinity();
  bool front = false, grouped = false;
  std::size_t pick = 0;
  std::string output;
};

/// A design whose FIFOs are open: kernels from a file, or a compiled program.
struct Design {
  DepthProblem problem;
  TimedDesign timed;
};

/// One answer.
struct Sized {
  ChosenDepths chosen;
  Bytes bytes = 0;
  std::int64_t blocks = 0;  ///< of BRAM
  SimulatedFifos run;
  Cycles endless_cycles = 0;

  /// Null: no linear program.
  const FifoSizing* closed() const { return chosen.sizings.empty() ? nullptr : chosen.sizings.data(); }
};

DepthOptions depthOptions(const SizeFifosOptions& options, const std::stop_token& stop) {
  DepthOptions depths;
  depths.tolerance = options.tolerance;
  depths.most_simulations = options.most_simulations;
  depths.seconds = options.seconds;
  depths.front = options.front;
  depths.grouped = options.grouped;
  depths.stop = stop;
  if (options.objective == "delay") depths.programs.objective = SizingObjective::TotalDelay;
  if (options.file.ends_with(".json") && options.equalisation == "conservative")
    depths.programs.equalisation = Equalisation::Conservative;
  return depths;
}

/// Tells on the terminal how far a search by runs is, and how long it may still go on.
class SearchLine {
 public:
  explicit SearchLine(const SizeFifosOptions& options) : options_(options), heartbeat_([this] { show(); }) {}

  DepthOptions watched(DepthOptions depths) {
    depths.progress = [this](const SizingProgress& progress) {
      runs_ = progress.simulations, cost_ = progress.cost;
    };
    return depths;
  }

 private:
  void show() {
    std::string text = "sizing FIFOs by " + options_.mode;
    if (runs_ > 0)
      text += ", " + counted(runs_, "run") + ", at " + grouped(cost_) +
              (options_.mode == "bram" ? " blocks" : " bytes");
    const double spent = secondsSince(begin_);
    const bool limited = options_.seconds <= 86400;
    line_.show(text, limited ? spent / options_.seconds : 0, limited ? options_.seconds - spent : -1);
  }

  const SizeFifosOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  std::atomic<std::uint64_t> runs_ = 0, cost_ = 0;
  ProgressLine line_;
  Heartbeat heartbeat_;  ///< last: it uses all of the above
};

Result<Design> designOf(const SizeFifosOptions& options) {
  Design design;
  if (options.file.ends_with(".json")) {
    SLUICE_TRY(design.timed.timed, loadTimedGraph(options.file));
  } else {
    SLUICE_TRY(design.timed.compilation, compileProgram(options));
    design.timed.timed = design.timed.compilation->compiled.timed;
  }
  const std::optional<TensorCompilation>& compilation = design.timed.compilation;
  SLUICE_TRY(design.problem, compilation ? depthProblem(compilation->compiled, compilation->options)
                                         : depthProblem(design.timed.timed));
  for (std::size_t group = 0; group < design.problem.groups.size(); ++group)
    design.timed.groups.emplace_back(group);
  return design;
}

Result<Sized> size(const Design& design, const SizeFifosOptions& options, const std::stop_token& stop) {
  const auto search = [&] {
    SearchLine line(options);
    return chooseDepths(*findDepthStrategy(options.mode), {design.problem, std::span(&design.timed, 1),
                                                           line.watched(depthOptions(options, stop))});
  };
  SLUICE_TRY(ChosenDepths chosen, search());
  Sized sized{std::move(chosen), 0, 0, {}, 0};
  sized.bytes = fifoBytes(design.problem, sized.chosen.depths);
  sized.blocks = fifoBlocks(design.problem, sized.chosen.depths);
  sized.run = simulateFifos(design.problem, sized.chosen.depths);
  sized.endless_cycles = simulateFifos(design.problem, endlessDepths(design.problem)).cycles;
  return sized;
}

Json conflictJson(const std::optional<FifoConflict>& conflict, const TimedGraph& graph) {
  return conflict ? Json(describe(*conflict, graph).cause) : Json();
}

Json sizedJson(const Design& design, const Sized& sized, const SizeFifosOptions& options) {
  const TimedGraph& graph = design.timed.timed;
  const auto& [depths, sizings, search, points, long_run] = sized.chosen;
  Json fifos = Json::array();
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const TimedStream& stream = graph.streams[i];
    Json fifo = {{"from", graph.kernels[stream.producer].name},
                 {"to", graph.kernels[stream.consumer].name},
                 {"tokens", design.problem.groups[i].tokens},
                 {"token_bits", std::llround(8 * design.problem.groups[i].bytes)},
                 {"depth", depths[i]}};
    if (sized.closed()) {
      const SizedFifo& closed = sized.closed()->fifos[i];
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
               {"bram_blocks", sized.blocks},
               {"trust", trustJson({})},
               {"simulated",
                {{"state", sized.run.deadlock ? "deadlocked" : "done"},
                 {"cycles", sized.run.cycles},
                 {"endless_cycles", sized.endless_cycles},
                 {"slowdown", sized.run.deadlock ? Json()
                                                 : Json(static_cast<double>(sized.run.cycles) /
                                                        static_cast<double>(sized.endless_cycles))}}}};
  if (const FifoSizing* closed = sized.closed()) {
    json["objective"] = closed->objective;
    json["total_delay"] = closed->total_delay;
    json["stall"] = conflictJson(closed->verdict.stall, graph);
    json["deadlock"] = conflictJson(closed->verdict.deadlock, graph);
  }
  if (search) {
    json["simulations"] = search->simulations;
    json["minimal"] = search->minimal;
  }
  if (!long_run.empty()) json["long_run_cycles"] = text(long_run.front());
  if (!points.empty()) {
    Json front = Json::array();
    for (const SimulatedSizing& point : points)
      front.push_back({{"bytes", point.bytes},
                       {"bram_blocks", point.blocks},
                       {"cycles", point.cycles},
                       {"depths", point.depths}});
    json["front"] = std::move(front);
  }
  json["fifos"] = std::move(fifos);
  return json;
}

/// Each point, then the depths that it changes of the point before it. `before`: of the first one, which are
/// those of `where`.
void printFront(const std::vector<SimulatedSizing>& points, const std::vector<std::string>& fifos,
                std::vector<std::int64_t> before, const std::string& where) {
  if (points.empty()) return;
  const auto number = [](std::int64_t value) { return grouped(static_cast<std::uint64_t>(value)); };
  std::cout << "\nThe frontier:\n";
  Table front({"point", "FIFO bytes", "blocks of BRAM", "cycles"}, 0);
  Table steps({"point", "FIFO", "depth", "new depth"}, 2);
  bool differ = false;
  for (std::size_t at = 0; at < points.size(); ++at) {
    const SimulatedSizing& point = points[at];
    front.row({std::to_string(at + 1), grouped(point.bytes), number(point.blocks), grouped(point.cycles)});
    for (std::size_t fifo = 0; fifo < fifos.size(); ++fifo)
      if (point.depths[fifo] != before[fifo]) {
        differ = true;
        steps.row({std::to_string(at + 1), fifos[fifo], number(before[fifo]), number(point.depths[fifo])});
      }
    before = point.depths;
  }
  front.print(std::cout);
  if (!differ) return;
  std::cout << "\nIts depths in tokens: the first point has those of " << where
            << ", each other one those of the point before it, but for\n";
  steps.print(std::cout);
}

void print(const Design& design, const Sized& sized) {
  const TimedGraph& graph = design.timed.timed;
  const auto& [depths, sizings, search, points, long_run] = sized.chosen;
  const FifoSizing* closed = sized.closed();
  const auto number = [](std::int64_t value) { return grouped(static_cast<std::uint64_t>(value)); };
  Table fifos({"FIFO", "tokens", "published", "depth", "most at once", "producer waits"});
  for (std::size_t i = 0; i < depths.size(); ++i)
    fifos.row({nameOf(graph, graph.streams[i]), number(design.problem.groups[i].tokens),
               closed ? number(closed->fifos[i].published.tokens) : "-", number(depths[i]),
               number(sized.run.peak[i]), grouped(sized.run.stalls[i])});
  fifos.print(std::cout);
  std::cout << "\n";
  Table totals({"in all", ""});
  totals.row({"FIFO memory", bytesText(static_cast<double>(sized.bytes))});
  totals.row({"blocks of BRAM (18 Kbit)", number(sized.blocks)});
  totals.row({"simulated cycles", sized.run.deadlock ? "deadlock" : grouped(sized.run.cycles)});
  totals.row({"with endless FIFOs", grouped(sized.endless_cycles)});
  if (!long_run.empty()) totals.row({"cycles of an execution in the long run", text(long_run.front())});
  if (search) {
    totals.row({"simulations", grouped(search->simulations)});
    totals.row({"no depth can be less", search->minimal ? "yes" : "not all tried"});
  }
  totals.print(std::cout);
  std::cout << without_blocks << trustLine({});
  if (closed)
    for (const auto& conflict : {closed->verdict.stall, closed->verdict.deadlock})
      if (conflict) std::cout << "\n" << text(describe(*conflict, graph)) << "\n";
  std::vector<std::string> names;
  for (const TimedStream& stream : graph.streams) names.push_back(nameOf(graph, stream));
  printFront(points, names, depths, "the table");
}

Json programJson(const ProgramSizing& sizing, const SizeFifosOptions& options) {
  Json json = {{"file", options.file}, {"mode", options.mode}, {"trust", trustJson({})}};
  json.update(sizingJson(sizing));
  if (options.pick > 0) json["picked"] = options.pick;
  return json;
}

void print(const ProgramSizing& sizing, const SizeFifosOptions& options) {
  Table fifos({"FIFO", "instances", "depth", "new depth"});
  for (const Repair::Change& change : sizing.changes)
    fifos.row({change.stream, grouped(change.instances), grouped(change.from), grouped(change.to)});
  if (sizing.changes.empty())
    std::cout << "Every FIFO has this depth already.\n";
  else
    fifos.print(std::cout);
  std::cout << "\n";
  const std::string found =
      options.pick > 0 ? "at point " + std::to_string(options.pick) : "with these depths";
  Table totals({"in all", "now", found});
  totals.row({"FIFO memory", bytesText(sizing.bytes_before), bytesText(sizing.bytes_after)});
  totals.row({"blocks of BRAM (18 Kbit)", grouped(static_cast<std::uint64_t>(sizing.blocks_before)),
              grouped(static_cast<std::uint64_t>(sizing.blocks_after))});
  totals.row({"simulated cycles", sizing.cycles_before ? grouped(*sizing.cycles_before) : "deadlock",
              grouped(sizing.cycles_after)});
  totals.print(std::cout);
  std::cout << without_blocks << trustLine({});
  std::vector<std::string> names;
  std::vector<std::int64_t> depths;
  for (const SizedFifoGroup& fifo : sizing.fifos) {
    names.push_back(fifo.name);
    depths.push_back(static_cast<std::int64_t>(fifo.depth));
  }
  printFront(sizing.front, names, depths, "the program");
  if (!sizing.front.empty() && options.output.empty())
    std::cout << "\n'--pick N -o FILE' writes the program with the depths of point N.\n";
}

/// Writes the program with the depths found, where asked for. True: it has been told that it cannot be.
bool failsToWrite(const SizeFifosOptions& options, const Document& document) {
  if (options.output.empty()) return false;
  const Result<Done> written = writeProgram(document, options.file, options.output);
  if (!written) fail(written.diagnostics(), options.json);
  return !written;
}

Json setJson(const SetSizing& sizing, const WorkloadSet& set, const SizeFifosOptions& options) {
  Json changes = Json::array();
  for (std::size_t i = 0; i < sizing.changes.size(); ++i) {
    Json change = changeJson(sizing.changes[i]);
    change["needed_by"] = set.traces[sizing.needed_by[i]].name;
    changes.push_back(std::move(change));
  }
  return {{"file", options.file},
          {"mode", options.mode},
          {"traces", set.traces.size()},
          {"trace_sources", set.sources},
          {"trust", trustJson({})},
          {"most_cycles_before", sizing.most_cycles_before ? Json(*sizing.most_cycles_before) : Json()},
          {"most_cycles_after", sizing.most_cycles_after},
          {"bytes_before", std::llround(sizing.bytes_before)},
          {"bytes_after", std::llround(sizing.bytes_after)},
          {"changes", std::move(changes)}};
}

void print(const SetSizing& sizing, const WorkloadSet& set) {
  std::cout << "Under " << printableName(set.description()) << ":\n";
  Table fifos({"FIFO", "instances", "depth", "new depth", "needed by"});
  for (std::size_t i = 0; i < sizing.changes.size(); ++i) {
    const Repair::Change& change = sizing.changes[i];
    fifos.row({change.stream, grouped(change.instances), grouped(change.from), grouped(change.to),
               set.traces[sizing.needed_by[i]].name});
  }
  if (sizing.changes.empty())
    std::cout << "Every FIFO has this depth already.\n";
  else
    fifos.print(std::cout);
  std::cout << "\n";
  Table totals({"of " + counted(set.traces.size(), "trace"), "now", "with these depths"});
  totals.row({"FIFO memory", bytesText(sizing.bytes_before), bytesText(sizing.bytes_after)});
  totals.row({"most cycles", sizing.most_cycles_before ? grouped(*sizing.most_cycles_before) : "deadlock",
              grouped(sizing.most_cycles_after)});
  totals.print(std::cout);
  std::cout << trustLine({});
}

/// The same under every trace of a set.
int sizeRunsOfSet(const SizeFifosOptions& options, const OpenedSet& opened, const std::stop_token& stop) {
  const auto executor = makeExecutor();
  const Result<RunnableTraces> traces = runnableTraces(opened.set, opened.knobs, *executor, stop);
  if (!traces) return fail(traces.diagnostics(), options.json);
  const WorkloadSet& set = traces->set;
  const Result<SetSizing> sizing = sizeSet(set, opened.knobs, "", *findDepthStrategy(options.mode),
                                           depthOptions(options, stop), *executor);
  if (!sizing) return fail(sizing.diagnostics(), options.json);
  if (failsToWrite(options, sizing->document)) return ExitDiagnostic;
  if (options.json)
    printJson(setJson(*sizing, set, options));
  else
    print(*sizing, set);
  tellLeftOut(set.left_out);
  return ExitDone;
}

/// A program as it runs.
int sizeRuns(const SizeFifosOptions& options, const Opened& opened, const std::stop_token& stop) {
  const auto search = [&] {
    SearchLine line(options);
    return sizeProgram(*opened.workload, opened.knobs, "", *findDepthStrategy(options.mode),
                       line.watched(depthOptions(options, stop)));
  };
  Result<ProgramSizing> sizing = search();
  if (sizing && options.pick > 0)
    sizing = pickFromFront(*opened.workload, opened.knobs, *std::move(sizing), options.pick, stop);
  if (!sizing) return fail(sizing.diagnostics(), options.json);
  if (failsToWrite(options, sizing->document)) return ExitDiagnostic;
  if (options.json)
    printJson(programJson(*sizing, options));
  else
    print(*sizing, options);
  return ExitDone;
}

/// Options that have no meaning for what is to be sized.
std::optional<Diagnostic> misused(const SizeFifosOptions& options, bool is_program) {
  if (options.output.empty() && options.pick == 0) return std::nullopt;
  const std::string option = options.output.empty() ? "--pick" : "-o";
  if (is_program) return std::nullopt;
  return error("conflicting-options", Location(Where::Option, option),
               "'" + options.file + "' is no .sluice file, so there is no program to put depths into",
               "size a .sluice file");
}

/// Without --mode: by curves what has them, by runs any other program. Under each trace of a set a search
/// would take too long, so it is the most tokens of one run.
std::string usual(bool curves, bool set) {
  if (curves) return "start-time";
  return set ? "peaks" : "simulated";
}

int runSizeFifos(SizeFifosOptions options, Interrupt& interrupt) {
  const bool opens = !options.file.ends_with(".json") && !isModel(options.file);
  if (const auto problem = misused(options, opens)) return fail({*problem}, options.json);
  if (opens) {
    Result<OpenedSet> found = openSet(options);
    if (!found) return fail(found.diagnostics(), options.json);
    const bool compiles = compilesTensors(found->set.workload->document);
    if (options.mode.empty()) options.mode = usual(compiles, !found->set.empty());
    const bool by_runs = !compiles && !findDepthStrategy(options.mode)->of_design;
    if (by_runs && !found->set.empty() && options.front)
      return fail({error("conflicting-options", Location(Where::Option, "--front"),
                         "a frontier is of one trace, and the input is a set of them",
                         "leave out --front, or give one trace with --input")},
                  options.json);
    if (by_runs && !found->set.empty()) return sizeRunsOfSet(options, *found, interrupt.token());
    const Opened opened{std::move(found->set.workload), std::move(found->knobs)};
    // What is written or picked is of the whole program, the compiled part among the rest.
    if (!compiles || !options.output.empty() || options.pick > 0)
      return sizeRuns(options, opened, interrupt.token());
  }
  if (options.mode.empty()) options.mode = usual(true, false);
  const Result<Design> design = designOf(options);
  if (!design) return fail(design.diagnostics(), options.json);
  const Result<Sized> sized = size(*design, options, interrupt.token());
  if (!sized) return fail(sized.diagnostics(), options.json);
  if (options.json)
    printJson(sizedJson(*design, *sized, options));
  else
    print(*design, *sized);
  if (interrupt.token().stop_requested()) return ExitCancelled;
  return sized->run.deadlock ? ExitDeadlock : ExitDone;
}

}  // namespace

Command sizeFifosCommand() {
  const auto options = std::make_shared<SizeFifosOptions>();
  const char* const file = "a .sluice file, a model's name, or kernels and streams as .json";
  std::vector<std::string> names;
  std::string modes =
      "how depths are found; without it by start-time, of a program without tensors by simulated, and over "
      "a set of traces by peaks; such a program takes";
  for (const DepthStrategy& strategy : depthStrategies()) {
    names.emplace_back(strategy.name);
    if (!strategy.of_design) modes += " " + names.back();
  }
  Command command{
      .name = "size-fifos",
      .summary = "depths of FIFOs: by the curves of compiled kernels, or by runs of any program",
      .examples = {{"size-fifos sample_workloads/gpt2_block.sluice", "depths by linear programming"},
                   {"size-fifos sample_workloads/softmax_depths.sluice --mode simulated --front",
                    "fewer bytes at more cycles, by runs"},
                   {"size-fifos sample_workloads/softmax_depths.sluice --mode simulated --front --pick 2 -o "
                    "two.sluice",
                    "the program with the depths of the frontier's second point"},
                   {"size-fifos sample_workloads/softmax_depths.sluice --mode bram --grouped",
                    "the fewest blocks of BRAM, FIFOs that are alike with one depth"}},
      .options = programOptions(*options, file),
      .run = [options](Process& process) { return runSizeFifos(*options, process.interrupt); }};
  command.add(assignments(
      "--input", options->inputs,
      "of a program without tensors: take an input from a file, or a set of traces, as simulate does",
      "NAME=FILE"));
  command.add("--mode", options->mode, modes, {.choices = names});
  command.add("--equalisation", options->equalisation, "pace of kernels from a .json file",
              {.choices = {"normal", "conservative"}});
  command.add("--objective", options->objective, "what the programs minimise",
              {.choices = {"bytes", "delay"}});
  command.add("--tolerance", options->tolerance,
              "simulated, bram: cycles above those with endless FIFOs, as a fraction",
              {.range = Range{0, 1'000'000'000}});
  command.add("--most-simulations", options->most_simulations,
              "simulated, bram: give up improving then; exact: throughputs that may be computed",
              {.range = Range{1, 1'000'000'000}});
  command.add("--seconds", options->seconds,
              "simulated, bram: how long to search; the depths found by then are taken",
              {.range = Range{0, 86400}});
  command.add("--front", options->front,
              "simulated, bram: also less room at more cycles; not of a set of traces");
  command.add("--pick", options->pick, "take the depths of this point of the frontier, from 1",
              {.range = Range{1, 1'000'000}, .needs = "--front"});
  command.add(output_option, options->output, "write the program with the depths found as a .sluice file",
              {.type = "FILE"});
  command.add("--grouped", options->grouped, "simulated, bram: FIFOs that are alike have one depth");
  return command;
}

}  // namespace sluice::cli
