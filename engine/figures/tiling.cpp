// Figures 9, 10, 19 and 20: static tiles of every size against dynamic tiling, on Mixtral 8x7B and
// Qwen3-30B-A3B (STeP 5.2, B.4; engine/figures/README.md 3). Dynamic tiling runs with 6400 FLOPs per cycle
// and operator, static with 4096, as in the authors' scripts.

#include <limits>
#include <span>

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::inline figures {
namespace {

/// Of one model: for each tile what the figure has over memory, then memory; dynamic tiles last.
using Points = std::span<const FigurePoint>;

FigureChart chartOf(const std::string& figure, Points points, const std::string& batch) {
  const std::string& series = points.front().series;
  FigureChart chart{
      .name = figure + "_" + series,
      .title = std::string(series == "mixtral" ? "Mixtral 8×7B" : "Qwen3-30B-A3B") + ", batch " + batch,
      .x_label = "On-chip memory (bytes)",
      .y_label = points.front().metric == "cycles" ? "Cycles" : "Off-chip traffic (bytes)",
      .log_x = true,
      .log_y = true};
  chart.curves = {{"static", {}, {}, {}, false},
                  {"dynamic", {}, {}, {}, false},
                  {"static, published", {}, {}, {}, true},
                  {"dynamic, published", {}, {}, {}, true}};
  const auto add = [](FigureChart::Curve& curve, double x, double y, const std::string& label) {
    curve.x.push_back(x);
    curve.y.push_back(y);
    curve.labels.push_back(label);
  };
  for (std::size_t i = 0; i < points.size(); i += 2) {
    const FigurePoint &value = points[i], &memory = points[i + 1];
    const bool dynamic = value.point == "dynamic";
    const std::string tile = dynamic ? "" : i == 0 ? value.point : value.point.substr(5);  // "tile 8", "16"
    add(chart.curves[dynamic ? 1 : 0], memory.ours, value.ours, tile);
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    add(chart.curves[dynamic ? 3 : 2], memory.published.value_or(nothing), value.published.value_or(nothing),
        "");  // it stands beside ours
  }
  return chart;
}

double improvement(Points points) {
  std::vector<double> frontier;
  for (const FigurePoint& point : points.first(points.size() - 2)) frontier.push_back(point.ours);
  return paretoImprovementDistance(points[points.size() - 2].ours, points.back().ours, frontier);
}

Result<FigureResult> study(const std::string& name, const std::string& metric, const FigureRequest& request) {
  const PublishedTable table = publishedTable(name);
  std::vector<Experiment> experiments;
  for (const PublishedRow& row : table) experiments.push_back(tilingExperiment(row));
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  FigureResult figure;
  Report report(figure);
  std::vector<std::size_t> ends;  // of the models' points
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string &model = table[i].text("model"), &tile = table[i].text("tile");
    const Outcome& outcome = outcomes[i];
    const Metrics& metrics = outcome.metrics;
    const bool dynamic = tile == "dynamic";
    // The paper counts all experts for static tiles, the active ones for dynamic (README.md 3).
    report.points(
        model.substr(0, model.find('_')), dynamic ? tile : "tile " + tile, table[i],
        {{metric, static_cast<double>(metric == "cycles" ? metrics.cycles : metrics.off_chip_bytes)},
         {"on_chip_bytes",
          dynamic ? outcome.active_on_chip_bytes : static_cast<double>(metrics.on_chip_bytes)}},
        outcome.inputs);
    if (dynamic) ends.push_back(figure.points.size());
  }
  report.claimsOfPoints(name);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const Points points = std::span(figure.points).subspan(begin, end - begin);
    const std::string model = experiments[begin / 2].model;
    figure.charts.push_back(chartOf(name, points, model.substr(model.find("_b") + 2)));
    if (metric == "cycles") {
      report.publishedClaim(name,
                            std::string(begin == 0 ? "Mixtral" : "Qwen") + ": Pareto improvement distance",
                            improvement(points), points.back().inputs);
    }
    begin = end;
  }
  return figure;
}

}  // namespace

Experiment tilingExperiment(const PublishedRow& row) {
  const std::string& tile = row.text("tile");
  if (tile == "dynamic") return {"moe", row.text("model"), {{"compute", 6400}}, {{"tiling", "dynamic"}}};
  return {"moe", row.text("model"), {{"compute", 4096}}, {{"tiling", "static"}, {"tile", tile}}};
}

Result<FigureResult> fig9(const FigureRequest& request) {
  return study("fig9", "cycles", request);
}

Result<FigureResult> fig10(const FigureRequest& request) {
  return study("fig10", "cycles", request);
}

Result<FigureResult> fig19(const FigureRequest& request) {
  return study("fig19", "off_chip_bytes", request);
}

Result<FigureResult> fig20(const FigureRequest& request) {
  return study("fig20", "off_chip_bytes", request);
}

}  // namespace sluice::inline figures
