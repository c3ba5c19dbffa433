#include "app/cli/design_benchmark.h"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "app/cli/diagnostics.h"
#include "app/cli/progress.h"
#include "app/cli/report.h"
#include "engine/figures/design_benchmark.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

Json finiteOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// The middle one, of two the lower; null where more than half are null.
Json medianOf(std::vector<Json> values) {
  std::ranges::stable_sort(values, [](const Json& a, const Json& b) {
    return !a.is_null() && (b.is_null() || a.get<double>() < b.get<double>());
  });
  return values.empty() ? Json() : values[(values.size() - 1) / 2];
}

Json searchJson(const DesignProblem& problem, const BenchmarkRow& row, const BenchmarkSearch& search) {
  Json frontier = Json::array(), missed = Json::array();
  for (std::size_t at = 0; at < search.frontier.size(); at += problem.objectives.size()) {
    Json point;
    for (std::size_t k = 0; k < problem.objectives.size(); ++k)
      point[problem.objectives[k]] = search.frontier[at + k];
    frontier.push_back(std::move(point));
  }
  for (std::size_t i = 0; i < row.targets.size(); ++i)
    if (!(search.factors[i] <= 1))
      missed.push_back({{"target", row.targets[i].name}, {"factor", finiteOrNull(search.factors[i])}});
  return {{"seed", search.seed},
          {"evaluations", search.evaluations},
          {"needed", orNull(search.needed)},
          {"seconds", search.seconds},
          {"overhead", search.overhead},
          {"cancelled", search.cancelled},
          {"met", search.met()},
          {"missed", std::move(missed)},
          {"hypervolume", search.hypervolume},
          {"improvement_distance", finiteOrNull(search.improvement)},
          {"frontier", std::move(frontier)}};
}

Json rowJson(const DesignProblem& problem, const BenchmarkRow& row) {
  Json targets = Json::array(), searches = Json::array(), medians;
  for (const DesignTarget& target : row.targets) {
    Json values;
    for (std::size_t k = 0; k < problem.objectives.size(); ++k)
      values[problem.objectives[k]] = target.values[k];
    targets.push_back({{"name", target.name}, {"values", std::move(values)}});
  }
  for (const BenchmarkSearch& search : row.searches) searches.push_back(searchJson(problem, row, search));
  for (const char* member :
       {"evaluations", "needed", "seconds", "overhead", "met", "hypervolume", "improvement_distance"}) {
    std::vector<Json> values;
    for (const Json& search : searches) values.push_back(search[member]);
    medians[member] = medianOf(std::move(values));
  }
  const std::string input = text(row.inputs);
  return {{"problem", problem.name},           {"targets_from", problem.targets},
          {"assumed", problem.assumed},        {"input", input.empty() ? Json() : Json(input)},
          {"synthetic", row.inputs.synthetic}, {"objectives", problem.objectives},
          {"targets", std::move(targets)},     {"hypervolume_of_targets", row.hypervolume},
          {"median", std::move(medians)},      {"searches", std::move(searches)}};
}

std::string benchmarkSeconds(const Json& value) {
  return durationText(value.get<double>());
}

std::string benchmarkPercent(const Json& value) {
  return percent(value.get<double>());
}

std::string benchmarkShare(const Json& value) {
  return value.is_null() ? "-" : decimal(value.get<double>(), 3);
}

/// What is reported of a row as soon as it is done.
void printRow(const Json& row) {
  const Json& median = row["median"];
  std::cout << written(row["problem"]) << ": " << written(median["met"]) << " of " << row["targets"].size()
            << " met, " << counted(median["evaluations"].get<std::uint64_t>(), "design") << " in "
            << benchmarkSeconds(median["seconds"]) << "; " << written(row["targets_from"]) << "; "
            << written(row["assumed"]) << "\n";
  for (const Json& search : row["searches"]) {
    if (search["cancelled"].get<bool>())
      std::cout << "  seed " << written(search["seed"]) << " was interrupted\n";
    for (const Json& missed : search["missed"])
      std::cout << "  seed " << written(search["seed"]) << " misses " << written(missed["target"])
                << (missed["factor"].is_null() ? ", as no design runs"
                                               : " by " + percent(missed["factor"].get<double>() - 1))
                << "\n";
  }
  if (!row["synthetic"].empty())
    std::cout << "  synthetic input with the statistics of the traces " << row["synthetic"].dump()
              << ", which were not given: the published points are of others\n";
  std::cout << std::flush;
}

void printSummary(const Json& page) {
  Json rows = page["problems"];
  if (rows.empty()) return;
  for (Json& row : rows)
    row["met"] = written(row["median"]["met"]) + " of " + std::to_string(row["targets"].size());
  std::cout << "\n";
  tableOf(rows,
          {{"problem", "problem"},
           {"input", "input"},
           {"met", "met"},
           {"median/evaluations", "designs"},
           {"median/needed", "needed"},
           {"median/seconds", "time", benchmarkSeconds},
           {"median/overhead", "overhead", benchmarkPercent},
           {"hypervolume_of_targets", "hypervolume", benchmarkShare},
           {"median/hypervolume", "ours", benchmarkShare},
           {"median/improvement_distance", "improvement", benchmarkShare}},
          2)
      .print(std::cout);
}

Result<std::vector<DesignProblem>> chosenProblems(const BenchmarkOptions& options) {
  std::vector<DesignProblem> problems = designProblems();
  std::vector<std::string> names;
  for (const DesignProblem& problem : problems) names.push_back(problem.name);
  for (const std::string& beginning : options.only)
    if (std::ranges::none_of(names, [&](const std::string& name) { return name.starts_with(beginning); }))
      return error("unknown-name", Location(Where::Option, "--only " + beginning),
                   "no problem of the benchmark begins with this",
                   spellingFix(beginning, names, "choose another"));
  std::erase_if(problems, [&](const DesignProblem& problem) {
    return !options.only.empty() && std::ranges::none_of(options.only, [&](const std::string& beginning) {
      return problem.name.starts_with(beginning);
    });
  });
  return problems;
}

}  // namespace

void addBenchmarkOptions(Command& command, BenchmarkOptions& options) {
  command.add("--benchmark", options.wanted,
              "instead of a FILE: run a fixed list of problems, and tell what was met of their published "
              "points. Takes --budget, --seconds (of one search), --seed and --threads as well");
  command.add("--traces", options.traces, "folder with the papers' traces; default: synthetic ones",
              {.type = "FOLDER", .needs = "--benchmark"});
  command.add("--only", options.only, "problems, by their names or how these begin, comma-separated",
              {.needs = "--benchmark", .commas = true});
  command.add("--seeds", options.seeds,
              "so many searches of each problem, from --seed on; medians are reported",
              {.range = Range{1, 1000}, .needs = "--benchmark", .shows_default = true});
}

int runBenchmark(const BenchmarkOptions& options, Process& process) {
  const Result<std::vector<DesignProblem>> problems = chosenProblems(options);
  if (!problems) return fail(problems.diagnostics(), options.json);
  const std::unique_ptr<Executor> executor = makeExecutor(options.threads);
  BenchmarkRequest request{
      .traces = options.traces, .executor = executor.get(), .seed = options.seed, .seeds = options.seeds};
  if (options.budget) request.budget = static_cast<std::uint64_t>(*options.budget);
  if (options.seconds > 0) request.seconds = options.seconds;
  request.stop = process.interrupt.token();
  ProgressLine line;
  request.progress = [&](const std::string& problem, const DesignProgress& progress) {
    line.show(problem, progress.share(), secondsLeft(progress.share(), progress.seconds_spent));
  };
  Json page = {{"problems", Json::array()}};
  for (const DesignProblem& problem : *problems) {
    const Result<BenchmarkRow> row = runProblem(problem, request);
    line.clear();
    if (!row && process.interrupt.came()) break;
    if (!row) return fail(row.diagnostics(), options.json);
    const Json& told = page["problems"].emplace_back(rowJson(problem, *row));
    if (!options.json) printRow(told);
    if (!options.out.empty())
      if (const Result<Done> kept = writeInto(options.out, problem.name + ".json", jsonText(told)); !kept)
        return fail(kept.diagnostics(), options.json);
    if (process.interrupt.came()) break;
  }
  const Diagnostics interrupted =
      process.interrupt.came() ? Diagnostics{process.interrupt.diagnostic()} : Diagnostics{};
  page["cancelled"] = !interrupted.empty();
  page["diagnostics"] = diagnosticsJson(interrupted);
  show(page, options.json, printSummary);
  return interrupted.empty() ? ExitDone : ExitCancelled;
}

}  // namespace sluice::cli
