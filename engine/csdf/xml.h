#pragma once
// XML as a tree of elements with their lines, for formats that are small. Bounded: no document type and thus
// no entities of its own, a limit on depth and on the number of elements and attributes.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline csdf {

constexpr std::size_t deepest_xml = 100;
constexpr std::size_t most_xml_parts = 4'000'000;  ///< elements and attributes

struct XmlElement {
  std::string name;
  std::int64_t line = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  /// Null if there is none.
  const std::string* attribute(std::string_view name) const;
};

/// The root. Errors: "text-syntax", "too-many", "wrong-format" for a document type; all with a line.
Result<XmlElement> readXml(std::string_view bytes, const std::string& file);
/// With what has a meaning in XML escaped, for the value of an attribute; other control characters are left
/// out.
std::string xmlEscaped(std::string_view text);

}  // namespace sluice::inline csdf
