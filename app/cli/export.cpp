// sluice-cli export: one view of a program, or a figure that was composed in the window, as a file for a
// paper, drawn by sluice-chart with the window's own views.

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/chart_helper.h"
#include "app/cli/command.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/program/spelling.h"

namespace sluice::cli {
namespace {

using nlohmann::json;

struct ExportOptions : FileOptions {
  std::string chart = "pareto", format, width = "3.33in", out, stream, figure, designs, by = "operator",
              metric = "cycles";
  std::string x = defaultObjectives()[0], y = defaultObjectives()[1];
  std::int64_t text = 8;
  bool log_x = false, log_y = false, scheduled = false;
};

/// "3.33in", "85mm", "8.5cm", "240pt" in points, a 72nd of an inch.
std::optional<int> points(const std::string& length) {
  std::size_t end = 0;
  double value = 0;
  try {
    value = std::stod(length, &end);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const std::string unit = length.substr(end);
  const double scale = unit == "in"   ? 72
                       : unit == "cm" ? 72 / 2.54
                       : unit == "mm" ? 7.2 / 2.54
                       : unit == "pt" ? 1
                                      : 0;
  const double made = std::round(value * scale);
  return made >= 36 && made <= 5000 ? std::optional(static_cast<int>(made)) : std::nullopt;
}

std::string isLength(const std::string& text) {
  return points(text) ? "" : "'" + text + "' is no width such as 3.33in, 85mm or 240pt";
}

/// The figure's own width, or why there is no such figure.
Result<int> figureWidth(const ExportOptions& options, const Document& document) {
  if (options.figure.empty() && !options.designs.empty())
    return error("conflicting-options", Location(Where::Option, "--designs " + options.designs),
                 "only panels of figures show designs", "name a figure with --figure");
  if (options.figure.empty()) return *points(options.width);
  const ExportOptions usual;
  if (options.chart != usual.chart || options.width != usual.width || options.text != usual.text)
    return error("conflicting-options", Location(Where::Option, "--figure " + options.figure),
                 "a figure has views, a width and a text size of its own",
                 "leave out --chart, --width and --text");
  if (const Figure* figure = findFigure(document, options.figure)) return static_cast<int>(figure->width);
  std::vector<std::string> names;
  for (const Figure& each : document.figures) names.push_back(each.name);
  return error("unknown-name", Location(Where::Figure, options.figure), "the program has no such figure",
               spellingFix(options.figure, names, "compose it in the window: File, Compose Figure"));
}

/// What boxes and distributions show has to be known of a run.
Result<Done> checkMetric(const ExportOptions& options, const Workload& workload) {
  const bool shown = options.figure.empty() && (options.chart == "distribution" || options.chart == "boxes");
  const MetricSpec* const metric = shown ? findMetricTyped(options.metric) : nullptr;
  if (metric && metric->priced && !workload.technology) return missingTechnology(metric->name);
  return Done{};
}

json inputsJson(const ExportOptions& options) {
  json inputs = json::object();
  for (const auto& [name, file] : inputFiles(options)) inputs[name] = file.string();
  return inputs;
}

int runExport(ExportOptions options, const std::stop_token& stop) {
  if (options.chart == energy_chart) options.usual_technology = "7nm";
  // Mistakes in the file or the options are reported as by every other command.
  const Result<OpenedSet> opened = openSet(options);
  if (!opened) return fail(opened.diagnostics(), options.json);
  const Document& document = opened->set.workload->document;
  const Result<int> width = figureWidth(options, document);
  if (!width) return fail(width.diagnostics(), options.json);
  if (const Result<Done> known = checkMetric(options, *opened->set.workload); !known)
    return fail(known.diagnostics(), options.json);
  if (const Result<Done> other = refuseInput(options.out, {options.file}); !other)
    return fail(other.diagnostics(), options.json);
  const std::filesystem::path out = options.out;
  std::string format = options.format;
  if (format.empty()) format = out.extension().string().substr(out.has_extension() ? 1 : 0);
  const json job = {
      {"file", std::filesystem::absolute(options.file).string()},
      {"chart", options.chart},
      {"figure", options.figure},
      {"designs", options.designs.empty() ? "" : std::filesystem::absolute(options.designs).string()},
      {"format", format},
      {"out", std::filesystem::absolute(out).string()},
      {"x", options.x},
      {"y", options.y},
      {"stream", options.stream},
      {"by", options.by},
      {"metric", options.metric},
      {"technology", document.machine.technology},
      {"clock_mhz", options.clock_mhz},
      {"width", *width},
      {"text", options.text},
      {"log_x", options.log_x},
      {"log_y", options.log_y},
      {"scheduled", options.scheduled},
      {"knobs", opened->knobs},
      {"inputs", inputsJson(options)}};
  tellLeftOut(opened->set.left_out);
  Diagnostics warnings;
  const Result<Done> drawn = runChartHelper(json{{"export", job}}.dump(), stop, warnings);
  if (!drawn && stop.stop_requested()) return ExitCancelled;
  if (!drawn) return fail(drawn.diagnostics(), options.json);
  std::cerr << shown(warnings);
  wrote(options.out);
  if (options.json) {
    warnings.insert(warnings.end(), opened->set.left_out.begin(), opened->set.left_out.end());
    const bool figure = !options.figure.empty();
    printJson({{"file", options.file},
               {figure ? "figure" : "chart", figure ? options.figure : options.chart},
               {"format", format},
               {"output", options.out},
               {"width_points", *width},
               {"diagnostics", diagnosticsJson(warnings)}});
  }
  return ExitDone;
}

}  // namespace

Command exportCommand() {
  const auto options = std::make_shared<ExportOptions>();
  Command command{
      .name = "export",
      .summary = "draw one view of a program, or a figure that it has, as a file for a paper",
      .examples =
          {{"export sample_workloads/simple_moe.sluice --chart pareto --out pareto.pdf",
            "a chart for one column"},
           {"export sample_workloads/moe_mixtral.sluice --input routing=set:zipf,count=50,skew=0.4 --chart "
            "distribution --out cycles.svg",
            "where the chosen trace lies among 50"},
           {"export sample_workloads/moe_three_ways.sluice --chart graph --scheduled --width 7in --out "
            "graph.svg",
            "the graph that is simulated, after the schedule"}},
      .options = with(pointOptions(*options), technologyOptions(*options)),
      .run = [options](Process& process) { return runExport(*options, process.interrupt.token()); }};
  command.add("--chart", options->chart,
              "pareto, parallel, sensitivity (explore first), fifo, energy, timeline or graph; over a set of "
              "traces also distribution, boxes (explore first) or experts",
              {.choices = {"pareto", "parallel", "sensitivity", "fifo", "energy", "timeline", "graph",
                           "distribution", "boxes", "experts"}});
  command.add("--metric", options->metric, "distribution and boxes: the metric that is drawn");
  command.add("--by", options->by, "energy: a bar for each operator or region",
              {.choices = {"operator", "region"}});
  command.add("--figure", options->figure, "a figure of the program, as composed in the window",
              {.type = "NAME"});
  command.add("--designs", options->designs,
              "the result store with the designs that panels of the figure show, as 'design --store' or Find "
              "Designs has written it",
              {.type = "STORE"});
  command.add("--format", options->format, "pdf, svg, png, pgf or csv; else by the name of the file",
              {.choices = {"pdf", "svg", "png", "pgf", "csv"}});
  command.add("--width", options->width, "on paper: 3.33in is one column, 7in two",
              {.type = "LENGTH", .form = "LENGTH", .wrong = isLength});
  command.add("--text", options->text, "size of the text in points", {.range = Range{4, 48}});
  command.add(output_option, options->out, "the file to write", {.type = "FILE", .required = true});
  command.add("--x", options->x, "pareto: metric or knob of the horizontal axis");
  command.add("--y", options->y, "pareto: metric or knob of the vertical axis");
  command.add("--log-x", options->log_x, "pareto: logarithmic horizontal axis");
  command.add("--log-y", options->log_y, "pareto: logarithmic vertical axis");
  command.add("--scheduled", options->scheduled,
              "graph, and graphs in a figure: the program after its schedule, which is what is simulated");
  command.add("--stream", options->stream,
              "fifo: one stream instead of the fullest four; timeline: rows whose name holds this");
  return command;
}

}  // namespace sluice::cli
