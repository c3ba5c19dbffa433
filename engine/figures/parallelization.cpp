// Figures 14, 15 and 21: attention of Qwen3-30B-A3B over caches of different lengths, requests spread over
// four regions in three ways (STeP 5.4, B.5; engine/figures/README.md 5).

#include <cmath>

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::figures {
namespace {

/// Cycles of the three methods on one trace.
struct Cycles3 {
  double coarse = 0, interleaved = 0, dynamic = 0;
  FigureInputs inputs;
};

FigureInputs inputsOf(std::span<const Cycles3> measured) {
  FigureInputs inputs;
  for (const Cycles3& one : measured) inputs.add(one.inputs);
  return inputs;
}

struct Trace {
  std::size_t batch, start;
};

Result<std::vector<Cycles3>> measure(const std::vector<Trace>& wanted,
                                     const std::vector<std::string>& methods, const FigureRequest& request) {
  Traces traces(request);
  std::vector<Experiment> experiments;
  for (const Trace& trace : wanted) {
    Result<Document> document = buildWorkload("attention", "qwen_b" + std::to_string(trace.batch));
    if (!document) return document.diagnostics();
    const Result<FigureInputs> inputs = traces.bindLengths(*document, trace.batch, trace.start);
    if (!inputs) return inputs.diagnostics();
    for (const std::string& method : methods)
      experiments.push_back({*document, knobsOf(*document, {{"method", method}}), *inputs});
  }
  const Result<std::vector<Outcome>> outcomes = runAll(experiments, request);
  if (!outcomes) return outcomes.diagnostics();
  std::vector<Cycles3> cycles(wanted.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const std::string& method = methods[i % methods.size()];
    Cycles3& target = cycles[i / methods.size()];
    target.inputs = (*outcomes)[i].inputs;
    (method == "coarse"    ? target.coarse
     : method == "dynamic" ? target.dynamic
                           : target.interleaved) = static_cast<double>((*outcomes)[i].metrics.cycles);
  }
  return cycles;
}

struct Fig14Row {
  const char* variance;
  std::size_t start;
  double speed_up, interleaved, dynamic;
};
constexpr Fig14Row fig14Rows[] = {
    {"low", 4185, 1.144637, 48789, 42624},    {"low", 2019, 1.164165, 54448, 46770},
    {"low", 271, 1.255524, 50172, 39961},     {"medium", 4007, 1.310995, 64362, 49094},
    {"medium", 3123, 1.383454, 79781, 57668}, {"medium", 733, 1.552472, 66244, 42670},
    {"high", 3239, 1.467721, 98374, 67025},   {"high", 1727, 1.559809, 107580, 68970},
    {"high", 961, 1.572296, 101498, 64554}};

struct Fig15Row {
  std::int64_t batch;
  double coarse, dynamic;
};
constexpr Fig15Row fig15Rows[] = {
    {16, 43790, 16105}, {32, 43789, 22691}, {48, 43789, 30922}, {64, 70210, 49093}};

struct Fig21Cell {
  std::size_t batch;
  const char* variance;
  std::size_t starts[3];
  double coarse, interleaved;  ///< over dynamic
};
constexpr Fig21Cell fig21Cells[] = {{16, "high", {2805, 821, 985}, 3.399071, 1.573140},
                                    {16, "medium", {3349, 3275, 3181}, 3.214198, 1.308314},
                                    {16, "low", {3799, 2477, 1063}, 3.360612, 1.091069},
                                    {64, "high", {3239, 1727, 961}, 1.161273, 1.532572},
                                    {64, "medium", {4007, 3123, 733}, 1.263983, 1.412108},
                                    {64, "low", {4185, 2019, 271}, 1.142357, 1.187142},
                                    {80, "high", {981, 3227, 815}, 1.645033, 1.561337},
                                    {80, "medium", {4687, 3989, 1891}, 1.664399, 1.447185},
                                    {80, "low", {4181, 135, 2025}, 1.506452, 1.240708}};

}  // namespace

Result<FigureResult> fig14(const FigureRequest& request) {
  FigureResult figure;
  Report report(figure);
  std::vector<Trace> wanted;
  for (const Fig14Row& row : fig14Rows) wanted.push_back({64, row.start});
  const Result<std::vector<Cycles3>> cycles = measure(wanted, {"interleaved", "dynamic"}, request);
  if (!cycles) return cycles.diagnostics();
  FigureChart chart{"fig14",
                    "Dynamic parallelization, batch 64",
                    "Variance of the key-value lengths, first request of the trace",
                    "Speed-up over interleaved",
                    false,
                    false,
                    true,
                    {},
                    {}};
  std::vector<double> ours, published;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Fig14Row& row = fig14Rows[i];
    const Cycles3& mine = (*cycles)[i];
    const std::string point = "start " + std::to_string(row.start);
    report.point(row.variance, point, "interleaved_cycles", row.interleaved, mine.interleaved, mine.inputs);
    report.point(row.variance, point, "dynamic_cycles", row.dynamic, mine.dynamic, mine.inputs);
    report.point(row.variance, point, "speed_up", row.speed_up, mine.interleaved / mine.dynamic, mine.inputs);
    chart.categories.push_back(std::string(row.variance) + " " + std::to_string(row.start));
    ours.push_back(mine.interleaved / mine.dynamic);
    published.push_back(row.speed_up);
  }
  const auto claimRange = [&](const char* variance, std::size_t begin, double least, double greatest) {
    const auto from = ours.begin() + static_cast<std::ptrdiff_t>(begin);
    const FigureInputs inputs = inputsOf(std::span(*cycles).subspan(begin, 3));
    const std::string where = std::string(" speed-up at ") + variance + " variance";
    report.claim("least" + where, least, *std::min_element(from, from + 3), inputs);
    report.claim("greatest" + where, greatest, *std::max_element(from, from + 3), inputs);
  };
  claimRange("low", 0, 1.14, 1.26);
  claimRange("high", 6, 1.47, 1.57);
  chart.curves = {barCurve("ours", false, ours), barCurve("published", true, published)};
  figure.charts.push_back(std::move(chart));
  return figure;
}

Result<FigureResult> fig15(const FigureRequest& request) {
  FigureResult figure;
  Report report(figure);
  Traces traces(request);
  std::vector<Experiment> experiments;
  for (const Fig15Row& row : fig15Rows) {
    Result<Document> document = buildWorkload("attention", "qwen_b64", {{"B", row.batch}});
    if (!document) return document.diagnostics();
    const Result<FigureInputs> inputs = traces.bindLengths(*document, 64, 4007);
    if (!inputs) return inputs.diagnostics();
    for (const char* method : {"coarse", "dynamic"})
      experiments.push_back({*document, knobsOf(*document, {{"method", method}}), *inputs});
  }
  const Result<std::vector<Outcome>> outcomes = runAll(experiments, request);
  if (!outcomes) return outcomes.diagnostics();
  FigureChart chart{"fig15", "Static coarse against dynamic", "Batch", "Cycles", false, false, true, {}, {}};
  std::vector<double> coarse, dynamic, published_coarse, published_dynamic;
  for (std::size_t i = 0; i < std::size(fig15Rows); ++i) {
    const Fig15Row& row = fig15Rows[i];
    const std::string batch = "batch " + std::to_string(row.batch);
    coarse.push_back(static_cast<double>((*outcomes)[2 * i].metrics.cycles));
    dynamic.push_back(static_cast<double>((*outcomes)[2 * i + 1].metrics.cycles));
    published_coarse.push_back(row.coarse);
    published_dynamic.push_back(row.dynamic);
    report.point("coarse", batch, "cycles", row.coarse, coarse.back(), (*outcomes)[2 * i].inputs);
    report.point("dynamic", batch, "cycles", row.dynamic, dynamic.back(), (*outcomes)[2 * i].inputs);
    chart.categories.push_back(std::to_string(row.batch));
  }
  report.claim("dynamic over coarse at batch 16, speed-up", 2.72, coarse[0] / dynamic[0],
               outcomes->front().inputs);
  report.claim("dynamic over coarse at batch 64, speed-up", 1.43, coarse[3] / dynamic[3],
               outcomes->front().inputs);
  chart.curves = {barCurve("coarse", false, coarse), barCurve("dynamic", false, dynamic),
                  barCurve("coarse, published", true, published_coarse),
                  barCurve("dynamic, published", true, published_dynamic)};
  figure.charts.push_back(std::move(chart));
  return figure;
}

Result<FigureResult> fig21(const FigureRequest& request) {
  FigureResult figure;
  Report report(figure);
  std::vector<Trace> wanted;
  for (const Fig21Cell& cell : fig21Cells)
    for (const std::size_t start : cell.starts) wanted.push_back({cell.batch, start});
  const Result<std::vector<Cycles3>> cycles = measure(wanted, {"coarse", "interleaved", "dynamic"}, request);
  if (!cycles) return cycles.diagnostics();
  FigureChart chart{"fig21",
                    "Cycles over dynamic parallelization",
                    "Batch and variance of the key-value lengths",
                    "Cycles, dynamic = 1",
                    false,
                    false,
                    true,
                    {},
                    {}};
  std::vector<double> coarse, interleaved, published_coarse, published_interleaved;
  for (std::size_t c = 0; c < std::size(fig21Cells); ++c) {
    const Fig21Cell& cell = fig21Cells[c];
    std::vector<double> by_coarse, by_interleaved;
    for (std::size_t i = 3 * c; i < 3 * c + 3; ++i) {
      by_coarse.push_back((*cycles)[i].coarse / (*cycles)[i].dynamic);
      by_interleaved.push_back((*cycles)[i].interleaved / (*cycles)[i].dynamic);
    }
    coarse.push_back(geometricMean(by_coarse));
    interleaved.push_back(geometricMean(by_interleaved));
    published_coarse.push_back(cell.coarse);
    published_interleaved.push_back(cell.interleaved);
    const std::string series = "batch " + std::to_string(cell.batch);
    const FigureInputs inputs = inputsOf(std::span(*cycles).subspan(3 * c, 3));
    report.point(series, cell.variance, "coarse_over_dynamic", cell.coarse, coarse.back(), inputs);
    report.point(series, cell.variance, "interleaved_over_dynamic", cell.interleaved, interleaved.back(),
                 inputs);
    chart.categories.push_back(std::to_string(cell.batch) + " " + cell.variance);
  }
  report.claim("geometric mean of the speed-ups over interleaved", 1.36, geometricMean(interleaved),
               inputsOf(*cycles));
  report.claim("geometric mean of the speed-ups over coarse", 1.85, geometricMean(coarse), inputsOf(*cycles));
  chart.curves = {barCurve("coarse", false, coarse), barCurve("interleaved", false, interleaved),
                  barCurve("coarse, published", true, published_coarse),
                  barCurve("interleaved, published", true, published_interleaved)};
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace sluice::figures
