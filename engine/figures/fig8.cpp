// Figure 8: the simulator against register-transfer simulation of one SwiGLU layer (STeP 4.5;
// engine/figures/README.md 2), token tiles m and intermediate tiles n.

#include <cmath>

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::figures {
namespace {

struct Row {
  int m, n;
  double rtl_cycles, cycles, traffic, on_chip;
};
constexpr Row rows[] = {{16, 16, 36512, 33288, 8454144, 100352},  {16, 32, 30725, 29400, 7405568, 151552},
                        {16, 64, 28804, 27501, 6881280, 253952},  {16, 128, 27355, 26990, 6619136, 458752},
                        {16, 256, 26495, 27502, 6488064, 868352}, {32, 16, 22576, 21223, 5308416, 151552},
                        {32, 32, 17922, 17097, 4259840, 204800},  {32, 64, 16249, 15287, 3735552, 311296},
                        {32, 128, 15014, 14766, 3473408, 524288}, {32, 256, 13881, 15291, 3342336, 950272},
                        {64, 16, 16523, 15217, 3735552, 253952},  {64, 32, 11617, 11186, 2686976, 311296},
                        {64, 64, 9700, 9538, 2162688, 425984},    {64, 128, 9396, 9275, 1900544, 655360},
                        {64, 256, 8805, 11061, 1769472, 1114112}};

}  // namespace

Result<FigureResult> fig8(const FigureRequest& request) {
  const Result<Document> document = buildWorkload("swiglu");
  if (!document) return document.diagnostics();
  std::vector<Experiment> experiments;
  for (const Row& row : rows) {
    experiments.push_back({*document, knobsOf(*document, {{"tile_m", std::to_string(row.m)},
                                                          {"tile_n", std::to_string(row.n)}})});
  }
  const Result<std::vector<Outcome>> outcomes = runAll(experiments, request);
  if (!outcomes) return outcomes.diagnostics();
  FigureResult figure;
  figure.notes = {"the register-transfer side is as published; it is not simulated here"};
  Report report(figure);
  std::vector<double> ours, rtl;
  FigureChart cycles{"fig8_cycles",
                     "SwiGLU 64 × 256 × 512, tiles m × n",
                     "RTL cycles",
                     "Simulated cycles",
                     true,
                     true,
                     false,
                     {},
                     {}};
  cycles.identity_line = true;
  double gap = 0;
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const Row& row = rows[i];
    const Metrics& metrics = (*outcomes)[i].metrics;
    const std::string tile = "m " + std::to_string(row.m) + ", n " + std::to_string(row.n);
    const std::string series = "tile m " + std::to_string(row.m);
    report.point(series, tile, "cycles", row.cycles, static_cast<double>(metrics.cycles));
    report.point(series, tile, "off_chip_bytes", row.traffic, static_cast<double>(metrics.off_chip_bytes));
    report.point(series, tile, "on_chip_bytes", row.on_chip, static_cast<double>(metrics.on_chip_bytes));
    ours.push_back(static_cast<double>(metrics.cycles));
    rtl.push_back(row.rtl_cycles);
    gap += std::abs(ours.back() - row.rtl_cycles) / row.rtl_cycles / static_cast<double>(std::size(rows));
    if (i == 0 || rows[i - 1].m != row.m) {
      const std::string name = "m = " + std::to_string(row.m);
      cycles.curves.push_back({name, {}, {}, {}, false});
      cycles.curves.push_back({name + ", published", {}, {}, {}, true});
    }
    FigureChart::Curve* curves = &cycles.curves.back() - 1;
    curves[0].labels.push_back((curves[0].labels.empty() ? "n = " : "") + std::to_string(row.n));
    curves[1].labels.emplace_back();  // it stands beside ours
    for (int side : {0, 1}) {
      curves[side].x.push_back(row.rtl_cycles);
      curves[side].y.push_back(side == 0 ? ours.back() : row.cycles);
    }
  }
  report.claim("correlation of simulated with RTL cycles", 0.99, correlation(ours, rtl));
  report.claim("mean distance to the RTL cycles", 0.061, gap);
  figure.charts.push_back(std::move(cycles));
  return figure;
}

}  // namespace sluice::figures
