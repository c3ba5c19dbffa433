#pragma once
// Finds on the canvas where a diagnostic is: the node of an operator, port or parameter, a stream, or what a
// path into the file leads to.

#include <optional>
#include <string>

#include "engine/core/location.h"
#include "engine/program/document.h"

namespace sluice::ui {

struct Place {
  std::string node, stream;  ///< path or id; one of the two is set
  bool operator==(const Place&) const = default;
};

std::optional<Place> resolvePlace(const Document& document, const Location& place);

}  // namespace sluice::ui
