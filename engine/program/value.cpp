#include "engine/program/value.h"

namespace sluice::inline program {

std::string text(const Value& value) {
  if (const auto* integer = value.integer()) return std::to_string(*integer);
  if (const auto* boolean = value.boolean()) return *boolean ? "true" : "false";
  if (const auto* string = value.string()) return *string;
  std::string line = "[";
  for (const Value& element : *value.list()) line += (line.size() > 1 ? ", " : "") + text(element);
  return line + "]";
}

}  // namespace sluice::inline program
