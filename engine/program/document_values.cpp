#include "engine/program/document_values.h"

#include <algorithm>

#include "engine/program/number_ranges.h"

namespace sluice {
namespace {

using Visit = std::function<void(const Value&)>;

void visitAll(const std::map<std::string, Value>& values, const Visit& visit) {
  for (const auto& [name, value] : values) visit(value);
}

void visitAll(const Graph& graph, const Visit& visit) {
  for (const Node& node : graph.nodes) {
    visitAll(node.parameters, visit);
    if (!node.body) continue;
    visit(node.body->count);
    visitAll(node.body->widths, visit);
    visitAll(node.body->body, visit);
  }
  for (const Stream& stream : graph.streams) {
    for (const auto* value : {&stream.depth, &stream.from.index, &stream.to.index})
      if (*value) visit(**value);
  }
}

}  // namespace

void forEachValue(const Document& document, const Visit& visit) {
  visitAll(document.constants, visit);
  visitAll(document.program, visit);
  for (const ScheduleStep& step : document.schedule) visitAll(step.arguments, visit);
  for (const MachineNumber& number : machineNumbers()) visit(document.machine.*number.written);
  visitAll(document.machine.hbm_timing, visit);
}

void addNames(const Value& value, std::set<std::string>& names) {
  if (const auto* list = value.list()) {
    for (const Value& element : *list) addNames(element, names);
  }
  const auto* written = value.string();
  if (!written) return;
  const auto inName = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = written->begin(); at != written->end();) {
    const auto start = std::find_if(at, written->end(), inName);
    at = std::find_if_not(start, written->end(), inName);
    if (start != at) names.emplace(start, at);
  }
}

}  // namespace sluice
