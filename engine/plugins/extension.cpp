#include "engine/plugins/extension.h"

#include <algorithm>

#include "engine/explorer/metrics/registry.h"
#include "engine/importers/registry.h"
#include "engine/operators/registry.h"
#include "engine/plugins/rules.h"

namespace sluice::inline plugins {
namespace {

std::string nameOf(const Operator& op) {
  return op.spec.kind;
}

std::string nameOf(const Transformation& transformation) {
  return transformation.spec.name;
}

std::string nameOf(const MetricSpec& metric) {
  return metric.name;
}

std::string nameOf(const Importer& importer) {
  return importer.name;
}

template <class Named>
std::string nameOf(const Named& strategy) {
  return strategy.name ? strategy.name : "";
}

template <class Entry>
const auto& entry(const Entry& each) {
  if constexpr (std::is_pointer_v<Entry>)
    return *each;
  else
    return each;
}

/// `what`: "operator".
template <class Entry>
Diagnostics add(Registry<Entry>& registry, const std::vector<Entry>& more, const std::string& what,
                const Location& place) {
  Diagnostics wrong;
  for (const Entry& each : more) {
    const std::string name = nameOf(entry(each));
    const Location where = place / Location(what + " '" + name + "'");
    for (const std::string& rule : brokenRules(entry(each)))
      wrong.push_back(error("plugin-rule", where, rule, "correct the plug-in (engine/plugins/README.md)"));
    if (std::ranges::any_of(registry.soFar(),
                            [&](const Entry& other) { return nameOf(entry(other)) == name; }))
      wrong.push_back(error("name-taken", where, "the name is taken", "give it another name"));
    if (!wrong.empty()) return wrong;
    registry.add(each);
  }
  return wrong;
}

}  // namespace

Result<Done> extend(const Extension& extension, const Location& place) {
  Diagnostics wrong = add(operatorRegistry(), extension.operators, "operator", place);
  if (wrong.empty())
    wrong = add(transformationRegistry(), extension.transformations, "transformation", place);
  if (wrong.empty()) wrong = add(strategyRegistry(), extension.strategies, "search strategy", place);
  if (wrong.empty())
    wrong = add(depthStrategyRegistry(), extension.depth_strategies, "depth strategy", place);
  if (wrong.empty()) wrong = add(metricRegistry(), extension.metrics, "metric", place);
  if (wrong.empty()) wrong = add(importerRegistry(), extension.importers, "importer", place);
  if (!wrong.empty()) return wrong;
  return Done{};
}

}  // namespace sluice::inline plugins
