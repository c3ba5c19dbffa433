#pragma once
// Finds on the canvas what a diagnostic calls its place: "operator 'expert[3].gate', port 'in'", "stream
// 'a.out -> b.in'",
// "$.program.nodes[3].parameters.rank".

#include <optional>
#include <string>

#include "engine/program/document.h"

namespace sluice::ui {

struct Place {
  std::string node, stream;  ///< path or origin; one of the two is set
  bool operator==(const Place&) const = default;
};

std::optional<Place> resolvePlace(const Document& document, const std::string& place);

}  // namespace sluice::ui
