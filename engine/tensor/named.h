#pragma once
// Lists whose members have names that a file refers to.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::inline tensor {

template <class Named>
std::vector<std::string> namesOf(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

template <class Named>
std::optional<std::size_t> positionOf(const std::vector<Named>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
}

}  // namespace sluice::inline tensor
