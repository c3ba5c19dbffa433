// Figures 14, 15 and 21: attention of Qwen3-30B-A3B over caches of different lengths, requests spread over
// four regions in three ways (STeP 5.4, B.5; engine/figures/README.md 5).

#include "engine/explorer/statistics.h"
#include "engine/figures/experiment.h"

namespace sluice::inline figures {
namespace {

double cyclesOf(const Outcome& outcome) {
  return static_cast<double>(outcome.metrics.cycles);
}

}  // namespace

Experiment attentionExperiment(std::int64_t batch, std::int64_t start, const std::string& method,
                               const Sizes& sizes) {
  return {.workload = "attention",
          .model = "qwen_b" + std::to_string(batch),
          .sizes = sizes,
          .knobs = {{"method", method}},
          .batch = static_cast<std::size_t>(batch),
          .start = static_cast<std::size_t>(start)};
}

Result<FigureResult> fig14(const FigureRequest& request) {
  const PublishedTable table = publishedTable("fig14");
  std::vector<Experiment> experiments;
  for (const PublishedRow& row : table)
    for (const char* method : {"interleaved", "dynamic"})
      experiments.push_back(attentionExperiment(64, row.integer("start"), method));
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  FigureResult figure;
  Report report(figure);
  FigureChart chart{.name = "fig14",
                    .title = "Dynamic parallelization, batch 64",
                    .x_label = "Variance of the key-value lengths, first request of the trace",
                    .y_label = "Speed-up over interleaved",
                    .bars = true};
  auto outcome = outcomes.begin();
  for (const PublishedRow& row : table) {
    const double interleaved = cyclesOf(*outcome++), dynamic = cyclesOf(*outcome);
    const std::string &variance = row.text("variance"), &start = row.text("start");
    report.points(variance, "start " + start, row,
                  {{"interleaved_cycles", interleaved},
                   {"dynamic_cycles", dynamic},
                   {"speed_up", interleaved / dynamic}},
                  (outcome++)->inputs);
    chart.categories.push_back(variance + " " + start);
  }
  report.claimsOfPoints("fig14");
  addBars(chart, figure, {{"", "", "speed_up"}});
  figure.charts.push_back(std::move(chart));
  return figure;
}

Result<FigureResult> fig15(const FigureRequest& request) {
  const PublishedTable table = publishedTable("fig15");
  std::vector<Experiment> experiments;
  for (const PublishedRow& row : table)
    for (const char* method : {"coarse", "dynamic"})
      experiments.push_back(attentionExperiment(64, 4007, method, {{"B", row.integer("batch")}}));
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  FigureResult figure;
  Report report(figure);
  FigureChart chart{.name = "fig15",
                    .title = "Static coarse against dynamic",
                    .x_label = "Batch",
                    .y_label = "Cycles",
                    .bars = true};
  auto outcome = outcomes.begin();
  for (const PublishedRow& row : table) {
    const std::string& batch = row.text("batch");
    for (const char* method : {"coarse", "dynamic"}) {
      report.point(method, "batch " + batch, "cycles", row.value(method), cyclesOf(*outcome),
                   outcome->inputs);
      ++outcome;
    }
    chart.categories.push_back(batch);
  }
  report.claimsOfPoints("fig15");
  addBars(chart, figure, {{"coarse", "coarse", "cycles"}, {"dynamic", "dynamic", "cycles"}});
  figure.charts.push_back(std::move(chart));
  return figure;
}

Result<FigureResult> fig21(const FigureRequest& request) {
  const PublishedTable table = publishedTable("fig21");
  std::vector<Experiment> experiments;
  for (const PublishedRow& row : table)
    for (const std::int64_t start : row.integers("starts"))
      for (const char* method : {"coarse", "interleaved", "dynamic"})
        experiments.push_back(attentionExperiment(row.integer("batch"), start, method));
  SLUICE_TRY(const std::vector<Outcome> outcomes, runAll(experiments, request));
  FigureResult figure;
  Report report(figure);
  FigureChart chart{.name = "fig21",
                    .title = "Cycles over dynamic parallelization",
                    .x_label = "Batch and variance of the key-value lengths",
                    .y_label = "Cycles, dynamic = 1",
                    .bars = true};
  auto outcome = outcomes.begin();
  for (const PublishedRow& row : table) {
    std::vector<double> coarse, interleaved;
    FigureInputs inputs;
    for (std::size_t trace = 0; trace < row.integers("starts").size(); ++trace, outcome += 3) {
      coarse.push_back(cyclesOf(outcome[0]) / cyclesOf(outcome[2]));
      interleaved.push_back(cyclesOf(outcome[1]) / cyclesOf(outcome[2]));
      inputs.add(outcome[2].inputs);
    }
    const std::string &batch = row.text("batch"), &variance = row.text("variance");
    report.points("batch " + batch, variance, row,
                  {{"coarse_over_dynamic", geometricMean(coarse)},
                   {"interleaved_over_dynamic", geometricMean(interleaved)}},
                  inputs);
    chart.categories.push_back(batch + " " + variance);
  }
  report.claimsOfPoints("fig21");
  addBars(chart, figure,
          {{"coarse", "", "coarse_over_dynamic"}, {"interleaved", "", "interleaved_over_dynamic"}});
  figure.charts.push_back(std::move(chart));
  return figure;
}

}  // namespace sluice::inline figures
