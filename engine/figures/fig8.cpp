// Figure 8: the simulator against register-transfer simulation of one SwiGLU layer (STeP 4.5;
// engine/figures/README.md 2), token tiles m and intermediate tiles n.

#include <cmath>

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::inline figures {

Result<FigureResult> fig8(const FigureRequest& request) {
  const PublishedTable table = publishedTable("fig8");
  std::vector<Experiment> experiments;
  for (const PublishedRow& row : table)
    experiments.push_back(
        {"swiglu", {}, {}, {{"tile_m", row.text("tile_m")}, {"tile_n", row.text("tile_n")}}});
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  FigureResult figure;
  figure.notes = {"the register-transfer side is as published; it is not simulated here"};
  Report report(figure);
  std::vector<double> ours, rtl;
  FigureChart chart{.name = "fig8_cycles",
                    .title = "SwiGLU 64 × 256 × 512, tiles m × n",
                    .x_label = "RTL cycles",
                    .y_label = "Simulated cycles",
                    .log_x = true,
                    .log_y = true,
                    .identity_line = true};
  double gap = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::string m = table[i].text("tile_m"), n = table[i].text("tile_n");
    const Metrics& metrics = outcomes[i].metrics;
    report.points("tile m " + m, "m " + m + ", n " + n, table[i],
                  {{"cycles", static_cast<double>(metrics.cycles)},
                   {"off_chip_bytes", static_cast<double>(metrics.off_chip_bytes)},
                   {"on_chip_bytes", static_cast<double>(metrics.on_chip_bytes)}});
    ours.push_back(static_cast<double>(metrics.cycles));
    rtl.push_back(table[i].number("rtl_cycles"));
    gap += std::abs(ours.back() - rtl.back()) / rtl.back() / static_cast<double>(table.size());
    if (i == 0 || table[i - 1].text("tile_m") != m) {
      chart.curves.push_back({"m = " + m, {}, {}, {}, false});
      chart.curves.push_back({"m = " + m + ", published", {}, {}, {}, true});
    }
    FigureChart::Curve* curves = &chart.curves.back() - 1;
    curves[0].labels.push_back((curves[0].labels.empty() ? "n = " : "") + n);
    curves[1].labels.emplace_back();  // it stands beside ours
    for (int side : {0, 1}) {
      curves[side].x.push_back(rtl.back());
      curves[side].y.push_back(side == 0 ? ours.back() : table[i].number("cycles"));
    }
  }
  report.publishedClaim("fig8", "correlation of simulated with RTL cycles", correlation(ours, rtl));
  report.publishedClaim("fig8", "mean distance to the RTL cycles", gap);
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace sluice::inline figures
