#include "app/chart/chart_job.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace sluice {
namespace {

using nlohmann::json;

Diagnostic refused(const Location& place, const std::string& cause) {
  return error("json-type", place, cause, "sluice-chart reads what 'sluice-cli reproduce --out' writes");
}

/// JSON has no NaN: null stands for it.
std::vector<double> numbers(const json& values) {
  std::vector<double> result;
  for (const json& value : values)
    result.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  return result;
}

FigureChart::Curve readCurve(const json& from) {
  FigureChart::Curve curve;
  from.at("name").get_to(curve.name);
  curve.x = numbers(from.at("x"));
  curve.y = numbers(from.at("y"));
  from.at("labels").get_to(curve.labels);
  from.at("published").get_to(curve.published);
  curve.low = numbers(from.value("low", json::array()));
  curve.high = numbers(from.value("high", json::array()));
  return curve;
}

FigureChart readChart(const json& from) {
  FigureChart chart;
  from.at("name").get_to(chart.name);
  from.at("title").get_to(chart.title);
  from.at("x_label").get_to(chart.x_label);
  from.at("y_label").get_to(chart.y_label);
  from.at("log_x").get_to(chart.log_x);
  from.at("log_y").get_to(chart.log_y);
  from.at("bars").get_to(chart.bars);
  from.at("categories").get_to(chart.categories);
  chart.identity_line = from.value("identity_line", false);
  for (const json& curve : from.at("curves")) chart.curves.push_back(readCurve(curve));
  return chart;
}

bool isFileName(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
}

Result<Done> checkChart(const FigureChart& chart) {
  if (!isFileName(chart.name))
    return refused("chart '" + chart.name + "'", "the name is not one that a file can have");
  for (const FigureChart::Curve& curve : chart.curves) {
    if (curve.x.size() != curve.y.size() ||
        (!curve.labels.empty() && curve.labels.size() != curve.x.size()) ||
        curve.low.size() != curve.high.size() || (!curve.low.empty() && curve.low.size() != curve.x.size()))
      return refused("chart '" + chart.name + "', curve '" + curve.name + "'",
                     std::to_string(curve.x.size()) + " values of x, " + std::to_string(curve.y.size()) +
                         " of y and " + std::to_string(curve.labels.size()) + " labels do not fit together");
  }
  return Done{};
}

}  // namespace

Result<ChartJob> readChartJob(std::string_view text) {
  ChartJob job;
  try {
    const json parsed = json::parse(text);
    parsed.at("folder").get_to(job.folder);
    for (const json& chart : parsed.at("charts")) job.charts.push_back(readChart(chart));
  } catch (const json::exception& problem) {
    return refused("standard input", std::string("it is no list of charts: ") + problem.what());
  }
  for (const FigureChart& chart : job.charts) SLUICE_CHECK(checkChart(chart));
  return job;
}

}  // namespace sluice
