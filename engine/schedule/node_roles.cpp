#include "engine/schedule/node_roles.h"

#include "engine/operators/registry.h"

namespace sluice::inline schedule {

ScheduleRole roleOf(const Node& node) {
  const Operator* const definition = findOperator(node.kind);
  return definition ? definition->schedule : ScheduleRole::Unknown;
}

TileRule tileRuleOf(const Node& node) {
  const Operator* const definition = findOperator(node.kind);
  const ParameterSpec* const function = definition ? definition->spec.parameter("function") : nullptr;
  if (!function) return TileRule::Whole;
  const auto given = node.parameters.find("function");
  if (given != node.parameters.end()) return operators::tileRuleOf(text(given->second));
  return function->initial ? operators::tileRuleOf(text(*function->initial)) : TileRule::Whole;
}

std::size_t operandsOf(const Node& node) {
  const Operator* const definition = findOperator(node.kind);
  return definition ? definition->spec.inputs.size() : 0;
}

bool isProduct(const Node& node) {
  const ScheduleRole role = roleOf(node);
  return (role == ScheduleRole::Apply || role == ScheduleRole::Fold) && operandsOf(node) == 2 &&
         tileRuleOf(node) == TileRule::Product;
}

bool hasTransposedWeight(const Node& node) {
  const auto transposed = node.parameters.find("weight_transposed");
  return transposed != node.parameters.end() && transposed->second == Value(true);
}

bool loadsPerReference(const Node& node) {
  return roleOf(node) == ScheduleRole::ReferenceView;
}

bool holdsTensorProgram(const Node& node) {
  const Operator* const definition = findOperator(node.kind);
  return definition && definition->holds_program;
}

}  // namespace sluice::inline schedule
