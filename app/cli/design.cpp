// sluice-cli design: schedules that nobody wrote down, and their frontier (engine/designer).

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/design_benchmark.h"
#include "app/cli/design_json.h"
#include "app/cli/metric_text.h"
#include "app/cli/progress.h"
#include "app/cli/ranked_designs.h"
#include "app/cli/ranks.h"
#include "app/cli/search_options.h"
#include "app/cli/set_report.h"
#include "app/cli/step_json.h"
#include "app/cli/table.h"
#include "app/cli/written_program.h"
#include "engine/core/printable.h"
#include "engine/core/project_folder.h"
#include "engine/designer/design_report.h"
#include "engine/designer/design_store.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/program/knob_defaults.h"

namespace sluice::cli {
namespace {

struct DesignOptions : FileOptions {
  std::vector<std::string> objectives, constraints, allowed, forbidden, locked;
  std::optional<std::int64_t> budget;
  std::uint64_t seed = DesignRequest{}.seed;
  std::uint64_t steps = DesignRequest{}.most_steps;
  double seconds = 0;  ///< 0: no limit
  unsigned threads = 0;
  std::string store, out;
  bool resume = false, plain = false, explain = false, quick = false, replace = false;
  BenchmarkOptions benchmark;

  ChangedFiles changed() const { return replace ? ChangedFiles::Replace : ChangedFiles::Refuse; }
  /// Whether anything is asked for that belongs to one program.
  bool ofOneProgram() const {
    return !file.empty() || !sets.empty() || !inputs.empty() || !objectives.empty() || !constraints.empty() ||
           !allowed.empty() || !forbidden.empty() || !locked.empty() || !store.empty() ||
           steps != DesignRequest{}.most_steps || resume || plain || explain || quick || replace;
  }
};

constexpr const char* folder_kind = "design";

Result<DesignRequest> requestOf(const DesignOptions& options) {
  if (!options.out.empty()) SLUICE_CHECK(checkProjectFolder(options.out, folder_kind, options.changed()));
  DesignRequest request;
  if (!options.objectives.empty()) request.objectives = options.objectives;
  SLUICE_TRY(request.constraints, constraintsOf(options.constraints));
  if (options.budget) request.budget = static_cast<std::uint64_t>(*options.budget);
  request.seed = options.seed;
  request.most_steps = options.steps;
  if (options.seconds > 0) request.seconds = options.seconds;
  request.allowed = {options.allowed.begin(), options.allowed.end()};
  request.forbidden = {options.forbidden.begin(), options.forbidden.end()};
  request.locked = {options.locked.begin(), options.locked.end()};
  return request;
}

/// Whether a design of the frontier holds more of it than the program as it is: what a step pays with that
/// was not asked about, as deeper FIFOs do with their memory.
bool isPaidWith(const MetricSpec& spec, const DesignResult& result) {
  if (spec.kind != MetricKind::ByteCount || spec.prominence < Prominence::Figure) return false;
  if (result.designs.empty()) return false;
  const auto bytes = [&](std::size_t design) { return metric(result.designs[design].point, spec); };
  const double now = std::isnan(bytes(0)) ? 0 : bytes(0);  // unknown of a program that deadlocks
  return std::ranges::any_of(result.frontier, [&](std::size_t design) { return bytes(design) > now; });
}

std::vector<const MetricSpec*> shownMetrics(const DesignRequest& request, const DesignResult& result) {
  std::vector<const MetricSpec*> metrics;
  for (const std::string& name : request.objectives) metrics.push_back(findMetric(name));
  const auto isShown = [&](const MetricSpec* metric) {
    return std::ranges::any_of(metrics, [&](const MetricSpec* shown) {
      const std::optional<Statistic> statistic = statisticOf(*shown);
      return shown == metric || (statistic && statistic->of == metric);
    });
  };
  for (const MetricSpec* metric : registeredMetrics())
    if (!isShown(metric) && (metric->prominence >= Prominence::Objective || isPaidWith(*metric, result)))
      metrics.push_back(metric);
  return metrics;
}

std::string metricCell(const DesignPoint& point, const MetricSpec& metric) {
  const std::optional<MetricValue> value = exactMetric(point, metric);
  if (!value) return "-";
  const bool bound = point.fidelity == Fidelity::Symbolic && !metric.formula.term;  // its run was cut
  return (bound ? ">= " : "") + metricText(metric, *value);
}

/// "cycles 1.08, off-chip bytes 1.00": how many times its bound each is.
std::string gapsText(const Design& design) {
  std::string told;
  for (const BoundGap& gap : design.gaps)
    told += (told.empty() ? "" : ", ") + gap.metric->column + " " + decimal(gap.ratio, 2);
  return told;
}

void printFrontier(const DesignRequest& request, const DesignResult& result) {
  const std::vector<const MetricSpec*> metrics = shownMetrics(request, result);
  std::vector<std::string> header{"design"};
  for (const MetricSpec* metric : metrics) header.push_back(metric->column);
  Table table(header);
  const auto row = [&](const std::string& name, const Design& design) {
    std::vector<std::string> cells{name};
    for (const MetricSpec* metric : metrics) cells.push_back(metricCell(design.point, *metric));
    table.row(std::move(cells));
  };
  if (!result.designs.empty()) row("as it is", result.designs.front());
  for (const std::size_t i : result.frontier)
    if (i > 0) row(std::to_string(i), result.designs[i]);
  table.print(std::cout);
}

/// "cycles 68 699 581 -> 6 442 364".
std::string changeText(const MetricSpec& metric, const DesignPoint& before, const DesignPoint& after) {
  const std::string from = metricCell(before, metric), to = metricCell(after, metric);
  return metric.column + (from == to ? " stay " + to : " " + from + " -> " + to);
}

void printLineage(const DesignRequest& request, const DesignResult& result, const DesignReport& report) {
  if (!report.lineage.empty())
    std::cout << (request.traces ? "  under one trace: " : "  ") << "the program as it is was bound by "
              << boundText(report.lineage.front().bound_before) << "\n";
  for (const LineageStep& step : report.lineage) {
    std::cout << "  " << stepText(stepJson(result.designs[report.design].schedule[step.position]))
              << "\n    ";
    if (!request.traces)  // runs that tell what binds are of one trace, and know no statistics
      for (const std::string& name : request.objectives)
        std::cout << changeText(*findMetric(name), step.before, step.after) << ", ";
    std::cout << "then bound by " << boundText(step.bound_after) << "\n";
    if (step.rivals.empty()) continue;
    const Design& best = result.designs[step.rivals.front()];
    std::cout << "    " << counted(step.rivals.size(), "other step")
              << " tried here; the best: " << stepText(stepJson(best.schedule.back()));
    for (const std::string& name : request.objectives)
      std::cout << ", " << findMetric(name)->column << " " << metricCell(best.point, *findMetric(name));
    std::cout << "\n";
  }
}

void printSteps(const DesignOptions& options, const DesignRequest& request, const DesignResult& result,
                const std::vector<DesignReport>& reports) {
  for (const std::size_t i : result.frontier) {
    const Design& design = result.designs[i];
    std::cout << "\n" << (i == 0 ? "the program as it is" : "design " + std::to_string(i)) << "\n";
    const auto report = std::ranges::find(reports, i, &DesignReport::design);
    if (options.explain && report != reports.end())
      printLineage(request, result, *report);
    else
      for (const ScheduleStep& step : design.schedule) std::cout << "  " << stepText(stepJson(step)) << "\n";
    if (!design.gaps.empty()) std::cout << "  times its bound: " << gapsText(design) << "\n";
    if (report != reports.end()) std::cout << "  " << samenessText(report->sameness) << "\n";
  }
}

/// A line for all designs of the frontier that have the same label.
void printTrust(const Workload& workload, const DesignRequest& request, const DesignResult& result) {
  std::map<std::string, std::string> designs;  // by label
  for (const std::size_t i : result.frontier) {
    std::string& names = designs[trustText(designTrust(workload, request, result.designs[i]))];
    names += (names.empty() ? "" : ", ") + (i == 0 ? "as it is" : std::to_string(i));
  }
  for (const auto& [label, names] : designs)
    std::cout << "Trust" << (designs.size() == 1 ? "" : ", " + names) << ": " << label << "\n";
}

/// Designs that bounds or an unfinished schedule told enough of, so that there was no run.
std::uint64_t boundsOnly(const DesignResult& result) {
  const auto bounded = std::ranges::count_if(
      result.designs, [](const Design& design) { return design.point.fidelity == Fidelity::Symbolic; });
  return static_cast<std::uint64_t>(bounded) - result.cut - result.too_long;
}

/// "57 designs simulated, 52 of them to the end, 5 until they were on no frontier". A store keeps the 52.
std::string simulatedText(const DesignResult& result) {
  std::string told = counted(result.simulated, "design") + " simulated";
  if (const std::uint64_t ended_early = result.cut + result.too_long; ended_early > 0) {
    told += ", " + std::to_string(result.simulated - ended_early) + " of them to the end";
    if (result.cut > 0) told += ", " + std::to_string(result.cut) + " until they were on no frontier";
    if (result.too_long > 0) told += ", " + std::to_string(result.too_long) + " given up for their work";
  }
  const auto failed = std::ranges::count_if(result.designs, [](const Design& design) {
    return design.point.fidelity != Fidelity::Symbolic && design.point.state != PointState::Done;
  });
  if (failed > 0) told += ", " + std::to_string(failed) + " of them deadlocked or failed";
  if (result.reused > 0) told += ", " + std::to_string(result.reused) + " of them known from the store";
  return told;
}

/// Above 1000 % a factor says more.
std::string percentOrTimes(double share) {
  return share <= 10 ? percent(share) : decimal(share, 0) + " times";
}

void printText(const DesignOptions& options, const Workload& workload, const DesignRequest& request,
               const DesignResult& result, const std::vector<DesignReport>& reports) {
  printFrontier(request, result);
  printSteps(options, request, result, reports);
  std::cout << "\n"
            << simulatedText(result) << "; " << counted(result.duplicates, "schedule")
            << " came to the graph of another, " << result.rejected.size() << " were not legal, "
            << boundsOnly(result) << " were not simulated for their bounds; searched for "
            << durationText(result.wall_seconds) << "; hypervolume " << decimal(result.hypervolume, 3);
  if (result.effort.simulation > 0)
    std::cout << "; beside its designs' runs the search took " << percentOrTimes(result.effort.overhead())
              << " of their processor time";
  std::cout << (result.complete ? "; nothing is left to be tried\n" : "\n");
  if (request.traces)
    std::cout << "Each design ran under " << printableName(request.traces->description()) << "\n";
  printTrust(workload, request, result);
}

/// With the traces that each design ran under.
Json reportJson(const DesignOptions& options, const Workload& workload, const DesignRequest& request,
                const DesignResult& result, const std::vector<DesignReport>& reports) {
  Json report = designJson(options.file, workload, request, result, reports);
  if (request.traces) report["traces"] = tracesJson(*request.traces);
  return report;
}

/// A document for each design of the frontier: design_12.sluice. Those of an earlier search are replaced.
Result<Done> writeDesigns(const DesignOptions& options, const Opened& opened, const DesignResult& result) {
  const std::filesystem::path folder = options.out;
  std::vector<ProjectFile> files;
  for (const std::size_t i : result.frontier) {
    Document document = opened.workload->document;
    document.schedule = result.designs[i].schedule;
    makeDefaults(document, opened.knobs);  // with others its steps may be illegal, or worth nothing
    const std::string name = "design_" + std::to_string(i) + ".sluice";
    files.push_back({name, programText(document, options.file, (folder / name).string())});
  }
  std::error_code ignored;  // writing tells
  std::filesystem::create_directories(std::filesystem::absolute(folder).parent_path(), ignored);
  SLUICE_TRY(const WrittenFolder written, writeProjectFolder(folder, files, folder_kind, options.changed()));
  for (const ProjectFile& file : files) wrote((folder / file.path).string());
  if (const std::string kept = keptText(written); !kept.empty()) std::cerr << printableName(kept) << "\n";
  if (!options.inputs.empty())
    std::cerr << "note: the programs name their own inputs; give --input again where they are run\n";
  return Done{};
}

int exitCodeOf(const DesignResult& result) {
  if (result.cancelled) return ExitCancelled;
  if (!hasErrors(result.remarks)) return ExitDone;
  return result.remarks.front().code == "deadlock" ? ExitDeadlock : ExitDiagnostic;
}

/// Null without one.
Result<std::unique_ptr<DesignStore>> storeOf(const DesignOptions& options, const Workload& workload,
                                             const DesignRequest& request, std::stop_source trouble) {
  if (!options.store.empty())
    return DesignStore::open(options.store, workload, request, options.file, options.resume,
                             std::move(trouble));
  if (!options.resume) return std::unique_ptr<DesignStore>();
  return error("missing-option", Location(Where::Option, "--resume"),
               "there is no store to take designs from", "name one with --store FILE");
}

/// Rank 0 of those that mpirun has started has the others run designs.
struct Ranks {
  std::unique_ptr<Cluster> cluster;      ///< null: this process is alone
  std::unique_ptr<DesignRunner> runner;  ///< null: likewise, or this rank has served and is done
};

Result<Ranks> ranksFor(const Opened& program, bool over_traces) {
  Ranks ranks;
  if (!startedByMpi()) return ranks;
  if (over_traces) return refuseRanks("a set of traces is evaluated by one process", "or give one trace");
  SLUICE_TRY(ranks.cluster, joinRanks());
  SLUICE_TRY(ranks.runner, rankedRunner(*ranks.cluster, *program.workload, program.knobs));
  return ranks;
}

void show(ProgressLine& line, const DesignProgress& progress, double most_seconds) {
  // The search ends with its designs or with its time.
  const double share = std::max(progress.share(), progress.seconds_spent / most_seconds);
  line.show(std::to_string(progress.simulated) + " of " + std::to_string(progress.budget) + " designs, " +
                std::to_string(progress.frontier) + " on the frontier, hypervolume " +
                decimal(progress.hypervolume, 3),
            share, secondsLeft(share, progress.seconds_spent));
}

int runDesign(const DesignOptions& options, Process& process) {
  if (startedByMpi() && rankHere() != 0) process.output.mute();  // rank 0 answers for all
  if (!options.store.empty())
    process.interrupt.setAdvice("every design that was simulated is in " + options.store +
                                "; run the same command with --resume to go on");
  Result<OpenedSet> found = openSet(options);
  if (!found) return fail(found.diagnostics(), options.json);
  const Opened program{options.plain
                           ? std::make_shared<const Workload>(withSchedule(*found->set.workload, {}))
                           : found->set.workload,
                       found->knobs};
  const Opened* const opened = &program;
  Result<DesignRequest> request = requestOf(options);
  if (!request) return fail(request.diagnostics(), options.json);
  if (!found->set.empty()) {
    found->set.workload = program.workload;
    tellLeftOut(found->set.left_out);
    request = overTraces(*std::move(request), std::make_shared<const WorkloadSet>(std::move(found->set)));
  }
  Result<Ranks> ranks = ranksFor(program, request->traces != nullptr);
  if (!ranks) return fail(ranks.diagnostics(), options.json);
  if (ranks->cluster && !ranks->runner) return ExitDone;
  const std::unique_ptr<Executor> executor = makeExecutor(options.threads);
  ProgressLine line;
  DesignObserver observer;
  observer.progress = [&](const DesignProgress& progress) { show(line, progress, request->seconds); };
  std::stop_source stop;  // by Ctrl-C, or by a store that takes no more
  const std::stop_callback on_interrupt(process.interrupt.token(), [&stop] { stop.request_stop(); });
  Result<std::unique_ptr<DesignStore>> store = storeOf(options, *opened->workload, *request, stop);
  if (!store) return fail(store.diagnostics(), options.json);
  observer.store = store->get();
  observer.runner = ranks->runner.get();
  Result<DesignResult> result =
      findDesigns(*opened->workload, opened->knobs, *request, *executor, observer, stop.get_token());
  line.clear();
  if (ranks->cluster && result) tellTraffic(*ranks->cluster, "designs", result->wall_seconds);
  ranks->runner.reset();  // the others go home
  if (*store)
    if (const Result<Done> stored = (*store)->finish(); !stored)
      return fail(stored.diagnostics(), options.json);
  if (!result) return fail(result.diagnostics(), options.json);
  if (!options.out.empty())
    if (const Result<Done> written = writeDesigns(options, *opened, *result); !written)
      return fail(written.diagnostics(), options.json);
  if (result->cancelled && process.interrupt.came())
    result->remarks.push_back(process.interrupt.diagnostic());
  std::vector<DesignReport> reports;
  if (!options.quick && !result->cancelled)
    reports = reportFrontier(*opened->workload, opened->knobs, *request, *result, *executor,
                             process.interrupt.token());
  if (options.json)
    printJson(reportJson(options, *opened->workload, *request, *result, reports));
  else
    printText(options, *opened->workload, *request, *result, reports);
  if (!result->remarks.empty() && !result->cancelled) report(result->remarks, false);
  return exitCodeOf(*result);
}

int runBenchmarkOf(const DesignOptions& options, Process& process) {
  if (options.ofOneProgram())
    throw WrongUse{"conflicting-options",
                   "--benchmark has problems of its own, and takes neither a FILE nor what belongs to one"};
  if (startedByMpi()) {
    if (rankHere() != 0) process.output.mute();
    return fail({refuseRanks("--benchmark runs in one process", "or search one program")}, options.json);
  }
  BenchmarkOptions benchmark = options.benchmark;
  benchmark.json = options.json;
  benchmark.budget = options.budget;
  benchmark.seed = options.seed;
  benchmark.seconds = options.seconds;
  benchmark.threads = options.threads;
  benchmark.out = options.out;
  return runBenchmark(benchmark, process);
}

std::string noTime(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  return end != text.c_str() && seconds <= 0
             ? "no design can be evaluated in no time: give more than 0, or leave it out"
             : "";
}

/// FILE may be missing: --benchmark has none.
std::vector<Option> designFileOptions(DesignOptions& options) {
  std::vector<Option> all = with(pointOptions(options), technologyOptions(options));
  for (Option& option : all)
    if (option.positional()) option.rules.required = false;
  return all;
}

}  // namespace

Command designCommand() {
  const auto options = std::make_shared<DesignOptions>();
  Command command{.name = "design",
                  .summary = "find schedules for a program: the frontier of what its steps can make of it",
                  .examples = {{"design sample_workloads/simple_moe.sluice --budget 30 --out designs",
                                "schedules that nobody wrote down, as programs"},
                               {"design sample_workloads/gnn.sluice --objective cycles --objective "
                                "on_chip_bytes --forbid fifo_depth --budget 20 --explain",
                                "what each step of them brought"}},
                  .options = designFileOptions(*options),
                  .run = [options](Process& process) {
                    if (options->benchmark.wanted) return runBenchmarkOf(*options, process);
                    if (options->file.empty()) throw WrongUse{"missing-option", "FILE is required"};
                    if (options->quick && options->explain)
                      throw WrongUse{"conflicting-options", "--quick leaves out what --explain tells"};
                    return runDesign(*options, process);
                  }};
  for (Option& option : goalOptions(options->objectives, options->constraints, DesignRequest{}.objectives))
    command.add(std::move(option));
  command.add("--budget", options->budget,
              "most designs to simulate; " + std::to_string(DesignRequest{}.budget) +
                  " unless given, with --benchmark each problem's own",
              {.range = Range{1, std::int64_t{1} << 40}});
  command.add("--seconds", options->seconds, "stop after so many seconds; what was found by then is reported",
              {.wrong = noTime});
  command.add("--steps", options->steps, "most steps behind those of the program",
              {.range = Range{1, 64}, .shows_default = true});
  command.add("--plain", options->plain, "begin without the steps that the program has");
  command.add("--seed", options->seed, "of the random choices");
  command.add("--threads", options->threads, "threads; 0 is one per core", {.range = Range{0, 1024}});
  command.add("--allow", options->allowed, "only these transformations, comma-separated", {.commas = true});
  command.add("--forbid", options->forbidden, "none of these transformations, comma-separated",
              {.commas = true});
  command.add("--lock", options->locked, "no step may change this region or operator; may be given again",
              {.type = "PATH", .one_each = true});
  command.add("--store", options->store, "write every design into this result store", {.type = "FILE"});
  command.add("--resume", options->resume, "do not simulate what the store knows");
  command.add("--explain", options->explain,
              "tell of each step what it brought, what bound the run, and what else was tried");
  command.add("--quick", options->quick, "neither prove that designs compute the same, nor explain them");
  command.add(
      output_option, options->out,
      "write the designs of the frontier into this folder, as programs, in place of those of an earlier "
      "search; with --benchmark each problem's row, as soon as it is done",
      {.type = "FOLDER"});
  command.add("--replace", options->replace,
              "with --out: replace designs of an earlier search also where they were changed since",
              {.needs = "--out"});
  addBenchmarkOptions(command, options->benchmark);
  return command;
}

}  // namespace sluice::cli
