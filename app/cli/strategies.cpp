// sluice-cli strategies: hypervolume against evaluations, every strategy beside the others in one run.

#include <algorithm>
#include <charconv>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/progress.h"
#include "app/cli/search_options.h"
#include "app/cli/set_exploration.h"
#include "app/cli/set_report.h"
#include "app/cli/table.h"
#include "engine/core/cancelled.h"
#include "engine/core/csv.h"
#include "engine/core/printable.h"
#include "engine/distributions/point_samples.h"
#include "engine/explorer/pareto.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::cli {
namespace {

struct StrategiesCommand : SearchOptions {
  std::vector<std::string> names;
  std::vector<std::string> budgets;
  std::uint64_t seeds = 1;
  std::string out;
  SetArguments set;
};

/// Points that one strategy has evaluated, for the next: the comparison is of what they choose, and each
/// point is simulated once. A short run is not remembered.
class Memory : public PointStore {
 public:
  Result<Done> known(std::span<const KnobValues> points, Fidelity fidelity,
                     const std::function<void(std::size_t, DesignPoint)>& found) override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto at = points_.find({fidelity, points[i]});
      if (at != points_.end()) found(i, at->second);
    }
    return Done{};
  }
  void add(std::uint64_t, const DesignPoint& point, bool) override { addAside(point); }
  void addAside(const DesignPoint& point) override {
    points_.emplace(std::pair(point.fidelity, point.knobs), point);
  }
  Result<std::vector<DesignPoint>> others() override { return std::vector<DesignPoint>(); }

 private:
  std::map<std::pair<Fidelity, KnobValues>, DesignPoint> points_;
};

struct Row {
  std::string strategy;
  std::vector<double> volumes;  ///< after each visit
  std::size_t points = 0, frontier = 0;
  std::uint64_t pruned = 0;
};

/// The share of the largest hypervolume after `visits` evaluations.
double shareAt(const Row& row, std::size_t visits, double best) {
  if (row.volumes.empty() || visits == 0 || best <= 0) return 0;
  return row.volumes[std::min(visits, row.volumes.size()) - 1] / best;
}

/// The first visit after which the share is reached; 0: never.
std::size_t visitsFor(const Row& row, double share, double best) {
  const auto at =
      std::find_if(row.volumes.begin(), row.volumes.end(), [&](double v) { return v >= share * best; });
  return at == row.volumes.end() ? 0 : static_cast<std::size_t>(at - row.volumes.begin()) + 1;
}

void printText(const std::vector<Row>& rows, std::size_t longest, double best) {
  std::vector<std::string> header = {"strategy"};
  std::vector<std::size_t> stops;
  for (const std::size_t percentage : {5U, 10U, 25U, 50U, 100U}) {
    stops.push_back(std::max<std::size_t>(1, longest * percentage / 100));
    header.push_back("after " + std::to_string(stops.back()));
  }
  header.insert(header.end(), {"99 % after", "evaluated", "ruled out", "frontier"});
  Table table(header);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.strategy};
    for (const std::size_t stop : stops) cells.push_back(percent(shareAt(row, stop, best)));
    const std::size_t enough = visitsFor(row, 0.99, best);
    cells.insert(cells.end(), {enough > 0 ? std::to_string(enough) : "-", std::to_string(row.points),
                               std::to_string(row.pruned), std::to_string(row.frontier)});
    table.row(std::move(cells));
  }
  table.print(std::cout);
  std::cout << "\nHypervolume, as a share of the largest that any of them reached, against evaluations.\n";
}

/// Null where no input is a set.
Json setJson(const WorkloadSet& set) {
  return set.empty() ? Json() : tracesJson(set);
}

Json toJson(const StrategiesCommand& options, const ExploreOptions& request, const WorkloadSet& set,
            const std::vector<Row>& rows, const std::vector<double>& reference) {
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back({{"strategy", row.strategy},
                    {"evaluated", row.points},
                    {"pruned", row.pruned},
                    {"frontier", row.frontier},
                    {"hypervolume", row.volumes}});
  }
  return {{"file", options.file}, {"objectives", request.objectives}, {"traces", setJson(set)},
          {"seed", options.seed}, {"reference", reference},           {"strategies", std::move(list)}};
}

std::string toCsv(const std::vector<Row>& rows) {
  CsvTable table({"strategy", "evaluations", "hypervolume"});
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.volumes.size(); ++i)
      table.row({row.strategy, std::to_string(i + 1), csvNumber(row.volumes[i])});
  }
  return table.text();
}

bool knownOfShortRuns(const std::string& objective) {
  const MetricSpec* metric = findMetric(objective);
  return metric && metric->knownAt(Fidelity::Symbolic);
}

bool canSearch(const Strategy& strategy, std::uint64_t size, std::uint64_t budget) {
  return !strategy.whole_space || size <= budget;
}

/// What is asked of every search of one space.
struct Contest {
  const Workload& workload;
  PointEvaluator& evaluator;
  ExploreOptions request;
  ProgressLine line = {};

  Result<Exploration> search(const std::string& strategy) {
    request.strategy = strategy;
    request.on_point = [&](std::uint64_t, const DesignPoint&, const ExploreProgress& progress) {
      line.show(strategy + ": " + counted(progress.evaluated, "point"),
                static_cast<double>(progress.evaluated) / static_cast<double>(progress.total),
                progress.seconds_left);
    };
    Result<Exploration> found = explore(workload, evaluator, request);
    line.clear();
    if (found && found->cancelled) return cancelledDiagnostic();
    return found;
  }
};

/// Those that are made for so many evaluations of a space of this size, and for the objectives. What was
/// asked for by name takes part anyway, unless it cannot: with the largest budget its search then says so,
/// out of smaller ones it is left.
std::vector<std::string> chosen(const StrategiesCommand& options, const Contest& contest, bool largest) {
  const std::uint64_t size = designSpace(contest.workload.document, contest.request.fixed).size();
  const bool short_runs = std::ranges::all_of(contest.request.objectives, knownOfShortRuns);
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies())
    if (canSearch(strategy, size, options.budget) &&
        std::min(size, options.budget) <= strategy.most_evaluations && (short_runs || !strategy.short_runs))
      names.emplace_back(strategy.name);
  if (options.names.empty()) return names;
  std::vector<std::string> asked = options.names;
  std::erase_if(asked, [&](const std::string& name) {
    const Strategy* known = findStrategy(name);
    return known && !largest && !canSearch(*known, size, options.budget);
  });
  return asked;
}

/// The objectives of what was found, all to be minimised; only the frontier adds to a volume.
std::vector<double> frontierOf(const Exploration& exploration) {
  std::vector<double> rows;
  for (const std::size_t i : exploration.frontier)
    for (const std::string& name : exploration.objectives)
      rows.push_back(minimised(name, metric(exploration.points[i], name)));
  return rows;
}

/// One strategy with one budget.
struct Band {
  std::string strategy;
  std::uint64_t budget = 0;
  std::vector<std::vector<double>> frontiers;  ///< of each seed
  std::vector<double> shares;                  ///< of the largest hypervolume, ascending
  std::uint64_t evaluated = 0;                 ///< by the last seed
};

Result<std::vector<std::uint64_t>> budgetsOf(const StrategiesCommand& options) {
  std::vector<std::uint64_t> budgets;
  for (const std::string& text : options.budgets) {
    std::uint64_t budget = 0;
    const char* const end = text.data() + text.size();
    const auto [read, wrong] = std::from_chars(text.data(), end, budget);
    if (wrong != std::errc() || read != end || budget == 0)
      return error("invalid-option", Location(Where::Option, "--budgets"),
                   "'" + text + "' is not a number of points", "give numbers from 1 on, as in 100,200,500");
    budgets.push_back(budget);
  }
  if (budgets.empty()) budgets.push_back(options.budget);
  return budgets;
}

/// Every strategy with every budget and seed.
Result<std::vector<Band>> bandsOf(const StrategiesCommand& options, Contest& contest,
                                  const std::vector<std::uint64_t>& budgets) {
  const std::vector<std::string>& objectives = contest.request.objectives;
  std::vector<Band> bands;
  std::vector<double> reference;
  for (const std::uint64_t budget : budgets) {
    StrategiesCommand asked = options;
    asked.budget = contest.request.budget = budget;
    const bool largest = budget == std::ranges::max(budgets);
    for (const std::string& name : chosen(asked, contest, largest)) {
      Band& band = bands.emplace_back(Band{name, budget, {}, {}, 0});
      for (std::uint64_t i = 0; i < options.seeds; ++i) {
        contest.request.seed = options.seed + i;
        SLUICE_TRY(const Exploration found, contest.search(name));
        band.evaluated = found.points.size();
        band.frontiers.push_back(frontierOf(found));
        // A tenth beyond the worst of all, as far as every search sees to it.
        const std::vector<double> own = commonReference(std::span(&found, 1), contest.request.constraints);
        reference.resize(own.size(), -std::numeric_limits<double>::infinity());
        for (std::size_t k = 0; k < own.size(); ++k)
          reference[k] = std::max(reference[k], minimised(objectives[k], own[k]));
      }
    }
  }
  double largest = 0;
  for (Band& band : bands)
    for (const std::vector<double>& frontier : band.frontiers) {
      band.shares.push_back(hypervolume(frontier, objectives.size(), reference));
      largest = std::max(largest, band.shares.back());
    }
  for (Band& band : bands) {
    for (double& share : band.shares) share = largest > 0 ? share / largest : 0;
    std::ranges::sort(band.shares);
  }
  return bands;
}

Json bandsJson(const StrategiesCommand& options, const ExploreOptions& request, const WorkloadSet& set,
               const std::vector<Band>& bands) {
  Json rows = Json::array();
  for (const Band& band : bands)
    rows.push_back({{"strategy", band.strategy},
                    {"budget", band.budget},
                    {"evaluated", band.evaluated},
                    {"share", quantileOf(band.shares, 0.5)},
                    {"lower_quartile", quantileOf(band.shares, 0.25)},
                    {"upper_quartile", quantileOf(band.shares, 0.75)},
                    {"shares", band.shares}});
  return {{"file", options.file}, {"objectives", request.objectives}, {"traces", setJson(set)},
          {"seed", options.seed}, {"seeds", options.seeds},           {"bands", std::move(rows)}};
}

void printBands(const StrategiesCommand& options, const std::vector<std::uint64_t>& budgets,
                const std::vector<Band>& bands) {
  std::vector<std::string> header = {"strategy"}, names;
  for (const std::uint64_t budget : budgets) header.push_back("with " + std::to_string(budget));
  for (const Band& band : bands)
    if (std::ranges::find(names, band.strategy) == names.end()) names.push_back(band.strategy);
  Table table(header);
  for (const std::string& name : names) {
    std::vector<std::string> cells = {name};
    for (const std::uint64_t budget : budgets) {
      const auto band = std::ranges::find_if(
          bands, [&](const Band& each) { return each.strategy == name && each.budget == budget; });
      const auto share = [&](double quantile) { return percent(quantileOf(band->shares, quantile)); };
      cells.push_back(band == bands.end() ? "-"
                                          : share(0.5) + " (" + share(0.25) + " to " + share(0.75) + ")");
    }
    table.row(std::move(cells));
  }
  table.print(std::cout);
  std::cout << "\nHypervolume, as a share of the largest that any of them reached: median and quartiles of "
            << counted(options.seeds, "seed") << ".\n";
}

std::string toCsv(const std::vector<Band>& bands) {
  CsvTable table({"strategy", "budget", "rank", "hypervolume"});
  for (const Band& band : bands)
    for (std::size_t i = 0; i < band.shares.size(); ++i)
      table.row(
          {band.strategy, std::to_string(band.budget), std::to_string(i + 1), csvNumber(band.shares[i])});
  return table.text();
}

/// "Over 12 traces: mean(cycles), mean(on_chip_bytes)."
void printSet(const ExploreOptions& request, const WorkloadSet& set) {
  if (set.empty()) return;
  std::cout << "Each point under " << printableName(set.description()) << "; objectives: ";
  for (std::size_t k = 0; k < request.objectives.size(); ++k)
    std::cout << (k > 0 ? ", " : "") << request.objectives[k];
  std::cout << ".\n";
}

int runBands(const StrategiesCommand& options, Contest& contest, const WorkloadSet& set,
             const std::vector<std::uint64_t>& budgets) {
  const Result<std::vector<Band>> bands = bandsOf(options, contest, budgets);
  if (!bands && isCancelled(bands.diagnostics())) return ExitCancelled;
  if (!bands) return fail(bands.diagnostics(), options.json);
  if (!options.out.empty()) {
    const Result<Done> written = writeInto(options.out, "strategies.csv", toCsv(*bands));
    if (!written) return fail(written.diagnostics(), options.json);
  }
  if (options.json) {
    printJson(bandsJson(options, contest.request, set, *bands));
  } else {
    printBands(options, budgets, *bands);
    printSet(contest.request, set);
  }
  tellLeftOut(set.left_out);
  return ExitDone;
}

/// Every strategy once.
int runOnce(const StrategiesCommand& options, Contest& contest, const WorkloadSet& set) {
  std::vector<Exploration> explorations;
  std::vector<Row> rows;
  for (const std::string& name : chosen(options, contest, true)) {
    Result<Exploration> result = contest.search(name);
    if (!result && isCancelled(result.diagnostics())) return ExitCancelled;
    if (!result) return fail(result.diagnostics(), options.json);
    explorations.push_back(*std::move(result));
    rows.push_back({name,
                    {},
                    explorations.back().points.size(),
                    explorations.back().frontier.size(),
                    explorations.back().pruned});
  }
  const std::vector<Constraint>& constraints = contest.request.constraints;
  const std::vector<double> reference = commonReference(explorations, constraints);
  std::size_t longest = 1;
  double best = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].volumes = hypervolumeByVisit(explorations[i], constraints, reference);
    longest = std::max(longest, rows[i].volumes.size());
    if (!rows[i].volumes.empty()) best = std::max(best, rows[i].volumes.back());
  }
  if (!options.out.empty()) {
    const Result<Done> written = writeInto(options.out, "strategies.csv", toCsv(rows));
    if (!written) return fail(written.diagnostics(), options.json);
  }
  if (options.json) {
    printJson(toJson(options, contest.request, set, rows, reference));
  } else {
    printText(rows, longest, best);
    printSet(contest.request, set);
  }
  tellLeftOut(set.left_out);
  return ExitDone;
}

/// Points are evaluated under every trace where an input is a set of them; then objectives and constraints of
/// the request become statistics.
Result<std::unique_ptr<SetExploration>> overTraces(const StrategiesCommand& options, const WorkloadSet& set,
                                                   ExploreOptions& request) {
  if (!set.empty()) return SetExploration::begin(set, options.threads, options.set, request);
  SLUICE_CHECK(refuseStatistics(request));
  return std::unique_ptr<SetExploration>();
}

int runStrategies(const StrategiesCommand& options, const std::stop_token& stop) {
  const Result<std::vector<std::uint64_t>> budgets = budgetsOf(options);
  if (!budgets) return fail(budgets.diagnostics(), options.json);
  const Result<OpenedSet> opened = openSet(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const WorkloadSet& set = opened->set;
  Result<ExploreOptions> request = exploreOptions(options, opened->knobs);
  if (!request) return fail(request.diagnostics(), options.json);
  const Result<std::unique_ptr<SetExploration>> traces = overTraces(options, set, *request);
  if (!traces) return fail(traces.diagnostics(), options.json);
  const std::unique_ptr<Executor> executor = makeExecutor(options.threads);
  const std::unique_ptr<PointEvaluator> one = localEvaluator(*set.workload, *executor);
  PointEvaluator& evaluator = *traces ? (*traces)->evaluator({}) : *one;
  Memory memory;
  request->store = &memory;
  request->stop = stop;
  Contest contest{*set.workload, evaluator, *request};
  if (options.seeds > 1 || !options.budgets.empty()) return runBands(options, contest, set, *budgets);
  return runOnce(options, contest, set);
}

}  // namespace

Command strategiesCommand() {
  const auto options = std::make_shared<StrategiesCommand>();
  options->budget = 1000;
  Command command{
      .name = "strategies",
      .summary = "compare the search strategies on one design space, side by side",
      .examples = {{"strategies sample_workloads/simple_moe.sluice --budget 20",
                    "every strategy on one space"},
                   {"strategies sample_workloads/moe_three_ways.sluice --strategies random,motpe --budget 20 "
                    "--out strategies",
                    "two of them, with a CSV of their progress"},
                   {"strategies sample_workloads/simple_moe.sluice --strategies random,auto --budgets 10,20 "
                    "--seeds 5",
                    "by chance or by skill: median and quartiles of several seeds, with each budget"}},
      .options = searchOptions(*options),
      .run = [options](Process& process) { return runStrategies(*options, process.interrupt.token()); }};
  command.add("--strategy,--strategies", options->names, "only these, comma-separated",
              {.choices = strategyNames(), .commas = true});
  command.add("--budgets", options->budgets,
              "compare after so many evaluations, each a search of its own; comma-separated",
              {.type = "INT", .commas = true});
  command.add("--seeds", options->seeds,
              "searches with so many seeds, from --seed on; quartiles are reported",
              {.range = Range{1, 1000}, .shows_default = true});
  for (Option& option : precisionOptions(options->set)) command.add(std::move(option));
  command.add(output_option, options->out, "write strategies.csv into this folder", {.type = "FOLDER"});
  return command;
}

}  // namespace sluice::cli
