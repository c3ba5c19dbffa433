#include "engine/program/value.h"

namespace sluice::inline program {

std::string text(const Value& value) {
  if (const auto* integer = value.integer()) return std::to_string(*integer);
  if (const auto* boolean = value.boolean()) return *boolean ? "true" : "false";
  if (const auto* string = value.string()) return *string;
  std::string line;
  const auto& elements = *value.list();
  for (std::size_t i = 0; i < elements.size(); ++i) line += (i > 0 ? ", " : "") + text(elements[i]);
  return "[" + line + "]";
}

}  // namespace sluice::inline program
