#include "engine/program/document_values.h"

#include <algorithm>

#include "engine/program/fields.h"

namespace sluice::inline program {
namespace {

using Visit = std::function<void(const Value&)>;

template <class T>
void visitMember(const T& member, const Visit& visit) {
  if constexpr (std::is_same_v<T, Value>) {
    visit(member);
  } else if constexpr (std::is_same_v<T, std::optional<Value>>) {
    if (member) visit(*member);
  } else if constexpr (std::is_same_v<T, Values>) {
    for (const auto& [name, value] : member) visit(value);
  } else if constexpr (std::is_same_v<T, Endpoint>) {
    visitMember(member.index, visit);
  }
}

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
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = written->begin(); at != written->end();) {
    const auto start = std::find_if(at, written->end(), in_name);
    at = std::find_if_not(start, written->end(), in_name);
    if (start != at) names.emplace(start, at);
  }
}

}  // namespace sluice::inline program
