// Figures 12 and 13: experts of Qwen3-30B-A3B that share their arithmetic (STeP 5.3;
// engine/figures/README.md 4).

#include "engine/core/units.h"
#include "engine/figures/experiment.h"

namespace sluice::inline figures {
namespace {

/// The authors' FLOPs of the experts; their SiLU term is multiplied by D as well.
double publishedFlops(const std::vector<std::int64_t>& expert_tokens, bool dynamic) {
  const double d = 2048, f = 768;
  double rows = 0;
  for (const std::int64_t count : expert_tokens)
    rows += static_cast<double>(
        dynamic ? count : 32 * static_cast<std::int64_t>(ceilDiv(static_cast<std::uint64_t>(count), 32)));
  return rows * (14 * d * f + f);
}

double measured(const std::string& metric, const Outcome& outcome, const PublishedRow& row) {
  const bool dynamic = row.text("tiling") == "dynamic";
  const auto cycles = static_cast<double>(outcome.metrics.cycles);
  // The script of the dynamic base case leaves out the last Accum (engine/figures/README.md 4).
  const double allocated = outcome.compute - (dynamic && row.text("regions") == "128" ? 1024 : 0);
  if (metric == "cycles") return cycles;
  if (metric == "allocated_flops_per_cycle") return allocated;
  if (metric == "compute_utilization_percent")
    return 100 * publishedFlops(outcome.expert_tokens, dynamic) / cycles / allocated;
  if (metric == "on_chip_kilobytes") return outcome.active_on_chip_bytes / 1000;
  return 100 * outcome.metrics.off_chip_bandwidth_utilization;
}

Result<FigureResult> study(const std::string& name, const std::vector<std::string>& metrics,
                           const FigureRequest& request) {
  const PublishedTable table = publishedTable(name);
  std::vector<Experiment> experiments;
  for (const PublishedRow& row : table) {
    experiments.push_back(
        {"moe",
         "qwen_b64",
         {{"compute", 1024}, {"f", 48}},
         {{"tiling", row.text("tiling")}, {"tile", "32"}, {"regions", row.text("regions")}}});
  }
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  FigureResult figure;
  Report report(figure);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const PublishedRow& row = table[i];
    for (const std::string& metric : metrics) {
      report.point(row.text("tiling") == "dynamic" ? "dynamic" : "static32", row.text("regions") + " regions",
                   metric, row.value(metric), measured(metric, outcomes[i], row), outcomes[i].inputs);
    }
  }
  report.claimsOfPoints(name);
  return figure;
}

void addChart(FigureResult& figure, const std::string& name, const std::string& title,
              const std::string& y_label, const Bars& bars) {
  FigureChart chart{
      .name = name, .title = title, .x_label = "Number of regions", .y_label = y_label, .bars = true};
  for (const FigurePoint& point : figure.points)
    if (point.series == bars.series && point.metric == bars.metric)
      chart.categories.push_back(point.point.substr(0, point.point.find(' ')));
  addBars(chart, figure, {bars});
  figure.charts.push_back(std::move(chart));
}

}  // namespace

Result<FigureResult> fig12(const FigureRequest& request) {
  const std::string utilization = "compute_utilization_percent";
  Result<FigureResult> figure = study("fig12", {"cycles", utilization, "allocated_flops_per_cycle"}, request);
  if (!figure) return figure;
  const std::string label = "Compute utilization (%)";
  addChart(*figure, "fig12_static32", "Static tiling, tile 32", label, {"", "static32", utilization});
  addChart(*figure, "fig12_dynamic", "Dynamic tiling", label, {"", "dynamic", utilization});
  return figure;
}

Result<FigureResult> fig13(const FigureRequest& request) {
  Result<FigureResult> figure = study(
      "fig13",
      {"cycles", "on_chip_kilobytes", "allocated_flops_per_cycle", "off_chip_bandwidth_utilization_percent"},
      request);
  if (!figure) return figure;
  addChart(*figure, "fig13_memory", "On-chip memory of static tiling", "On-chip memory (bytes)",
           {"", "static32", "on_chip_kilobytes", 1000});
  const std::vector<double>& bytes = figure->charts.front().curves.front().y;
  Report(*figure).publishedClaim("fig13", "on-chip memory freed at 32 regions", 1 - bytes[2] / bytes[0],
                                 figure->points.front().inputs);
  addChart(*figure, "fig13_compute", "Compute of static tiling", "Allocated FLOPs per cycle",
           {"", "static32", "allocated_flops_per_cycle"});
  return figure;
}

}  // namespace sluice::inline figures
