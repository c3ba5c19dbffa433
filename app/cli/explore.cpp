// sluice-cli explore: the design space by a search strategy, its frontier and hypervolume.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "app/cli/metric_text.h"
#include "app/cli/point_json.h"
#include "app/cli/progress.h"
#include "app/cli/ranked_points.h"
#include "app/cli/ranks.h"
#include "app/cli/report.h"
#include "app/cli/search_options.h"
#include "app/cli/set_exploration.h"
#include "app/cli/table.h"
#include "app/cli/trust_report.h"
#include "engine/core/stopwatch.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/search/strategies.h"
#include "engine/explorer/store/sqlite_point_store.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

struct ExploreCommand : SearchOptions {
  std::string strategy = ExploreOptions{}.strategy;
  std::string fidelity = text(ExploreOptions{}.fidelity);
  std::string shard;  ///< "i/n"
  std::string store;
  bool resume = false, warm_start = false;
  std::string out;
  bool all = false;
  SetArguments set;
};

Json toJson(const ExploreCommand& options, const Workload& workload, const Exploration& result,
            const KnobValues& fixed, unsigned threads) {
  const Document& document = workload.document;
  Json points = Json::array();
  for (const DesignPoint& point : result.points) {
    points.push_back(pointJson(document, point));
    // Without a provenance every point is of the model alone.
    if (document.provenance)
      points.back()["trust"] = trustName(trustOf(document, point.knobs, workload.inputs).trust);
  }
  return {{"file", options.file},
          {"strategy", options.strategy},
          {"picked", result.strategy},
          {"seed", options.seed},
          {"level", options.fidelity},
          {"objectives", result.objectives},
          {"points", std::move(points)},
          {"frontier", result.frontier},
          {"evaluated", result.points.size()},
          {"total", designSpace(document, fixed).size()},
          {"pruned", result.pruned},
          {"reused", result.reused},
          {"retimed", result.retimed},
          {"not_retimed", result.not_retimed},
          {"hypervolume", result.hypervolume},
          {"reference", result.reference},
          {"cancelled", result.cancelled},
          {"threads", threads},
          {"wall_seconds", result.wall_seconds}};
}

/// With its unit: "1 234 cycles".
std::string referenceText(const std::string& name, double value) {
  const MetricSpec* const spec = findMetric(name);
  if (!spec) return decimal(value, 3);
  const std::string number = metricText(*spec, value);
  return spec->priced || spec->unit.empty() ? number : number + " " + spec->unit;
}

/// The share of the box from the best values to the reference, and where that is.
void printHypervolume(const Exploration& result) {
  std::cout << ", hypervolume " << decimal(result.hypervolume, 3);
  for (std::size_t k = 0; k < result.reference.size(); ++k)
    std::cout << (k ? ", " : " of the box from the best values to ") << result.objectives[k] << " "
              << referenceText(result.objectives[k], result.reference[k]);
  std::cout << "\n";
}

void printPoints(const Document& document, const Exploration& result, const ExploreCommand& options,
                 const std::vector<Constraint>& constraints) {
  std::vector<std::string> header;
  for (const Knob& knob : document.knobs) header.push_back(knob.name);
  std::vector<const MetricSpec*> metrics;
  // Whatever is asked for has a column.
  std::set<std::string> asked(result.objectives.begin(), result.objectives.end());
  for (const Constraint& constraint : constraints) asked.insert(constraint.metric);
  const bool priced = std::ranges::any_of(result.points, isPriced, &DesignPoint::metrics);
  std::ranges::copy_if(metricsWith(priced), std::back_inserter(metrics), [&](const MetricSpec* metric) {
    return metric->prominence >= Prominence::Headline || asked.contains(metric->name);
  });
  for (const MetricSpec* metric : metrics) header.push_back(metric->column);
  header.insert(header.end(), {"frontier", "state"});
  Table table(header, 0);
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const DesignPoint& point = result.points[i];
    std::vector<std::string> row;
    for (const Knob& knob : document.knobs) row.push_back(knobText(knob, point.knobs.at(knob.name)));
    for (const MetricSpec* metric : metrics) {
      const std::optional<MetricValue> value = exactMetric(point, *metric);
      const bool bound = point.fidelity == Fidelity::Symbolic && !metric->formula.term;
      row.push_back(value ? (bound ? ">= " : "") + metricText(*metric, *value) : "-");
    }
    const bool best = std::find(result.frontier.begin(), result.frontier.end(), i) != result.frontier.end();
    row.insert(row.end(), {best ? "*" : "", text(point.state)});
    table.row(std::move(row));
  }
  table.print(std::cout, options.all ? 0 : 100);
  std::cout << "\n";
}

/// Of points that differ from a recorded run in depths and times only, those whose cycles could not be
/// computed from it.
void printSimulatedInFull(const Exploration& result) {
  constexpr std::size_t most_reasons = 3;
  if (result.not_retimed.empty()) return;
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  std::uint64_t all = 0;
  for (const auto& [why, points] : result.not_retimed) {
    reasons.emplace_back(points, why);
    all += points;
  }
  std::ranges::stable_sort(reasons, std::greater(), &std::pair<std::uint64_t, std::string>::first);
  std::cout << counted(all, "point") << " could not be re-timed and had to be simulated in full:\n";
  for (std::size_t i = 0; i < std::min(most_reasons, reasons.size()); ++i)
    std::cout << "  " << grouped(reasons[i].first) << ": " << reasons[i].second << "\n";
  if (reasons.size() > most_reasons)
    std::cout << "  and " << counted(reasons.size() - most_reasons, "more reason")
              << " (--json lists them)\n";
}

void printTotals(const Exploration& result, const ExploreCommand& options) {
  std::cout << counted(result.points.size(), "point") << " at level " << options.fidelity;
  if (result.strategy != options.strategy) std::cout << ", chosen by " << result.strategy;
  if (result.reused > 0) std::cout << " (" << result.reused << " from the store)";
  if (result.pruned > 0) std::cout << ", " << result.pruned << " more ruled out by their bounds";
  if (result.retimed > 0) std::cout << ", " << result.retimed << " re-timed from recorded runs";
  std::cout << ", in " << durationText(result.wall_seconds) << "; frontier over ";
  for (std::size_t k = 0; k < result.objectives.size(); ++k)
    std::cout << (k ? ", " : "") << result.objectives[k];
  std::cout << ": " << counted(result.frontier.size(), "point");
  printHypervolume(result);
  printSimulatedInFull(result);
}

/// A sweep is done even if some of its points are not; but where none is, its exit code says why.
int exitCodeOf(const Exploration& result, bool feasible) {
  if (result.cancelled) return ExitCancelled;
  if (!feasible) return ExitDiagnostic;
  if (std::any_of(result.points.begin(), result.points.end(),
                  [](const DesignPoint& point) { return measured(point); }))
    return ExitDone;
  if (result.ruled_out) return ExitDone;  // as if each had been looked at, and found wanting
  const auto deadlocked = [](const DesignPoint& point) { return point.state == PointState::Deadlocked; };
  return std::any_of(result.points.begin(), result.points.end(), deadlocked) ? ExitDeadlock : ExitDiagnostic;
}

std::string knobsOf(const Document& document, const DesignPoint& point) {
  std::string texts;
  for (const Knob& knob : document.knobs)
    texts += " " + knob.name + "=" + knobText(knob, point.knobs.at(knob.name));
  return texts;
}

void warnOfUnfinished(const Document& document, const Exploration& result) {
  if (result.ruled_out) {
    std::cerr << "no point is left: the bounds of each rule it out; of the first,"
              << knobsOf(document, *result.ruled_out) << ": " << result.ruled_out->cause << "\n";
  }
  constexpr int most = 5;
  int told = 0;
  for (const DesignPoint& point : result.points) {
    if (point.state == PointState::Done || ++told > most) continue;
    std::cerr << text(point.state) << knobsOf(document, point) << ": " << point.cause << "\n";
  }
  if (told > most) std::cerr << "... and " << told - most << " more points that did not finish\n";
}

/// How many points each excludes, and the nearest of them.
Json constraintsJson(const Exploration& result, const std::vector<Constraint>& constraints) {
  Json list = Json::array();
  for (const ConstraintReport& each : constraintReports(result, constraints))
    list.push_back({{"metric", each.constraint.metric},
                    {each.constraint.at_most ? "at_most" : "at_least", each.constraint.value},
                    {"excluded", each.excluded},
                    {"nearest", orNull(each.nearest)},
                    {"nearest_value", each.nearest ? Json(each.nearest_value) : Json()}});
  return list;
}

Result<std::optional<ExploreOptions::Shard>> parseShard(const std::string& text) {
  if (text.empty()) return std::optional<ExploreOptions::Shard>();
  std::istringstream words(text);
  ExploreOptions::Shard shard;
  char slash = 0;
  const bool negative = text.find('-') != std::string::npos;
  if (!negative && words >> shard.number >> slash >> shard.count && slash == '/' && words.peek() == EOF &&
      shard.number < shard.count)
    return std::optional(shard);
  return error("invalid-option", Location(Where::Option, "--shard " + text),
               "it is not of the form NUMBER/COUNT, with a number below the count",
               "write 0/8 to 7/8 for eight shards");
}

Result<ExploreOptions> requestOf(const ExploreCommand& options, const KnobValues& knobs) {
  SLUICE_TRY(ExploreOptions request, exploreOptions(options, knobs));
  SLUICE_TRY(request.shard, parseShard(options.shard));
  request.strategy = options.strategy;
  request.fidelity = *fidelityOf(options.fidelity);
  request.warm_start = options.warm_start;
  if (options.store.empty() && (options.resume || options.warm_start)) {
    return error("missing-option", Location(Where::Option, options.resume ? "--resume" : "--warm-start"),
                 "there is no store to take points from", "name one with --store FILE");
  }
  return request;
}

/// How an exploration that was stopped is gone on with.
std::string adviceOf(const ExploreCommand& options) {
  return options.store.empty() ? "points are kept in a --store FILE, from which --resume goes on"
                               : "every evaluated point is in " + options.store +
                                     "; run the same command with --resume to go on";
}

/// Who evaluates: the ranks that mpirun has started, else this machine.
struct Workforce {
  std::unique_ptr<SetExploration> traces;  ///< where an input is a set of them
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<PointEvaluator> evaluator;  ///< none: this rank has served and is done
};

Result<Workforce> hire(const ExploreCommand& options, const Workload& workload) {
  Workforce force;
  if (!startedByMpi()) {
    force.executor = makeExecutor(options.threads);
    force.evaluator = localEvaluator(workload, *force.executor);
    return force;
  }
  SLUICE_TRY(force.cluster, joinRanks());
  SLUICE_TRY(force.evaluator, rankedEvaluator(*force.cluster, workload));
  return force;
}

/// Of the one point that was evaluated, else of all: those that RTL ran or papers have are others.
TrustLabel trustOfAll(const Workload& workload, const Exploration& result) {
  if (result.points.size() != 1) return trustOf(workload.document);
  return trustOf(workload.document, result.points.front().knobs, workload.inputs);
}

/// points.csv and, over a set of traces, traces.csv.
Result<Done> writeTables(const std::string& folder, const Document& document, const Exploration& result,
                         const SetExploration* traces) {
  SLUICE_CHECK(writeInto(folder, "points.csv", pointsCsv(document, result)));
  if (!traces) return Done{};
  const std::filesystem::path file = std::filesystem::path(folder) / "traces.csv";
  SLUICE_CHECK(traces->writeSamples(file, document, result));
  wrote(file.string());
  return Done{};
}

int report(const ExploreCommand& options, const Workload& workload, const Exploration& result,
           const ExploreOptions& request, unsigned threads, const SetExploration* traces,
           const Interrupt& interrupt) {
  const Document& document = workload.document;
  const std::vector<Constraint>& constraints = request.constraints;
  if (!options.out.empty()) {
    const Result<Done> written = writeTables(options.out, document, result, traces);
    if (!written) return fail(written.diagnostics(), options.json);
  }
  const std::optional<Diagnostic> infeasible = noFeasiblePoint(workload, result, constraints);
  if (options.json) {
    Json object = toJson(options, workload, result, request.fixed, threads);
    object["trust"] = trustJson(trustOfAll(workload, result));
    if (traces) traces->addTo(object, result);
    if (!constraints.empty()) object["constraints"] = constraintsJson(result, constraints);
    Diagnostics told;
    if (result.cancelled && interrupt.came()) told.push_back(interrupt.diagnostic());
    if (infeasible) told.push_back(*infeasible);
    if (!told.empty()) object["diagnostics"] = diagnosticsJson(told);
    printJson(object);
  } else {
    if (traces)
      traces->print(document, result, options.all);
    else
      printPoints(document, result, options, constraints);
    printTotals(result, options);
    std::cout << trustLine(trustOfAll(workload, result));
  }
  warnOfUnfinished(document, result);
  if (infeasible) std::cerr << shown(*infeasible);
  return exitCodeOf(result, !infeasible);
}

/// Those of a set are evaluated here.
Result<std::unique_ptr<SetExploration>> overTraces(const ExploreCommand& options, const WorkloadSet& set,
                                                   ExploreOptions& request) {
  if (set.empty()) {
    SLUICE_CHECK(refuseStatistics(request));
    return std::unique_ptr<SetExploration>();
  }
  if (startedByMpi()) return refuseRanks("a set of traces is evaluated by one process", "or give one trace");
  return SetExploration::begin(set, options.threads, options.set, request);
}

Result<std::unique_ptr<SqlitePointStore>> openStore(const ExploreCommand& options, const Workload& workload,
                                                    ExploreOptions& request, SetExploration* traces,
                                                    std::stop_source stop) {
  if (options.store.empty()) return std::unique_ptr<SqlitePointStore>();
  ExplorationRecord record = recordOf(workload, request, options.file);
  if (traces) record = traces->search().record(std::move(record));
  SLUICE_TRY(auto store,
             SqlitePointStore::open(options.store, std::move(record), options.resume, std::move(stop)));
  request.store = store.get();
  if (!traces) return store;
  SLUICE_TRY(request.store, traces->search().keep(options.store, *store, options.resume));
  return store;
}

Result<Exploration> searchSpace(const Workload& workload, ExploreOptions& request, Workforce& force,
                                ProgressLine& line) {
  if (!force.traces) {
    request.on_point = [&](std::uint64_t, const DesignPoint&, const ExploreProgress& progress) {
      line.show(std::to_string(progress.evaluated) + " of " + std::to_string(progress.total) + " points",
                static_cast<double>(progress.evaluated) / static_cast<double>(progress.total),
                progress.seconds_left);
    };
    return explore(workload, *force.evaluator, request);
  }
  const Clock::time_point start = Clock::now();
  TraceEvaluator& evaluator = force.traces->evaluator([&](std::uint64_t runs, std::uint64_t of) {
    const double done = static_cast<double>(runs) / static_cast<double>(std::max<std::uint64_t>(of, 1));
    const double spent = secondsSince(start);
    line.show(std::to_string(runs) + " of " + std::to_string(of) + " runs", done, secondsLeft(done, spent));
  });
  Result<Exploration> result = explore(workload, evaluator, request);
  if (!evaluator.trouble().empty()) return evaluator.trouble();
  return result;
}

int runExplore(const ExploreCommand& options, Process& process) {
  process.interrupt.setAdvice(adviceOf(options));
  if (startedByMpi() && rankHere() != 0) process.output.mute();  // rank 0 answers for all
  const Result<OpenedSet> opened = openSet(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Workload& workload = *opened->set.workload;
  Result<ExploreOptions> request = requestOf(options, opened->knobs);
  if (!request) return fail(request.diagnostics(), options.json);
  std::stop_source stop;  // by Ctrl-C, or by a store that takes no more
  const std::stop_callback on_interrupt(process.interrupt.token(), [&stop] { stop.request_stop(); });
  request->stop = stop.get_token();
  Result<std::unique_ptr<SetExploration>> traces = overTraces(options, opened->set, *request);
  if (!traces) return fail(traces.diagnostics(), options.json);
  Result<Workforce> force = hire(options, workload);
  if (!force) return fail(force.diagnostics(), options.json);
  if (!force->evaluator) return ExitDone;
  force->traces = *std::move(traces);
  // Before a store lists an exploration that will be none.
  if (const Diagnostics wrong = checkExploration(workload.document, *request); !wrong.empty())
    return fail(wrong, options.json);
  const Result<std::unique_ptr<SqlitePointStore>> store =
      openStore(options, workload, *request, force->traces.get(), stop);
  if (!store) return fail(store.diagnostics(), options.json);
  ProgressLine line;
  const Result<Exploration> result = searchSpace(workload, *request, *force, line);
  line.clear();
  const Result<Done> stored = *store ? (*store)->finish() : Result<Done>(Done{});
  if (!stored) return fail(stored.diagnostics(), options.json);
  if (!result) return fail(result.diagnostics(), options.json);
  if (force->cluster) tellTraffic(*force->cluster, "points", result->wall_seconds);
  tellLeftOut(opened->set.left_out);
  return report(options, workload, *result, *request, force->evaluator->concurrency(), force->traces.get(),
                process.interrupt);
}

}  // namespace

Command exploreCommand() {
  const auto options = std::make_shared<ExploreCommand>();
  std::string help = "how to search:";
  for (const Strategy& strategy : strategies())
    help += std::string("\n  ") + strategy.name + ": " + strategy.summary;
  Command command{.name = "explore",
                  .summary = "search the design space for its frontier",
                  .examples = {{"explore sample_workloads/simple_moe.sluice --store moe.db --out frontier",
                                "every point, kept in a store and as CSV"},
                               {"explore sample_workloads/moe_three_ways.sluice --strategy auto --budget 30 "
                                "--constraint 'on_chip_bytes<=20 MB'",
                                "a search within a budget"}},
                  .options = searchOptions(*options),
                  .run = [options](Process& process) { return runExplore(*options, process); }};
  command.add("--strategy", options->strategy, help, {.choices = strategyNames(), .shows_default = true});
  command.add("--level", options->fidelity,
              "what to find out of a point: symbolic (bounds, no run), count, or record (FIFO peaks, too)",
              {.choices = levelNames(), .shows_default = true});
  command.add("--store", options->store, "write every point into this result store", {.type = "FILE"});
  command.add("--resume", options->resume, "do not evaluate what the store knows");
  command.add("--warm-start", options->warm_start, "begin with the points of this workload in the store");
  command.add("--shard", options->shard, "only part NUMBER, from 0, of COUNT; for job arrays",
              {.type = "NUMBER/COUNT"});
  for (Option& option : precisionOptions(options->set)) command.add(std::move(option));
  command.add(output_option, options->out,
              "write points.csv into this folder; over a set of traces also traces.csv, a line for each "
              "point and trace",
              {.type = "FOLDER"});
  command.add("--all", options->all, "print every point");
  return command;
}

}  // namespace sluice::cli
