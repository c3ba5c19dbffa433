// sluice-cli throughput: the exact throughput of an SDF or CSDF graph, and what storage it takes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/compilation.h"
#include "app/cli/emit.h"
#include "app/cli/progress.h"
#include "app/cli/report.h"
#include "engine/core/names_and_more.h"
#include "engine/core/stopwatch.h"
#include "engine/core/time_limit.h"
#include "engine/csdf/sdf3.h"
#include "engine/csdf/self_timed.h"
#include "engine/csdf/storage.h"
#include "engine/emitters/sdf3_form.h"

namespace sluice::cli {
namespace {

struct ThroughputOptions : FileOptions {
  std::string output;
  bool storage = false, run = false, sized = false;
  double seconds = 60;
};

/// "throughput" and "throughput_exact", of either number of a graph.
void addNumbers(Json& json, const std::optional<Rational>& period) {
  json["period"] = period ? Json(period->value()) : Json();
  json["period_exact"] = period ? text(*period) : "inf";
  const std::optional<Rational> rate = throughputOf(period);
  json["throughput"] = rate ? Json(rate->value()) : Json();
  json["throughput_exact"] = rate ? text(*rate) : "inf";
}

Json criticalJson(const CsdfGraph& graph, const CsdfThroughput& answer) {
  Json firings = Json::array();
  for (const CriticalFiring& firing : answer.critical)
    firings.push_back({{"actor", graph.actors[firing.actor].name},
                       {"phase", firing.phase + 1},
                       {"round", firing.round + 1},
                       {"channel", firing.channel ? Json(graph.channels[*firing.channel].name) : Json()}});
  return firings;
}

/// The channels whose rates do not go together, with these rates.
Json conflictJson(const CsdfGraph& graph, const Repetition& repetition) {
  Json cycle = Json::array();
  for (const std::size_t index : repetition.conflict_cycle) {
    const CsdfChannel& channel = graph.channels[index];
    cycle.push_back({{"channel", channel.name},
                     {"from", graph.actors[channel.from].name},
                     {"to", graph.actors[channel.to].name},
                     {"produced_per_round", producedPerRound(channel)},
                     {"consumed_per_round", consumedPerRound(channel)}});
  }
  return cycle;
}

Json toJson(const ThroughputOptions& options, const CsdfGraph& graph, const CsdfThroughput& answer) {
  const Repetition& repetition = answer.repetition;
  Json json = {{"file", options.file},
               {"graph", graph.name},
               {"consistent", repetition.consistent},
               {"live", repetition.consistent ? Json(answer.live) : Json()},
               {"repetition", Json::object()}};
  for (std::size_t i = 0; i < repetition.of_actor.size(); ++i)
    json["repetition"][graph.actors[i].name] = repetition.of_actor[i];
  if (!repetition.consistent) {
    json["inconsistent_channel"] = graph.channels[repetition.conflict].name;
    json["inconsistent_cycle"] = conflictJson(graph, repetition);
    json["inconsistency"] = inconsistencyText(graph, repetition);
  }
  if (repetition.consistent) {
    addNumbers(json, answer.period);
  } else {
    for (const char* member : {"period", "period_exact", "throughput", "throughput_exact"})
      json[member] = Json();
  }
  json["critical_cycle"] = criticalJson(graph, answer);
  return json;
}

/// Room for each channel of the graph that is bounded.
Json capacitiesJson(const CsdfGraph& graph, const std::vector<std::int64_t>& capacities) {
  Json json = Json::object();
  for (std::size_t i = 0; i < capacities.size(); ++i)
    if (capacities[i] >= 0) json[graph.channels[i].name] = capacities[i];
  return json;
}

/// `stop`: the user's. Points whose run it cut off have no "run_period".
Result<Json> storageJson(const CsdfGraph& graph, const StorageFrontier& frontier,
                         const ThroughputOptions& options, const std::stop_token& stop) {
  Json points = Json::array();
  for (const StoragePoint& point : frontier.points) {
    Json json = {{"storage", point.storage}};
    addNumbers(json, point.period);
    if (options.run && !stop.stop_requested()) {
      const Result<std::optional<Rational>> run =
          selfTimedPeriod(withCapacities(graph, point.capacities), stop);
      if (!run && !isCancelled(run.diagnostics())) return run.diagnostics();
      if (run) json["run_period"] = *run ? Json(text(**run)) : Json("inf");
    }
    json["capacities"] = capacitiesJson(graph, point.capacities);
    points.push_back(std::move(json));
  }
  return Json{{"complete", frontier.complete},
              {"searched_below", frontier.searched_below},
              {"evaluations", frontier.evaluations},
              {"least", frontier.least_storage},
              {"least_capacities", capacitiesJson(graph, frontier.least)},
              {"points", std::move(points)}};
}

/// Of the fastest point, which is the one that -o writes.
void printCapacities(const Json& point, bool complete) {
  std::cout << "\nCapacities of "
            << (complete ? "the smallest channels that do not slow it" : "the last point") << ", with "
            << written(point["storage"]) << " tokens (--json has those of each point):\n";
  Table table({"channel", "tokens"});
  for (const auto& [channel, tokens] : point["capacities"].items()) table.row({channel, written(tokens)});
  table.print(std::cout, 40, "--json");
}

void printThroughput(const Json& report) {
  std::cout << "Graph " << written(report["graph"]) << "\n";
  if (!report["consistent"]) {
    std::cout << "It is not consistent: channel " << written(report["inconsistent_channel"])
              << " fills or empties for ever.\nRates that do not go together: "
              << written(report["inconsistency"]) << "\n";
    return;
  }
  Table rounds({"actor", "rounds in an iteration"});
  for (const auto& [actor, count] : report["repetition"].items()) rounds.row({actor, written(count)});
  rounds.print(std::cout, 40, "--json");
  std::cout << "\n"
            << (report["live"] ? "Period of an iteration: " + written(report["period_exact"]) +
                                     " time units; throughput: " + written(report["throughput_exact"])
                               : std::string("It deadlocks"))
            << "\n";
  if (report.contains("execution_cycles")) {
    const std::string share = report["executions_per_iteration"];
    std::cout << "The program, execution after execution: " << written(report["execution_cycles_exact"])
              << " cycles each" << (share == "1" ? "" : "; an iteration is " + share + " of an execution")
              << "\n";
  }
  if (report.contains("run_period"))
    std::cout << "Period when run, firing by firing: " << written(report["run_period"]) << " time units\n";
  if (!report["critical_cycle"].empty()) {
    std::cout << (report["live"] ? "The cycle that decides:\n" : "The cycle on which all wait:\n");
    tableOf(report["critical_cycle"],
            {{"actor", "actor"}, {"phase", "phase"}, {"round", "round"}, {"channel", "next by channel"}})
        .print(std::cout, 40, "--json");
  }
  if (!report.contains("storage")) return;
  const Json& storage = report["storage"];
  std::cout << "\nStorage against throughput";
  if (storage["complete"]) {
    std::cout << ":\n";
  } else {
    std::cout << ", a part: the search ended early, with all below " << written(storage["searched_below"])
              << " tokens looked at" << (storage["points"].empty() ? "; no point yet\n" : ":\n");
    if (storage["points"].empty()) return;
  }
  std::vector<Column> columns{
      {"storage", "tokens"}, {"throughput_exact", "throughput"}, {"period_exact", "period"}};
  if (!storage["points"].empty() && storage["points"][0].contains("run_period"))
    columns.push_back({"run_period", "period when run"});
  tableOf(storage["points"], columns, 0).print(std::cout);
  printCapacities(storage["points"].back(), storage["complete"]);
}

/// Until the frontier is complete, the time is over or the user stops it; within an evaluation, too.
Result<StorageFrontier> search(const CsdfGraph& graph, const ThroughputOptions& options,
                               const std::stop_token& stop) {
  std::atomic<std::uint64_t> points = 0, evaluations = 0;
  std::atomic<std::int64_t> storage = 0;
  const TimeLimit limit(options.seconds, stop);
  StorageBudget budget;
  budget.stop = limit.token();
  budget.go_on = [&](const StorageProgress& progress) {
    points = progress.points, evaluations = progress.evaluations, storage = progress.storage;
    return true;
  };
  ProgressLine line;
  const Clock::time_point begin = Clock::now();
  const Heartbeat heartbeat([&] {
    const double spent = secondsSince(begin);
    line.show(counted(points, "point") + ", " + counted(evaluations, "evaluation") + ", at " +
                  grouped(static_cast<std::uint64_t>(storage.load())) + " tokens",
              spent / options.seconds, options.seconds - spent);
  });
  return storageFrontier(graph, budget);
}

/// What the file is short of, if the search for storage ended early.
Diagnostics shortcomingsOf(const ThroughputOptions& options, const CsdfThroughput& answer,
                           const StorageFrontier& frontier) {
  if (options.output.empty() || frontier.complete) return {};
  const std::string fix =
      "give the search more time, --seconds " + std::to_string(60 + 10 * std::llround(options.seconds));
  const Location place(Where::File, options.output);
  if (frontier.points.empty())
    return {warning("unfinished-search", place,
                    "the search ended before it found capacities, so that its channels have no bounds", fix)};
  const auto period_text = [](const std::optional<Rational>& period) {
    return period ? text(*period) : "inf";
  };
  return {warning("unfinished-search", place,
                  "its channels slow it: the search ended early, and its period is " +
                      period_text(frontier.points.back().period) + " instead of " +
                      period_text(answer.period),
                  fix)};
}

/// That firings overlap without end, where they do. An actor that takes time is then on no cycle.
Diagnostics unboundedOf(const ThroughputOptions& options, const CsdfGraph& graph,
                        const CsdfThroughput& answer) {
  constexpr std::size_t most_named = 5;
  if (!answer.period || throughputOf(answer.period)) return {};
  std::vector<std::string> busy;
  for (const CsdfActor& actor : graph.actors)
    if (std::ranges::any_of(actor.times, [](std::int64_t time) { return time > 0; }))
      busy.push_back(actor.name);
  const Location place(Where::File, options.file);
  const std::string cause = "its throughput has no bound, as ";
  if (busy.empty())
    return {
        note("unbounded-throughput", place, cause + "no actor takes time", "give actors execution times")};
  const std::string names = namesAndMore(busy, most_named, "'");
  return {
      note("unbounded-throughput", place,
           cause + "any number of firings of an actor may overlap: of those that take time (" + names +
               ") none is on a cycle of channels",
           "where an actor has one firing at a time, give it a channel to itself with 1 initial token and "
           "rates of 1")};
}

/// A graph, and the kernels that it is of, where it is of a program.
struct Subject {
  CsdfGraph graph;
  Diagnostics notes = {};
  std::optional<KernelDataflow> kernels = {};
};

/// The kernels of a compiled program, as `emit sdf3` writes them.
Result<Subject> subjectOfProgram(const ThroughputOptions& options) {
  SLUICE_CHECK(checkHasKernels(options));
  SLUICE_TRY(const TensorCompilation compilation, compileProgram(options));
  SLUICE_TRY(DesignDataflow design, dataflowOf(compilation));
  Subject subject{options.sized ? withCapacities(design.kernels.graph, design.capacities)
                                : design.kernels.graph};
  subject.graph.name += options.sized ? ", FIFOs of its depths" : ", FIFOs without limit";
  subject.kernels = std::move(design.kernels);
  return subject;
}

Result<Subject> subjectOfFile(const std::string& file) {
  SLUICE_TRY(ReadCsdf read, loadSdf3(file));
  return Subject{std::move(read.graph), std::move(read.notes)};
}

/// What executions of the program take, one behind the other, and how many of them an iteration is.
void addExecutions(Json& json, const KernelDataflow& kernels, const CsdfThroughput& answer) {
  if (!answer.repetition.consistent || !answer.period) return;
  const Rational cycles = kernels.cyclesOf(*answer.period, answer.repetition);
  const Rational executions = kernels.executionsOf(answer.repetition);
  json["execution_cycles"] = cycles.value();
  json["execution_cycles_exact"] = text(cycles);
  json["executions_per_iteration"] = text(executions);
}

Result<Json> answerFor(const ThroughputOptions& options, const Subject& subject,
                       const std::stop_token& stop) {
  const CsdfGraph& graph = subject.graph;
  const auto solve = [&] {
    ProgressLine line;
    const Heartbeat heartbeat([&] { line.show("exact throughput", 0, -1); });
    return csdfThroughput(graph, stop);
  };
  SLUICE_TRY(const CsdfThroughput answer, solve());
  Json json = toJson(options, graph, answer);
  if (subject.kernels) addExecutions(json, *subject.kernels, answer);
  CsdfGraph written_graph = graph;
  Diagnostics notes = unboundedOf(options, graph, answer);
  if (options.run && answer.live && !options.storage) {
    SLUICE_TRY(const std::optional<Rational> run, selfTimedPeriod(graph, stop));
    json["run_period"] = run ? Json(text(*run)) : Json("inf");
  }
  if (options.storage && answer.live) {
    SLUICE_TRY(const StorageFrontier frontier, search(graph, options, stop));
    SLUICE_TRY(json["storage"], storageJson(graph, frontier, options, stop));
    if (!frontier.points.empty()) written_graph = withCapacities(graph, frontier.points.back().capacities);
    const Diagnostics shortcomings = shortcomingsOf(options, answer, frontier);
    notes.insert(notes.end(), shortcomings.begin(), shortcomings.end());
  }
  if (stop.stop_requested()) json["cancelled"] = true;
  if (!options.output.empty())
    SLUICE_CHECK(writeOutput(options.output, writeSdf3(written_graph), {options.file}));
  json["notes"] = diagnosticsJson(notes);
  if (!options.json) report(notes, false);
  return json;
}

bool isProgram(const std::string& file) {
  return isModel(file) || file.ends_with(".sluice");
}

int run(const ThroughputOptions& options, const std::stop_token& stop) {
  if ((options.sized || !options.sets.empty()) && !isProgram(options.file))
    return fail({error("conflicting-options", Location(Where::Option, options.sized ? "--sized" : "--set"),
                       "a graph of SDF3 has neither knobs nor depths of its own",
                       "leave the option out, or give a .sluice file")},
                options.json);
  const Result<Subject> subject =
      isProgram(options.file) ? subjectOfProgram(options) : subjectOfFile(options.file);
  if (!subject) return fail(subject.diagnostics(), options.json);
  const Result<Json> json = answerFor(options, *subject, stop);
  if (!json) return fail(json.diagnostics(), options.json);
  if (!options.json) report(subject->notes, false);
  show(*json, options.json, printThroughput);
  if (json->contains("cancelled")) return ExitCancelled;
  if ((*json)["consistent"] == false) return ExitDiagnostic;
  return (*json)["live"] == false ? ExitDeadlock : ExitDone;
}

}  // namespace

Command throughputCommand() {
  const auto options = std::make_shared<ThroughputOptions>();
  Command command{
      .name = "throughput",
      .summary = "the exact throughput of an SDF or CSDF graph (SDF3), and the storage that it takes",
      .examples = {{"throughput sample_workloads/csdf/audio_player.xml",
                    "the period of an iteration, and what bounds it"},
                   {"throughput sample_workloads/gpt2_block.sluice --set tokens=32",
                    "of the kernels of a compiled program"},
                   {"throughput sample_workloads/csdf/audio_player.xml --storage -o sized.xml",
                    "storage against throughput; the graph with the smallest channels that do not slow it"}},
      .run = [options](Process& process) { return run(*options, process.interrupt.token()); }};
  command.options =
      programOptions(*options,
                     "a graph of SDF3: synchronous or cyclo-static dataflow, with execution "
                     "times; a .sluice file that compiles a tensor program, or gpt2, qwen, llama or "
                     "gemma: its kernels, as `emit sdf3` has them");
  command.add("--sized", options->sized,
              "of a program: with FIFOs of its depths, which takes much longer; without, they have no limit");
  command.add("--storage", options->storage, "the exact frontier of channel capacities against throughput");
  command.add("--run", options->run, "run it as well, firing by firing, and tell the period of that");
  command.add("--seconds", options->seconds,
              "how long to search for storage; what was found by then is reported",
              {.range = Range{0, 86400}, .shows_default = true});
  command.add(output_option, options->output,
              "write the graph to this file; with --storage, with its channels bounded by channels back");
  return command;
}

}  // namespace sluice::cli
