#include "engine/core/json_extent.h"

namespace sluice {

std::optional<std::string> tooMuchJson(std::string_view text) {
  std::size_t depth = 0, values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    const bool opens = c == '[' || c == '{';
    if (opens && ++depth > deepest_json) return "it is nested deeper than " + std::to_string(deepest_json);
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if ((opens || c == ',') && ++values > most_json_values)
      return "it holds more than " + std::to_string(most_json_values) + " values";
  }
  return std::nullopt;
}

bool beginsAsJson(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] == '{';
}

}  // namespace sluice
