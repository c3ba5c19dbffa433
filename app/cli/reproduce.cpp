// sluice-cli reproduce: runs the experiments behind a published figure and lays ours beside the published
// values.

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/cli/chart_helper.h"
#include "app/cli/command.h"
#include "app/cli/progress.h"
#include "app/cli/report.h"
#include "engine/core/stopwatch.h"
#include "engine/figures/generated_traces.h"

namespace sluice::cli {
namespace {

struct ReproduceOptions {
  std::string figure, traces, out;
  bool json = false;
  unsigned threads = 0;
  std::size_t generated = 0;
};

Json inputsJson(const FigureInputs& inputs) {
  return {{"kind", text(inputs)}, {"traces", inputs.traces}, {"synthetic", inputs.synthetic}};
}

/// What the labels say of the numbers in `ours`: see trustOf().
std::string trustMeaning(Trust trust) {
  return trust == Trust::Published
             ? "ours, on the inputs of the paper, is the number that it prints, within " +
                   decimal(100 * figures::published_tolerance, 2) + " % of it"
             : "of the model alone: the paper has another number or none, or these inputs are not its own";
}

/// Of the labels that the rows have.
Json trustLegend(const Json& points, const Json& claims) {
  Json legend = Json::object();
  for (const Trust trust : {Trust::Published, Trust::Model}) {
    const auto has = [&](const Json& row) { return row["trust"] == trustName(trust); };
    if (std::ranges::any_of(points, has) || std::ranges::any_of(claims, has))
      legend[std::string(trustName(trust))] = trustMeaning(trust);
  }
  return legend;
}

Json figureJson(const FigureResult& figure) {
  Json points = Json::array(), claims = Json::array();
  for (const FigurePoint& point : figure.points) {
    points.push_back({{"series", point.series},
                      {"point", point.point},
                      {"metric", point.metric},
                      {"published", orNull(point.published)},
                      {"ours", point.ours},
                      {"ratio", orNull(point.ratio())},
                      {"input", inputsJson(point.inputs)},
                      {"other", orNull(point.other)},
                      {"trust", trustName(point.trust().trust)}});
  }
  for (const FigureClaim& claim : figure.claims)
    claims.push_back({{"claim", claim.claim},
                      {"published", orNull(claim.published)},
                      {"ours", claim.ours},
                      {"input", inputsJson(claim.inputs)},
                      {"trust", trustName(claim.trust().trust)}});
  Json legend = trustLegend(points, claims);
  return {{"figure", figure.figure},
          {"title", figure.title},
          {"trust_labels", std::move(legend)},
          {"points", points},
          {"claims", claims},
          {"synthetic_points", figure.syntheticPoints()},
          {"notes", figure.notes},
          {"wall_seconds", figure.wall_seconds}};
}

std::string writtenNumber(const Json& value) {
  if (value.is_null()) return "-";
  const double number = value.get<double>();
  std::ostringstream text;
  text << std::setprecision(number >= 1e5 ? 12 : 5) << number;
  return text.str();
}

std::string figureTable(const Json& figure) {
  std::ostringstream text;
  text << written(figure["figure"]) << ": " << written(figure["title"]) << "\n\n";
  tableOf(figure["points"],
          {{"series", "series"},
           {"point", "point"},
           {"metric", "metric"},
           {"published", "published", writtenNumber},
           {"ours", "ours", writtenNumber},
           {"other", "other", writtenNumber},
           {"ratio", "ratio", writtenNumber},
           {"trust", "trust"},
           {"input/kind", "input"}},
          3)
      .print(text);
  text << "\n";
  tableOf(figure["claims"], {{"claim", "claim"},
                             {"published", "published", writtenNumber},
                             {"ours", "ours", writtenNumber},
                             {"trust", "trust"},
                             {"input/kind", "input"}})
      .print(text);
  for (const auto& [label, meaning] : figure["trust_labels"].items())
    text << "trust " << label << ": " << written(meaning) << "\n";
  for (const Json& note : figure["notes"]) text << "note: " << written(note) << "\n";
  return text.str();
}

Json generatedJson(const GeneratedTraces& generated) {
  Json points = Json::array(), orders = Json::array();
  for (const GeneratedPoint& point : generated.points) {
    points.push_back({{"series", point.series},
                      {"point", point.point},
                      {"cycles", point.published_trace},
                      {"mean", point.cycles.mean},
                      {"p5", point.cycles.quantiles[0]},
                      {"median", point.cycles.quantiles[1]},
                      {"p95", point.cycles.quantiles[2]},
                      {"percentile", point.percentile}});
  }
  for (const GeneratedOrder& order : generated.orders)
    orders.push_back({{"series", order.series},
                      {"faster", order.faster},
                      {"slower", order.slower},
                      {"flipped", order.flipped},
                      {"p5", order.low},
                      {"p95", order.high},
                      {"traces", order.compared}});
  return {
      {"traces", generated.traces}, {"points", points}, {"orders", orders}, {"sources", generated.sources}};
}

std::string generatedTable(const Json& generated) {
  std::ostringstream text;
  text << "The trace that was run among " << generated["traces"] << " generated ones\n\n";
  tableOf(generated["points"],
          {{"series", "series"},
           {"point", "point"},
           {"cycles", "cycles", writtenNumber},
           {"percentile", "percentile", writtenNumber},
           {"p5", "p5", writtenNumber},
           {"median", "median", writtenNumber},
           {"p95", "p95", writtenNumber}},
          2)
      .print(text);
  text << "\n";
  tableOf(generated["orders"],
          {{"series", "series"},
           {"faster", "faster there"},
           {"slower", "slower there"},
           {"flipped", "the other way round"},
           {"traces", "of traces"}},
          3)
      .print(text);
  for (const Json& source : generated["sources"]) text << "generated: " << written(source) << "\n";
  return text.str();
}

/// With what generated traces say of it, where they were run.
std::string figureText(const Json& figure) {
  std::string text = figureTable(figure);
  if (figure.contains("generated")) text += "\n" + generatedTable(figure["generated"]);
  return text;
}

/// Table, CSV and charts of one figure; `told` is its JSON.
Result<Done> writeFigure(const FigureResult& figure, const Json& told, const std::string& folder,
                         const std::stop_token& stop) {
  SLUICE_CHECK(writeInto(folder, figure.figure + ".csv", figureCsv(figure)));
  SLUICE_CHECK(writeInto(folder, figure.figure + ".txt", figureText(told)));
  return drawCharts(figure.charts, folder, stop);
}

/// Calls `job` with the request that the options make, and shows its progress.
auto runFigure(const std::string& name, const ReproduceOptions& options, Executor& executor,
               std::stop_token stop, const auto& job) {
  FigureRequest request;
  request.traces = options.traces;
  request.executor = &executor;
  request.stop = std::move(stop);
  ProgressLine progress;
  const Clock::time_point start = Clock::now();
  request.progress = [&](std::size_t done, std::size_t total) {
    const double fraction = static_cast<double>(done) / static_cast<double>(total);
    const double spent = secondsSince(start);
    progress.show(name, fraction, secondsLeft(fraction, spent));
  };
  return job(request);
}

int run(const ReproduceOptions& options, const std::stop_token& stop) {
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<Executor> executor = makeExecutor(options.threads);
  const bool all = options.figure == "all";
  const std::vector<std::string> names = all ? figureNames() : std::vector<std::string>{options.figure};
  Json figures = Json::array();
  for (const std::string& name : names) {
    Result<FigureResult> figure =
        runFigure(name, options, *executor, stop,
                  [&](const FigureRequest& request) { return reproduceFigure(name, request); });
    if (stop.stop_requested()) return ExitCancelled;
    if (!figure) return fail(figure.diagnostics(), options.json);
    figures.push_back(figureJson(*figure));
    if (options.generated > 0) {
      const auto job = [&](const FigureRequest& request) {
        return underGeneratedTraces(name, options.generated, request);
      };
      const Result<GeneratedTraces> generated = runFigure(name, options, *executor, stop, job);
      if (!generated) return fail(generated.diagnostics(), options.json);
      figures.back()["generated"] = generatedJson(*generated);
      addBands(*figure, *generated);
    }
    if (!options.out.empty()) {
      if (const Result<Done> done = writeFigure(*figure, figures.back(), options.out, stop); !done)
        return stop.stop_requested() ? static_cast<int>(ExitCancelled)
                                     : fail(done.diagnostics(), options.json);
    }
    if (!options.json) std::cout << figureText(figures.back()) << "\n";
  }
  if (options.json) {
    const double seconds = secondsSince(start);
    printJson(all ? Json{{"figure", "all"}, {"figures", figures}, {"wall_seconds", seconds}}
                  : figures.front());
  }
  return ExitDone;
}

}  // namespace

Command reproduceCommand() {
  const auto options = std::make_shared<ReproduceOptions>();
  std::string names;
  for (const std::string& name : figureNames()) names += name + ", ";
  Command command{.name = "reproduce",
                  .summary = "run a published figure's experiments; published, ours, ratio",
                  .examples = {{"reproduce fig12", "published, ours and their ratio, for synthetic traces"},
                               {"reproduce fig12 --traces traces --out figures",
                                "for the published traces, with charts"}},
                  .run = [options](Process& process) { return run(*options, process.interrupt.token()); }};
  command.add("figure", options->figure, names + "or all", {.required = true});
  command.add("--traces", options->traces, "folder with the papers' traces; default: synthetic ones");
  command.add(output_option, options->out, "folder for charts (PDF), CSV and tables");
  command.add("--generated", options->generated,
              "of fig9, fig10 and fig14: also run its designs under so many generated traces; where the "
              "paper's trace "
              "lies among them, how often the order of designs flips",
              {.type = "TRACES", .range = Range{0, 100'000}});
  command.add("--threads", options->threads, "0: one per core", {.range = Range{0, 1024}});
  command.add(jsonFlag(options->json, "one JSON object on standard output"));
  return command;
}

}  // namespace sluice::cli
