#include "app/cli/set_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/cli/metric_text.h"
#include "app/cli/table.h"
#include "engine/core/csv.h"
#include "engine/distributions/expert_loads.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {
namespace {

/// Null for what JSON has no number for.
Json finite(double number) {
  return std::isfinite(number) ? Json(number) : Json();
}

Json traceJson(const WorkloadSet& set, std::size_t trace) {
  return {{"number", set.traces[trace].number}, {"name", set.traces[trace].name}};
}

/// The trace with the worst value; one that did not end before all others.
std::size_t worstTrace(const PointSamples& samples, const MetricSpec& metric) {
  std::size_t worst = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t trace = 0; trace < samples.traces(); ++trace) {
    if (!samples.state(trace)) continue;
    const double value = samples.value(trace, metric);
    const double cost = std::isnan(value) ? std::numeric_limits<double>::infinity() : metric.minimised(value);
    if (cost > most) most = cost, worst = trace;
  }
  return worst;
}

Json spreadsJson(const std::vector<LoadSpread>& spreads, const char* key) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < spreads.size(); ++i)
    rows.push_back(
        {{key, i}, {"mean", spreads[i].mean}, {"least", spreads[i].least}, {"most", spreads[i].most}});
  return rows;
}

}  // namespace

Json tracesJson(const WorkloadSet& set) {
  return {{"count", set.traces.size()},
          {"sources", set.sources},
          {"chosen", traceJson(set, set.chosen)},
          {"left_out", diagnosticsJson(set.left_out)}};
}

Json summaryJson(const WorkloadSet& set, const PointSamples& samples, const MetricSpec& metric) {
  static const std::vector<double> quantiles = {0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
  const Summary summary = summaryOf(samples, metric, quantiles);
  Json object = {{"name", metric.name},
                 {"unit", metric.unit},
                 {"values", summary.values},
                 {"mean", finite(summary.mean)},
                 {"deviation", finite(summary.deviation)},
                 {"cv", finite(summary.variation)},
                 {"min", finite(summary.minimum)}};
  for (std::size_t i = 0; i < quantiles.size(); ++i)
    object["p" + std::to_string(std::lround(100 * quantiles[i]))] = finite(summary.quantiles[i]);
  object["max"] = finite(summary.maximum);
  object["worst"] = finite(metric.smaller_is_better ? summary.maximum : summary.minimum);
  object["worst_trace"] = traceJson(set, worstTrace(samples, metric));
  object["chosen"] = finite(samples.value(set.chosen, metric));
  object["percentile"] = finite(100 * percentileOf(samples, metric, set.chosen));
  return object;
}

Json unfinishedJson(const WorkloadSet& set, const PointSamples& samples) {
  Json rows = Json::array();
  for (std::size_t trace = 0; trace < samples.traces(); ++trace) {
    const std::optional<PointState> state = samples.state(trace);
    if (!state || *state == PointState::Done) continue;
    Json row = traceJson(set, trace);
    row["state"] = text(*state);
    row["cause"] = samples.cause(trace);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::string> samplesHeader() {
  std::vector<std::string> header = {"number", "trace", "state"};
  for (const MetricSpec* metric : registeredMetrics()) header.push_back(metric->name);
  header.emplace_back("cause");
  return header;
}

void addSamples(CsvTable& table, const std::vector<std::string>& before, const WorkloadSet& set,
                const PointSamples& samples) {
  for (std::size_t trace = 0; trace < samples.traces(); ++trace) {
    if (!samples.state(trace)) continue;
    std::vector<std::string> row = before;
    row.insert(row.end(), {std::to_string(set.traces[trace].number), set.traces[trace].name,
                           text(*samples.state(trace))});
    for (const MetricSpec* metric : registeredMetrics())
      row.push_back(csvNumber(samples.value(trace, *metric)));
    row.push_back(samples.cause(trace));
    table.row(row);
  }
}

Json tokensPerExpertJson(const WorkloadSet& set) {
  const std::optional<ExpertLoads> loads = expertLoads(set);
  if (!loads) return {};
  return {{"input", loads->input},
          {"by_expert", spreadsJson(loads->by_expert, "expert")},
          {"by_rank", spreadsJson(loads->by_rank, "rank")},
          {"chosen", loads->chosen}};
}

std::string histogramText(std::vector<double> values, double chosen, const MetricSpec& metric) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return "";
  const auto [least, most] = std::ranges::minmax(values);
  if (least == most) return "";
  constexpr std::size_t bins = 16, width = 50;
  const auto bin = [least = least, most = most](double value) {
    return std::min(bins - 1, static_cast<std::size_t>((value - least) / (most - least) * bins));
  };
  std::vector<std::size_t> counts(bins);
  for (const double value : values) ++counts[bin(value)];
  const std::size_t highest = std::ranges::max(counts);
  Table table({metric.column + " from", "traces", ""}, 0);
  for (std::size_t i = 0; i < bins; ++i) {
    if (i > 1 && counts[i] == 0 && counts[i - 1] == 0) continue;  // the row before stands for it
    const double from = least + (most - least) * static_cast<double>(i) / bins;
    std::string bar((counts[i] * width + highest - 1) / highest, '#');
    bar.resize(width, ' ');
    const std::string mark = "  < the chosen trace";
    bar += std::isfinite(chosen) && bin(chosen) == i ? mark : std::string(mark.size(), ' ');
    table.row({metricText(metric, from), grouped(counts[i]), std::move(bar)});
  }
  std::ostringstream out;
  table.print(out);
  return out.str();
}

}  // namespace sluice::cli
