#include "engine/program/document_values.h"

#include <algorithm>

#include "engine/program/fields.h"

namespace sluice {
namespace {

using Visit = std::function<void(const Value&)>;

void visitMember(const Value& value, const Visit& visit) {
  visit(value);
}
void visitMember(const std::optional<Value>& value, const Visit& visit) {
  if (value) visit(*value);
}
void visitMember(const Values& values, const Visit& visit) {
  for (const auto& [name, value] : values) visit(value);
}
void visitMember(const Endpoint& end, const Visit& visit) {
  visitMember(end.index, visit);
}
/// What holds no value.
void visitMember(const auto&, const Visit&) {}

template <class Struct>
void visitFields(const Struct& of, const Visit& visit) {
  for (const Field<Struct>& field : fields<Struct>())
    field.visitMember([&](auto member) { visitMember(of.*member, visit); });
}

void visitGraph(const Graph& graph, const Visit& visit) {
  for (const Node& node : graph.nodes) {
    visitFields(node, visit);
    if (!node.body) continue;
    visitFields(*node.body, visit);
    visitGraph(node.body->body, visit);
  }
  for (const Stream& stream : graph.streams) visitFields(stream, visit);
}

}  // namespace

void forEachValue(const Document& document, const Visit& visit) {
  visitMember(document.constants, visit);
  visitGraph(document.program, visit);
  for (const ScheduleStep& step : document.schedule) visitFields(step, visit);
  visitFields(document.machine, visit);
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
