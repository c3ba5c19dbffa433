#include "engine/program/operator_spec.h"

#include <algorithm>

#include "engine/program/spelling.h"

namespace sluice::inline program {

std::string helpWithRange(const ParameterSpec& spec) {
  const bool number = spec.kind == ParameterKind::Integer || spec.kind == ParameterKind::IntegerList;
  if (!number || spec.range.maximum == Range().maximum) return spec.help;
  return (spec.help.empty() ? "" : spec.help + "; ") + text(spec.range);
}

const ParameterSpec* OperatorSpec::parameter(const std::string& name) const {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Catalog::Catalog(std::vector<const OperatorSpec*> specs) : specs_(std::move(specs)) {}

const OperatorSpec* Catalog::find(const std::string& kind) const {
  const auto found =
      std::find_if(specs_.begin(), specs_.end(), [&](const auto* spec) { return spec->kind == kind; });
  return found == specs_.end() ? nullptr : *found;
}

std::vector<std::string> Catalog::closest(const std::string& kind) const {
  std::vector<std::string> kinds;
  for (const OperatorSpec* spec : specs_) kinds.push_back(spec->kind);
  return closestSpellings(kind, kinds);
}

}  // namespace sluice::inline program
