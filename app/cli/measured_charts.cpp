#include "app/cli/measured_charts.h"

#include <algorithm>

namespace sluice::cli {
namespace {

constexpr std::size_t most_operators = 10;  // that a page has room for

std::string named(std::size_t activity) {
  return text(static_cast<Activity>(activity));
}

void addBar(FigureChart::Curve& curve, std::size_t category, double value) {
  curve.x.push_back(static_cast<double>(category));
  curve.y.push_back(value);
}

FigureChart cyclesChart(const ModelErrors& errors) {
  FigureChart chart{
      .name = "cycles", .title = "What cycles went to", .x_label = "", .y_label = "Cycles", .bars = true};
  FigureChart::Curve model{.name = "model", .x = {}, .y = {}, .labels = {}};
  FigureChart::Curve measured{.name = "measured", .x = {}, .y = {}, .labels = {}, .published = true};
  const auto add = [&](const std::string& name, const ModelAndMeasured& value) {
    if (!value.model || !value.measured) return;
    addBar(model, chart.categories.size(), *value.model);
    addBar(measured, chart.categories.size(), *value.measured);
    chart.categories.push_back(name);
  };
  add("the run", errors.cycles);
  for (std::size_t i = 0; i < activities; ++i) add(named(i), errors.of[i]);
  chart.curves = {std::move(model), std::move(measured)};
  return chart;
}

FigureChart errorsChart(const ModelErrors& errors) {
  FigureChart chart{.name = "errors",
                    .title = "Where the model is furthest off",
                    .x_label = "",
                    .y_label = "Model - measured (cycles)",
                    .bars = true};
  const std::size_t shown = std::min(most_operators, errors.operators.size());
  for (std::size_t row = 0; row < shown; ++row) chart.categories.push_back(errors.operators[row].place);
  const auto add = [&](const std::string& name, const auto& value_of) {
    FigureChart::Curve curve{.name = name, .x = {}, .y = {}, .labels = {}};
    for (std::size_t row = 0; row < shown; ++row)
      if (const auto difference = value_of(errors.operators[row]).difference())
        addBar(curve, row, *difference);
    if (!curve.x.empty()) chart.curves.push_back(std::move(curve));
  };
  for (std::size_t i = 0; i < activities; ++i)
    add(named(i), [i](const OperatorErrors& row) { return row.of[i]; });
  add("total", [](const OperatorErrors& row) { return row.total; });
  return chart;
}

FigureChart runsChart(const std::vector<MeasuredComparison>& compared) {
  FigureChart chart{.name = "runs",
                    .title = "Cycles of runs",
                    .x_label = "Measured (cycles)",
                    .y_label = "Model (cycles)",
                    .identity_line = true};
  FigureChart::Curve curve{.name = "runs", .x = {}, .y = {}, .labels = {}};
  for (const MeasuredComparison& each : compared) {
    const ModelAndMeasured& cycles = each.errors.cycles;
    if (!cycles.model || !cycles.measured) continue;
    curve.x.push_back(*cycles.measured);
    curve.y.push_back(*cycles.model);
  }
  chart.curves.push_back(std::move(curve));
  return chart;
}

}  // namespace

std::vector<FigureChart> measuredCharts(const std::vector<MeasuredComparison>& compared) {
  if (compared.size() > 1) return {runsChart(compared)};
  const ModelErrors& errors = compared.front().errors;
  std::vector<FigureChart> charts{cyclesChart(errors)};
  if (!errors.operators.empty()) charts.push_back(errorsChart(errors));
  return charts;
}

}  // namespace sluice::cli
