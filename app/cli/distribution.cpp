// sluice-cli distribution: a design point under every trace of a set, and where one trace lies among them.

#include "app/cli/distribution.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/metric_text.h"
#include "app/cli/point_json.h"
#include "app/cli/progress.h"
#include "app/cli/report.h"
#include "app/cli/set_options.h"
#include "app/cli/set_report.h"
#include "app/cli/trust_report.h"
#include "engine/core/atomic_file.h"
#include "engine/core/printable.h"
#include "engine/core/stopwatch.h"
#include "engine/distributions/percentile_text.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/explorer/tables.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

struct DistributionOptions : FileOptions {
  std::string metric = "cycles";
  std::string csv;
  std::string pick;
  unsigned threads = 0;
  bool all = false;
  SetArguments set;
};

/// A point under every trace, with what there is to tell.
struct PointDistribution {
  PointSamples samples;
  DesignPoint point;
  std::uint64_t runs = 0, retimed = 0;
  bool cancelled = false;
};

Result<PointDistribution> evaluateUnder(const OpenedSet& opened, const MetricSpec& metric,
                                        const SamplingPrecision& precision, unsigned threads,
                                        const std::stop_token& stop) {
  const auto executor = makeExecutor(threads);
  SetOptions request;
  request.precision = precision;
  for (const double quantile : {0.05, 0.5, 0.95})
    request.statistics.push_back({StatisticKind::Quantile, quantile, &metric});
  ProgressLine line;
  const Clock::time_point start = Clock::now();
  request.on_run = [&](std::uint64_t runs, std::uint64_t of) {
    const double done = static_cast<double>(runs) / static_cast<double>(of);
    line.show(std::to_string(runs) + " of " + std::to_string(of) + " traces", done,
              secondsLeft(done, secondsSince(start)));
  };
  TraceEvaluator evaluator(opened.set, *executor, std::move(request));
  const PointTask task{opened.knobs, Fidelity::Count};
  PointDistribution found;
  Diagnostics refused;
  evaluator.evaluate(
      std::span(&task, 1),
      [&](std::size_t, PointOutcome outcome) {
        found.point = std::move(outcome.point);
        refused = std::move(outcome.refused);
      },
      stop);
  line.clear();
  if (!refused.empty()) return refused;
  found.runs = evaluator.runs();
  found.retimed = evaluator.retimed();
  const PointSamples* const samples = evaluator.samples(opened.knobs);
  found.cancelled = samples == nullptr;
  if (samples) found.samples = *samples;
  return found;
}

Json distributionJson(const DistributionOptions& options, const OpenedSet& opened,
                      const PointDistribution& found) {
  const WorkloadSet& set = opened.set;
  Json states = Json::object(), metrics = Json::array();
  for (const PointState state :
       {PointState::Done, PointState::Deadlocked, PointState::Infeasible, PointState::Failed})
    states[text(state)] = found.samples.tracesIn(state).size();
  for (const MetricSpec* metric : registeredMetrics()) {
    Json summary = summaryJson(set, found.samples, *metric);
    if (summary["values"] > 0) metrics.push_back(std::move(summary));
  }
  return {{"file", options.file},
          {"knobs", knobsJson(set.workload->document, opened.knobs)},
          {"traces", tracesJson(set)},
          {"evaluated", found.samples.evaluated()},
          {"states", std::move(states)},
          {"metrics", std::move(metrics)},
          {"not_done", unfinishedJson(set, found.samples)},
          {"tokens_per_expert", tokensPerExpertJson(set)}};
}

std::string valueText(const MetricSpec& metric, const Json& value) {
  return value.is_null() ? "-" : metricText(metric, value.get<double>());
}

void printSummaries(const Json& report, bool all) {
  Table table({"metric", "mean", "p5", "median", "p95", "worst", "deviation/mean"});
  for (const Json& row : report["metrics"]) {
    const MetricSpec& metric = *findMetric(row["name"]);
    if (!all && metric.prominence < Prominence::Figure) continue;
    const auto cell = [&](const char* key) { return valueText(metric, row[key]); };
    table.row({metricLabel(metric), cell("mean"), cell("p5"), cell("p50"), cell("p95"), cell("worst"),
               row["cv"].is_null() ? "-" : percent(row["cv"].get<double>())});
  }
  table.print(std::cout);
}

void printTokens(const Json& tokens, bool all) {
  if (tokens.is_null()) return;
  std::cout << "\n  tokens of an expert, the busiest of each trace first\n";
  Table table({"expert", "mean", "least", "most"}, 0);
  for (const Json& row : tokens["by_rank"]) {
    table.row({ordinal(row["rank"].get<std::uint64_t>() + 1), decimal(row["mean"].get<double>(), 1),
               decimal(row["least"].get<double>(), 0), decimal(row["most"].get<double>(), 0)});
  }
  table.print(std::cout, all ? 0 : 8);
}

void printUnfinished(const Json& rows, bool all) {
  if (rows.empty()) return;
  std::cout << "\n";
  Table table({"trace", "state", "cause"}, 3);
  for (const Json& row : rows) table.row({row["name"], row["state"], row["cause"]});
  table.print(std::cout, all ? 0 : 10);
}

void printText(const DistributionOptions& options, const OpenedSet& opened, const PointDistribution& found,
               const Json& report, const MetricSpec& metric) {
  const Document& document = opened.set.workload->document;
  const std::size_t seen = found.samples.evaluated(), all = opened.set.traces.size();
  std::cout << document.title << "\n ";
  for (const Knob& knob : document.knobs)
    std::cout << " " << knob.name << " = " << knobText(knob, opened.knobs.at(knob.name));
  std::cout << "\n  " << (seen < all ? grouped(seen) + " of " : "")
            << printableName(opened.set.description());
  if (seen < all) std::cout << ", in random order: quantiles are known to the precision";
  for (const auto& [state, count] : report["states"].items())
    if (count > 0) std::cout << ", " << grouped(count.get<std::uint64_t>()) << " " << state;
  std::cout << "\n\n";
  printSummaries(report, options.all);
  const std::size_t chosen = opened.set.chosen;
  const double value = found.samples.value(chosen, metric);
  if (const std::string place = percentileText(found.samples, metric, chosen); !place.empty()) {
    std::cout << "\n  trace '" << opened.set.traces[chosen].name << "': " << metricLabel(metric) << " "
              << (std::isnan(value) ? "-" : valueText(metric, Json(value))) << ", " << place << "\n";
  }
  if (const std::string bars = histogramText(orderedValues(found.samples, metric), value, metric);
      !bars.empty())
    std::cout << "\n" << bars;
  printTokens(report["tokens_per_expert"], options.all);
  printUnfinished(report["not_done"], options.all);
}

/// The metric whose distribution is drawn, and that decides when enough traces were seen.
Result<const MetricSpec*> shownMetric(const DistributionOptions& options, const Workload& workload) {
  const MetricSpec* const metric = findMetricTyped(options.metric);
  if (metric && !statisticOf(*metric)) {
    if (metric->priced && !workload.technology) return missingTechnology(metric->name);
    return metric;
  }
  return error("unknown-metric", Location(Where::Option, "--metric " + options.metric),
               "'" + options.metric + "' is not a metric of a run",
               spellingFix(options.metric, metricNames(), "use a metric"));
}

/// With the trace that `pick` names, by its number or its name.
Result<Done> choose(WorkloadSet& set, const std::string& pick) {
  if (pick.empty()) return Done{};
  const auto at = std::ranges::find_if(set.traces, [&](const TraceMember& trace) {
    return trace.name == pick || std::to_string(trace.number) == pick;
  });
  if (at == set.traces.end()) {
    return error("out-of-range", Location(Where::Option, "--pick " + pick), "the set has no such trace",
                 "give a number from " + std::to_string(set.traces.front().number) + " to " +
                     std::to_string(set.traces.back().number) + ", or a name");
  }
  set.chosen = static_cast<std::size_t>(at - set.traces.begin());
  return Done{};
}

/// Why there is no distribution: no run ended, or none has the metric.
std::optional<Diagnostic> nothingShown(const WorkloadSet& set, const PointSamples& samples,
                                       const MetricSpec& metric) {
  if (!samples.tracesIn(PointState::Done).empty()) {
    if (orderedValues(samples, metric).empty()) return valueOfNone(*set.workload, metric);
    return std::nullopt;
  }
  const std::vector<std::size_t> failed = samples.tracesIn(PointState::Failed);
  if (failed.empty() || !samples.tracesIn(PointState::Infeasible).empty()) return std::nullopt;
  return error("run-failed", Location("trace '" + set.traces[failed.front()].name + "'"),
               "under none of " + counted(samples.evaluated(), "trace") +
                   " a run came to its end; under this one: " + samples.cause(failed.front()),
               "give traces that fit the program; 'simulate --count' with pick=" +
                   std::to_string(set.traces[failed.front()].number) +
                   " behind the set has more of this one");
}

int runDistribution(const DistributionOptions& options, OpenedSet opened, const std::stop_token& stop) {
  if (opened.set.empty()) {
    return fail(
        {error("missing-data", Location(Where::File, options.file), "none of its inputs is a set of traces",
               "give one: --input NAME=set:FOLDER, or a generated one: --input "
               "NAME=set:zipf,count=100,skew=0.5")},
        options.json);
  }
  if (const Result<Done> chosen = choose(opened.set, options.pick); !chosen)
    return fail(chosen.diagnostics(), options.json);
  const Result<const MetricSpec*> metric = shownMetric(options, *opened.set.workload);
  if (!metric) return fail(metric.diagnostics(), options.json);
  const Result<SamplingPrecision> precision = precisionOf(options.set);
  if (!precision) return fail(precision.diagnostics(), options.json);
  const Result<PointDistribution> found = evaluateUnder(opened, **metric, *precision, options.threads, stop);
  if (!found) {
    tellLeftOut(opened.set.left_out);  // it may be why
    return fail(found.diagnostics(), options.json);
  }
  if (found->cancelled) return ExitCancelled;
  if (!options.csv.empty()) {
    CsvTable table(samplesHeader());
    addSamples(table, {}, opened.set, found->samples);
    const Result<Done> written = writeFileAtomically(options.csv, table.text());
    if (!written) return fail(written.diagnostics(), options.json);
    wrote(options.csv);
  }
  Json report = distributionJson(options, opened, *found);
  report["trust"] = trustJson(trustOf(opened.set.workload->document));
  const std::optional<Diagnostic> nothing = nothingShown(opened.set, found->samples, **metric);
  if (nothing) report["diagnostics"] = diagnosticsJson({*nothing});
  if (options.json) {
    printJson(report);
  } else {
    printText(options, opened, *found, report, **metric);
    std::cout << trustLine(trustOf(opened.set.workload->document));
  }
  tellLeftOut(opened.set.left_out);
  if (nothing) {
    std::cerr << shown(*nothing);
    return ExitDiagnostic;
  }
  // As the point's state is in `explore`, where no constraint allows some.
  return found->samples.tracesIn(PointState::Deadlocked).empty() ? ExitDone : ExitDeadlock;
}

}  // namespace

int simulateSet(const FileOptions& file, OpenedSet opened, const std::stop_token& stop) {
  DistributionOptions options;
  static_cast<FileOptions&>(options) = file;
  return runDistribution(options, std::move(opened), stop);
}

Command distributionCommand() {
  const auto options = std::make_shared<DistributionOptions>();
  Command command{
      .name = "distribution",
      .summary =
          "run one design point under every trace of a set: quantiles, and where one trace lies among them",
      .examples =
          {{"distribution sample_workloads/moe_mixtral.sluice --input routing=set:zipf,count=50,skew=0.4",
            "cycles under 50 generated routings"},
           {"distribution sample_workloads/moe_mixtral.sluice --input "
            "routing=set:dirichlet,count=50,skew=0.4 "
            "--pick 7 --csv runs.csv --json",
            "where the trace of number 7 lies, and a line for each"}},
      .options =
          with(with(pointOptions(*options), technologyOptions(*options)), precisionOptions(options->set)),
      .run = [options](Process& process) -> int {
        Result<OpenedSet> opened = openSet(*options);
        if (!opened) return fail(opened.diagnostics(), options->json);
        return runDistribution(*options, *std::move(opened), process.interrupt.token());
      }};
  command.add("--metric", options->metric, "whose distribution is drawn", {.shows_default = true});
  command.add("--pick", options->pick, "the trace to compare with the others, by number or name",
              {.type = "TRACE"});
  command.add("--csv", options->csv, "write a line for each trace into this file", {.type = "FILE"});
  command.add("--threads", options->threads, "threads; 0 is one per core", {.range = Range{0, 1024}});
  command.add("--all", options->all, "print every metric, expert and trace that did not end");
  return command;
}

}  // namespace sluice::cli
