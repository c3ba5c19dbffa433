#include "engine/explorer/tables.h"

#include <algorithm>

#include "engine/core/csv.h"
#include "engine/core/enum_names.h"

namespace sluice::inline explorer {
namespace {

constexpr EnumName<PointState> state_names[] = {{PointState::Done, "done"},
                                                {PointState::Deadlocked, "deadlocked"},
                                                {PointState::Infeasible, "infeasible"},
                                                {PointState::Failed, "failed"},
                                                {PointState::Cancelled, "cancelled"}};

void addSeries(CsvTable& table, const std::string& name, const OccupancySeries& series) {
  for (const OccupancySeries::Sample& sample : series.samples) {
    table.row({name, std::to_string(sample.time), std::to_string(sample.low), std::to_string(sample.high),
               std::to_string(sample.last)});
  }
}

}  // namespace

std::string knobText(const Knob& knob, std::int64_t value) {
  const bool chosen =
      knob.kind == KnobKind::Choice && value >= 0 && static_cast<std::size_t>(value) < knob.choices.size();
  return chosen ? knob.choices[static_cast<std::size_t>(value)] : std::to_string(value);
}

std::string text(PointState state) {
  return nameIn(state_names, state);
}

std::optional<PointState> pointStateOf(const std::string& name) {
  return valueIn(state_names, name);
}

std::string csvMetric(const DesignPoint& point, const MetricSpec& metric) {
  const std::optional<MetricValue> value = exactMetric(point, metric);
  if (!value) return "";
  const std::uint64_t* count = std::get_if<std::uint64_t>(&*value);
  return count ? std::to_string(*count) : csvNumber(std::get<double>(*value));
}

std::string pointsCsv(const Document& document, const Exploration& exploration) {
  std::vector<std::string> header;
  for (const Knob& knob : document.knobs) header.push_back(knob.name);
  header.insert(header.end(), {"state", "level"});
  const auto metrics = metricsWith(std::ranges::any_of(exploration.points, isPriced, &DesignPoint::metrics));
  for (const MetricSpec* metric : metrics) header.push_back(metric->name);
  header.insert(header.end(), {"on_frontier", "cause"});
  CsvTable table(header);
  for (std::size_t i = 0; i < exploration.points.size(); ++i) {
    const DesignPoint& point = exploration.points[i];
    std::vector<std::string> row;
    for (const Knob& knob : document.knobs) row.push_back(knobText(knob, point.knobs.at(knob.name)));
    row.insert(row.end(), {text(point.state), text(point.fidelity)});
    for (const MetricSpec* metric : metrics) row.push_back(csvMetric(point, *metric));
    const auto& frontier = exploration.frontier;
    row.push_back(std::find(frontier.begin(), frontier.end(), i) != frontier.end() ? "1" : "0");
    row.push_back(point.cause);
    table.row(row);
  }
  return table.text();
}

std::string occupancyCsv(const FlatGraph& graph, const SimulationResult& result,
                         std::optional<StreamId> stream) {
  CsvTable table({"stream", "time", "low", "high", "last"});
  for (std::size_t s = 0; s < result.occupancy.size(); ++s) {
    if (!stream || *stream == s) addSeries(table, graph.streams[s].name, result.occupancy[s]);
  }
  return table.text();
}

}  // namespace sluice::inline explorer
