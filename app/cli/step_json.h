#pragma once
// Steps of schedules, as JSON and as text, wherever sluice-cli prints them.

#include <vector>

#include "app/cli/json.h"
#include "engine/program/document.h"

namespace sluice::cli {

Json valueJson(const Value& value);
Json valuesJson(const std::vector<Value>& values);
/// {"transformation": ..., "arguments": {...}}
Json stepJson(const ScheduleStep& step);
Json scheduleJson(const std::vector<ScheduleStep>& schedule);
/// What scheduleJson() wrote, of another process.
std::vector<ScheduleStep> scheduleFrom(const Json& steps);

/// "tile input=x region=expert", of such an object.
std::string stepText(const Json& step);

}  // namespace sluice::cli
