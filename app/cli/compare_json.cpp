#include "app/cli/compare_json.h"

#include <span>

#include "app/cli/report.h"

namespace sluice::cli {
namespace {

Json valueJson(const ComparedValue& value) {
  return {{"a", orNull(value.a)}, {"b", orNull(value.b)}, {"change", orNull(value.change())}};
}

/// The first rows of a list.
template <class Row>
std::span<const Row> firstOf(const std::vector<Row>& rows, std::size_t top) {
  return {rows.data(), top > 0 && top < rows.size() ? top : rows.size()};
}

}  // namespace

Json comparisonJson(const Comparison& comparison, std::size_t top) {
  Json metrics = Json::object(), operators = Json::array(), streams = Json::array(), causes = Json::array();
  for (const ComparedMetric& metric : comparison.metrics)
    metrics[metric.metric->name] = valueJson(metric.value);
  for (const ComparedOperator& op : firstOf(comparison.operators, top)) {
    operators.push_back({{"place", op.place},
                         {"place_a", op.place_a},
                         {"kind", op.kind},
                         {"instances", {op.count_a, op.count_b}},
                         {"busy_cycles", valueJson(op.busy)},
                         {"blocked_on_input_cycles", valueJson(op.starved)},
                         {"blocked_on_output_cycles", valueJson(op.blocked)},
                         {"finished_cycle", valueJson(op.finished)}});
  }
  for (const ComparedStream& stream : firstOf(comparison.streams, top)) {
    streams.push_back({{"name", stream.name},
                       {"depth", valueJson(stream.depth)},
                       {"max_occupancy", valueJson(stream.most)},
                       {"tokens", valueJson(stream.tokens)}});
  }
  for (const ComparedCause& cause : firstOf(comparison.causes, top))
    causes.push_back({{"cause", cause.cause}, {"lost_cycles", valueJson(cause.lost)}});
  const Json left_out = {{"operators", comparison.operators.size() - operators.size()},
                         {"streams", comparison.streams.size() - streams.size()},
                         {"causes", comparison.causes.size() - causes.size()}};
  Json object = {{"metrics", std::move(metrics)}};
  object["operators"] = std::move(operators);  // an initialiser list would copy it
  object["streams"] = std::move(streams);
  object["causes"] = std::move(causes);
  object["left_out"] = left_out;
  return object;
}

}  // namespace sluice::cli
