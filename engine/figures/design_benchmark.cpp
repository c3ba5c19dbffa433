// Runs the designer on a problem and measures what it reached.

#include "engine/figures/design_benchmark.h"

#include <algorithm>
#include <cmath>

#include "engine/core/cancelled.h"
#include "engine/explorer/pareto.h"
#include "engine/explorer/statistics.h"
#include "engine/figures/built_experiment.h"

namespace sluice::inline figures {
namespace {

std::vector<double> valuesOf(const DesignPoint& point, const std::vector<std::string>& objectives) {
  std::vector<double> values;
  for (const std::string& name : objectives) values.push_back(metric(point, name));
  return values;
}

bool meets(const std::vector<double>& values, const DesignTarget& target) {
  return std::ranges::equal(values, target.values, std::less_equal<>());
}

/// Counts the targets that are left, as designs come.
class Pursuit {
 public:
  Pursuit(const std::vector<std::string>& objectives, const std::vector<DesignTarget>& targets)
      : objectives_(objectives), left_(targets) {}

  void see(const Design& design) {
    if (design.point.fidelity == Fidelity::Symbolic || design.point.state != PointState::Done) return;
    const std::vector<double> values = valuesOf(design.point, objectives_);
    std::erase_if(left_, [&](const DesignTarget& target) { return meets(values, target); });
  }
  void count(std::uint64_t evaluations) {
    if (left_.empty() && !needed_) needed_ = evaluations;
  }
  const std::optional<std::uint64_t>& needed() const { return needed_; }

 private:
  const std::vector<std::string>& objectives_;
  std::vector<DesignTarget> left_;
  std::optional<std::uint64_t> needed_;
};

std::vector<double> rowsOf(const std::vector<DesignTarget>& targets) {
  std::vector<double> rows;
  for (const DesignTarget& target : targets)
    rows.insert(rows.end(), target.values.begin(), target.values.end());
  return rows;
}

void compare(BenchmarkSearch& search, const std::vector<DesignTarget>& targets) {
  const std::vector<double> published = rowsOf(targets);
  for (const DesignTarget& target : targets)
    search.factors.push_back(paretoImprovementDistance(target.values, search.frontier));
  search.improvement = std::nan("");
  const std::size_t objectives = targets.front().values.size();
  for (std::size_t at = 0; at < search.frontier.size(); at += objectives) {
    const double distance =
        paretoImprovementDistance(std::span(search.frontier).subspan(at, objectives), published);
    if (!(search.improvement >= distance)) search.improvement = distance;
  }
}

Result<BenchmarkSearch> searchOnce(const DesignProblem& problem, const PosedProblem& posed,
                                   const BenchmarkRequest& request, std::uint64_t seed) {
  DesignRequest wanted;
  wanted.objectives = problem.objectives;
  wanted.budget = request.budget.value_or(problem.budget);
  wanted.seconds = request.seconds;
  wanted.seed = seed;
  Pursuit pursuit(problem.objectives, posed.targets);
  DesignObserver observer;
  observer.design = [&](const Design& design) { pursuit.see(design); };
  observer.progress = [&](const DesignProgress& progress) {
    pursuit.count(progress.simulated);
    if (request.progress) request.progress(problem.name, progress);
  };
  SLUICE_TRY(const DesignResult result,
             findDesigns(*posed.workload, posed.knobs, wanted, *request.executor, observer, request.stop));
  if (result.cancelled && result.frontier.empty()) return cancelledDiagnostic();
  BenchmarkSearch search{.seed = seed, .evaluations = result.simulated, .needed = pursuit.needed()};
  search.seconds = result.wall_seconds;
  search.overhead = result.effort.overhead();
  search.cancelled = result.cancelled;
  for (const std::size_t i : result.frontier)
    for (const double value : valuesOf(result.designs[i].point, problem.objectives))
      search.frontier.push_back(value);
  compare(search, posed.targets);
  return search;
}

/// All in one box, so that their shares compare.
void measureVolumes(BenchmarkRow& row, std::size_t objectives) {
  std::vector<double> all = rowsOf(row.targets);
  for (const BenchmarkSearch& search : row.searches)
    all.insert(all.end(), search.frontier.begin(), search.frontier.end());
  const std::vector<double> reference = relativeHypervolume(all, objectives).reference;
  std::vector<double> best(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(objectives));
  for (std::size_t i = 0; i < all.size(); ++i) best[i % objectives] = std::min(best[i % objectives], all[i]);
  const double box = hypervolume(best, objectives, reference);
  const auto share = [&](const std::vector<double>& rows) {
    return box > 0 ? hypervolume(rows, objectives, reference) / box : rows.empty() ? 0.0 : 1.0;
  };
  row.hypervolume = share(rowsOf(row.targets));
  for (BenchmarkSearch& search : row.searches) search.hypervolume = share(search.frontier);
}

}  // namespace

std::size_t BenchmarkSearch::met() const {
  return static_cast<std::size_t>(std::ranges::count_if(factors, [](double factor) { return factor <= 1; }));
}

Result<BenchmarkRow> runProblem(const DesignProblem& problem, const BenchmarkRequest& request) {
  if (std::error_code ignored;
      !request.traces.empty() && !std::filesystem::is_directory(request.traces, ignored))
    return noFolderOfTraces(request.traces);
  FigureRequest figure;
  figure.traces = request.traces;
  figure.executor = request.executor;
  figure.controller_wait = 0;  // as programs have it that say nothing of it
  figure.stop = request.stop;
  SLUICE_TRY(const PosedProblem posed, problem.pose(figure));
  BenchmarkRow row{.targets = posed.targets, .inputs = posed.inputs, .searches = {}};
  for (std::uint64_t i = 0; i < request.seeds && !(i > 0 && request.stop.stop_requested()); ++i) {
    Result<BenchmarkSearch> search = searchOnce(problem, posed, request, request.seed + i);
    if (!search && i > 0 && isCancelled(search.diagnostics())) break;
    if (!search) return search.diagnostics();
    row.searches.push_back(*std::move(search));
  }
  measureVolumes(row, problem.objectives.size());
  return row;
}

}  // namespace sluice::inline figures
