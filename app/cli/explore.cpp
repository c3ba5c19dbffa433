// sluice-cli explore: every point of the design space, the frontier and its hypervolume.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "app/cli/table.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ExploreCommand : FileOptions {
  unsigned threads = 0;
  std::vector<std::string> objectives = ExploreOptions{}.objectives;
  std::uint64_t budget = ExploreOptions{}.budget;
  std::string out;
  bool all = false;
};

bool measured(const DesignPoint& point) {
  return point.state == PointState::Done || point.state == PointState::Infeasible;
}

bool counts(const std::string& metric_name) {
  const std::string unit = metricUnit(metric_name);
  return !unit.empty() && unit.find('/') == std::string::npos;
}

Json pointJson(const Document& document, const DesignPoint& point) {
  Json knobs = Json::object(), metrics = Json::object();
  for (const Knob& knob : document.knobs) {
    const std::int64_t value = point.knobs.at(knob.name);
    knobs[knob.name] = knob.kind == KnobKind::Choice ? Json(knobText(knob, value)) : Json(value);
  }
  for (const std::string& name : metricNames()) {
    const double value = metric(point.metrics, name);
    if (measured(point)) metrics[name] = counts(name) ? Json(std::llround(value)) : Json(value);
  }
  Json object = {{"knobs", std::move(knobs)},
                 {"state", text(point.state)},
                 {"cause", point.cause},
                 {"metrics", std::move(metrics)},
                 {"wall_seconds", point.wall_seconds}};
  if (const auto& deadlock = point.deadlock)
    object["deadlock"] = {{"members", deadlock->members},
                          {"full", deadlock->full},
                          {"closed_at", deadlock->closed_at},
                          {"circles", deadlock->circles}};
  return object;
}

Json toJson(const ExploreCommand& options, const Document& document, const Exploration& result,
            unsigned threads) {
  Json points = Json::array();
  for (const DesignPoint& point : result.points) points.push_back(pointJson(document, point));
  return {{"file", options.file},
          {"objectives", result.objectives},
          {"points", std::move(points)},
          {"frontier", result.frontier},
          {"evaluated", result.points.size()},
          {"total", designSpace(document).size()},
          {"hypervolume", result.hypervolume},
          {"reference", result.reference},
          {"cancelled", result.cancelled},
          {"threads", threads},
          {"wall_seconds", result.wall_seconds}};
}

void printText(const Document& document, const Exploration& result, bool all) {
  std::vector<std::string> header;
  for (const Knob& knob : document.knobs) header.push_back(knob.name);
  for (const char* column :
       {"cycles", "off-chip bytes", "on-chip bytes", "compute", "bandwidth", "frontier", "state"})
    header.emplace_back(column);
  Table table(header, 0);
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const DesignPoint& point = result.points[i];
    std::vector<std::string> row;
    for (const Knob& knob : document.knobs) row.push_back(knobText(knob, point.knobs.at(knob.name)));
    if (measured(point)) {
      const Metrics& m = point.metrics;
      row.insert(row.end(), {grouped(m.cycles), grouped(m.off_chip_bytes), grouped(m.on_chip_bytes),
                             percent(m.compute_utilization), percent(m.off_chip_bandwidth_utilization)});
    } else {
      row.insert(row.end(), 5, "-");
    }
    const bool best = std::find(result.frontier.begin(), result.frontier.end(), i) != result.frontier.end();
    row.insert(row.end(), {best ? "*" : "", text(point.state)});
    table.row(std::move(row));
  }
  table.print(std::cout, all ? 0 : 100);
  std::cout << "\n"
            << result.points.size() << " points in " << durationText(result.wall_seconds)
            << "; frontier over ";
  for (std::size_t k = 0; k < result.objectives.size(); ++k)
    std::cout << (k ? ", " : "") << result.objectives[k];
  std::cout << ": " << result.frontier.size() << " points, hypervolume " << result.hypervolume << "\n";
}

/// A sweep is done even if some of its points are not; but where none is, its exit code says why.
int exitCodeOf(const Exploration& result) {
  if (result.cancelled) return exitCancelled;
  if (std::any_of(result.points.begin(), result.points.end(), measured)) return exitDone;
  const auto deadlocked = [](const DesignPoint& point) { return point.state == PointState::Deadlocked; };
  return std::any_of(result.points.begin(), result.points.end(), deadlocked) ? exitDeadlock : exitDiagnostic;
}

void warnOfUnfinished(const Exploration& result) {
  constexpr int most = 5;
  int told = 0;
  for (const DesignPoint& point : result.points) {
    if (point.state == PointState::Done || ++told > most) continue;
    std::cerr << text(point.state);
    for (const auto& [name, value] : point.knobs) std::cerr << " " << name << "=" << value;
    std::cerr << ": " << point.cause << "\n";
  }
  if (told > most) std::cerr << "... and " << told - most << " more points that did not finish\n";
}

int runExplore(const ExploreCommand& options) {
  Interrupt interrupt;
  const Result<Opened> opened = open(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Document& document = opened->workload->document;
  const std::unique_ptr<Executor> executor = makeExecutor(options.threads);
  ProgressLine line;
  ExploreOptions request;
  request.objectives = options.objectives;
  request.budget = options.budget;
  request.stop = interrupt.token();
  request.on_point = [&](std::uint64_t, const DesignPoint&, const ExploreProgress& progress) {
    line.show(std::to_string(progress.evaluated) + " of " + std::to_string(progress.total) + " points",
              static_cast<double>(progress.evaluated) / static_cast<double>(progress.total),
              progress.seconds_left);
  };
  const Result<Exploration> result = explore(*opened->workload, *executor, request);
  line.clear();
  if (!result) return fail(result.diagnostics(), options.json);
  if (!options.out.empty()) {
    const Result<Done> written = writeInto(options.out, "points.csv", pointsCsv(document, *result));
    if (!written) return fail(written.diagnostics(), options.json);
  }
  if (options.json) {
    std::cout << toJson(options, document, *result, executor->concurrency())
                     .dump(2, ' ', false, Json::error_handler_t::replace)
              << "\n";
  } else {
    printText(document, *result, options.all);
  }
  warnOfUnfinished(*result);
  return exitCodeOf(*result);
}

}  // namespace

void addExplore(CLI::App& application, int& exit_code) {
  CLI::App* command =
      application.add_subcommand("explore", "evaluate the whole design space and find its frontier");
  auto options = std::make_shared<ExploreCommand>();
  addFileOptions(*command, *options, false);
  command->add_option("--threads", options->threads, "threads; 0 is one per core")
      ->check(CLI::Range(0u, 1024u));
  command->add_option("--objectives", options->objectives, "one to three metrics, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--budget", options->budget, "refuse a larger design space");
  command->add_option("--out", options->out, "write points.csv into this folder")->type_name("FOLDER");
  command->add_flag("--all", options->all, "print every point");
  command->callback([options, &exit_code] { exit_code = runExplore(*options); });
}

}  // namespace sluice::cli
