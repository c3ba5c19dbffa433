// Figures 12 and 13: experts of Qwen3-30B-A3B that share their arithmetic (STeP 5.3;
// engine/figures/README.md 4).

#include "engine/core/units.h"
#include "engine/figures/experiment.h"

namespace sluice::figures {
namespace {

struct Published {
  int regions;
  double cycles, utilization, allocated;     ///< percent, FLOPs per cycle
  std::optional<double> on_chip, bandwidth;  ///< KB of 1000 bytes, percent
};

const std::vector<Published>& staticTiles() {
  static const std::vector<Published> rows{
      {128, 790345, 6.91, 787456, 82595.84, 71.23}, {64, 715466, 13.07, 459776, 66998.27, 78.68},
      {32, 796161, 18.24, 295936, 44716.03, 70.71}, {16, 838693, 23.95, 214016, 32460.8, 67.12},
      {8, 1005255, 24.71, 173056, 24662.02, 56.0},  {4, 1888072, 14.92, 152576, 20205.57, 29.82}};
  return rows;
}

const std::vector<Published>& dynamicTiles() {
  static const std::vector<Published> rows{
      {128, 713195, 2.01, 786432, {}, {}}, {64, 709876, 3.45, 459776, {}, {}},
      {32, 754099, 5.05, 295936, {}, {}},  {16, 769760, 6.84, 214016, {}, {}},
      {8, 796623, 8.18, 173056, {}, {}},   {4, 1280864, 5.77, 152576, {}, {}}};
  return rows;
}

struct Row {
  double cycles = 0, utilization = 0, allocated = 0, on_chip = 0, bandwidth = 0;
  FigureInputs inputs;
};

/// The authors' FLOPs of an expert with `rows` rows; their SiLU term is multiplied by D as well.
double publishedFlops(const Document& document, bool dynamic) {
  const double d = 2048, f = 768;
  double rows = 0;
  for (const std::int64_t count : expertCounts(document))
    rows += static_cast<double>(
        dynamic ? count : 32 * static_cast<std::int64_t>(ceilDiv(static_cast<std::uint64_t>(count), 32)));
  return rows * (14 * d * f + f);
}

Result<std::vector<Row>> measure(bool dynamic, const FigureRequest& request) {
  Traces traces(request);
  Result<Document> document = buildWorkload("moe", "qwen_b64", {{"compute", 1024}, {"f", 48}});
  if (!document) return document.diagnostics();
  const Result<FigureInputs> inputs = traces.bindRouting(*document, "qwen_b64");
  if (!inputs) return inputs.diagnostics();
  std::vector<Experiment> experiments;
  for (const Published& row : dynamic ? dynamicTiles() : staticTiles()) {
    experiments.push_back({*document,
                           knobsOf(*document, {{"tiling", dynamic ? "dynamic" : "static"},
                                               {"tile", "32"},
                                               {"regions", std::to_string(row.regions)}}),
                           *inputs});
  }
  const Result<std::vector<Outcome>> outcomes = runAll(experiments, request);
  if (!outcomes) return outcomes.diagnostics();
  std::vector<Row> rows;
  for (const Outcome& outcome : *outcomes) {
    // The script of the dynamic base case leaves out the last Accum (engine/figures/README.md 4).
    const bool forgotten = dynamic && rows.empty();
    Row& row = rows.emplace_back();
    row.inputs = outcome.inputs;
    row.cycles = static_cast<double>(outcome.metrics.cycles);
    row.allocated = outcome.compute - (forgotten ? 1024 : 0);
    row.utilization = 100 * publishedFlops(*document, dynamic) / row.cycles / row.allocated;
    row.on_chip = outcome.active_on_chip_bytes / 1000;
    row.bandwidth = 100 * outcome.metrics.off_chip_bandwidth_utilization;
  }
  return rows;
}

FigureChart barChart(const std::string& name, const std::string& title, const std::string& y_label) {
  FigureChart chart;
  chart.name = name;
  chart.title = title;
  chart.x_label = "Number of regions";
  chart.y_label = y_label;
  chart.bars = true;
  for (const Published& row : staticTiles()) chart.categories.push_back(std::to_string(row.regions));
  return chart;
}

}  // namespace

Result<FigureResult> fig12(const FigureRequest& request) {
  FigureResult figure;
  Report report(figure);
  for (const bool dynamic : {false, true}) {
    const Result<std::vector<Row>> rows = measure(dynamic, request);
    if (!rows) return rows.diagnostics();
    const std::vector<Published>& published = dynamic ? dynamicTiles() : staticTiles();
    const std::string series = dynamic ? "dynamic" : "static32";
    std::vector<double> ours, theirs;
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const std::string regions = std::to_string(published[i].regions) + " regions";
      report.point(series, regions, "cycles", published[i].cycles, (*rows)[i].cycles, (*rows)[i].inputs);
      report.point(series, regions, "compute_utilization_percent", published[i].utilization,
                   (*rows)[i].utilization, (*rows)[i].inputs);
      report.point(series, regions, "allocated_flops_per_cycle", published[i].allocated, (*rows)[i].allocated,
                   (*rows)[i].inputs);
      ours.push_back((*rows)[i].utilization);
      theirs.push_back(published[i].utilization);
    }
    FigureChart chart = barChart("fig12_" + series, dynamic ? "Dynamic tiling" : "Static tiling, tile 32",
                                 "Compute utilization (%)");
    chart.curves.push_back(barCurve("ours", false, ours));
    chart.curves.push_back(barCurve("published", true, theirs));
    figure.charts.push_back(std::move(chart));
    const std::string tiling = dynamic ? "dynamic tiling" : "static tiling";
    report.claim("utilization gain of 32 regions, " + tiling, dynamic ? 2.51 : 2.64, ours[2] / ours[0],
                 (*rows)[0].inputs);
    report.claim("overhead of 32 regions in percent, " + tiling, dynamic ? 5.735 : 0.736,
                 100 * ((*rows)[2].cycles / (*rows)[0].cycles - 1), (*rows)[0].inputs);
  }
  return figure;
}

Result<FigureResult> fig13(const FigureRequest& request) {
  FigureResult figure;
  Report report(figure);
  const Result<std::vector<Row>> rows = measure(false, request);
  if (!rows) return rows.diagnostics();
  std::vector<double> memory, compute, published_memory, published_compute;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Published& published = staticTiles()[i];
    const Row& row = (*rows)[i];
    const std::string regions = std::to_string(published.regions) + " regions";
    report.point("static32", regions, "cycles", published.cycles, row.cycles, row.inputs);
    report.point("static32", regions, "on_chip_kilobytes", published.on_chip, row.on_chip, row.inputs);
    report.point("static32", regions, "allocated_flops_per_cycle", published.allocated, row.allocated,
                 row.inputs);
    report.point("static32", regions, "off_chip_bandwidth_utilization_percent", published.bandwidth,
                 row.bandwidth, row.inputs);
    memory.push_back(1000 * row.on_chip);
    compute.push_back(row.allocated);
    published_memory.push_back(1000 * *published.on_chip);
    published_compute.push_back(published.allocated);
  }
  report.claim("allocated compute freed at 32 regions", 0.62, 1 - compute[2] / compute[0], (*rows)[0].inputs);
  report.claim("on-chip memory freed at 32 regions", 0.46, 1 - memory[2] / memory[0], (*rows)[0].inputs);
  FigureChart chart = barChart("fig13_memory", "On-chip memory of static tiling", "On-chip memory (bytes)");
  chart.curves.push_back(barCurve("ours", false, memory));
  chart.curves.push_back(barCurve("published", true, published_memory));
  figure.charts.push_back(std::move(chart));
  chart = barChart("fig13_compute", "Compute of static tiling", "Allocated FLOPs per cycle");
  chart.curves.push_back(barCurve("ours", false, compute));
  chart.curves.push_back(barCurve("published", true, published_compute));
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace sluice::figures
