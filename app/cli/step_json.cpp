#include "app/cli/step_json.h"

#include <nlohmann/json.hpp>

#include "app/cli/report.h"

namespace sluice::cli {
namespace {

Value valueFrom(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.get<std::int64_t>();
  std::vector<Value> list;
  for (const Json& entry : value) list.push_back(valueFrom(entry));
  return list;
}

}  // namespace

Json valueJson(const Value& value) {
  if (const auto* integer = value.integer()) return *integer;
  if (const auto* boolean = value.boolean()) return *boolean;
  if (const auto* string = value.string()) return *string;
  return valuesJson(*value.list());
}

Json valuesJson(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& entry : values) list.push_back(valueJson(entry));
  return list;
}

Json stepJson(const ScheduleStep& step) {
  Json arguments = Json::object();
  for (const auto& [name, value] : step.arguments) arguments[name] = valueJson(value);
  return {{"transformation", step.transformation}, {"arguments", std::move(arguments)}};
}

Json scheduleJson(const std::vector<ScheduleStep>& schedule) {
  Json steps = Json::array();
  for (const ScheduleStep& step : schedule) steps.push_back(stepJson(step));
  return steps;
}

std::vector<ScheduleStep> scheduleFrom(const Json& steps) {
  std::vector<ScheduleStep> schedule;
  for (const Json& step : steps) {
    ScheduleStep& made = schedule.emplace_back();
    made.transformation = step.at("transformation").get<std::string>();
    for (const auto& [name, value] : step.at("arguments").items()) made.arguments[name] = valueFrom(value);
  }
  return schedule;
}

std::string stepText(const Json& step) {
  std::string told = step["transformation"];
  for (const auto& [name, value] : step["arguments"].items()) told += " " + name + "=" + writtenPlain(value);
  return told;
}

}  // namespace sluice::cli
