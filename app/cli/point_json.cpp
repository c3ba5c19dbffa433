#include "app/cli/point_json.h"

#include <nlohmann/json.hpp>

#include "engine/explorer/deadlock_cause.h"
#include "engine/explorer/tables.h"

namespace sluice::cli {

Json knobJson(const Knob& knob, std::int64_t value) {
  return knob.kind == KnobKind::Choice ? Json(knobText(knob, value)) : Json(value);
}

Json knobsJson(const Document& document, const KnobValues& values) {
  Json knobs = Json::object();
  for (const Knob& knob : document.knobs) knobs[knob.name] = knobJson(knob, values.at(knob.name));
  return knobs;
}

Json pointJson(const Document& document, const DesignPoint& point) {
  Json metrics = Json::object();
  for (const MetricSpec* metric : registeredMetrics()) {
    if (const auto value = exactMetric(point, *metric))
      metrics[metric->name] = std::visit([](auto number) { return Json(number); }, *value);
  }
  if (point.peak_fifo_tokens) metrics["peak_fifo_tokens"] = *point.peak_fifo_tokens;
  Json object = {{"knobs", knobsJson(document, point.knobs)},
                 {"state", text(point.state)},
                 {"level", text(point.fidelity)},
                 {"cause", point.cause},
                 {"metrics", std::move(metrics)},
                 {"wall_seconds", point.wall_seconds}};
  if (point.deadlock) object["deadlock"] = toJson(*point.deadlock);
  if (!point.failed_at.empty()) object["failed_at"] = point.failed_at;
  return object;
}

}  // namespace sluice::cli
