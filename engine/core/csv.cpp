#include "engine/core/csv.h"

#include <charconv>
#include <cmath>

namespace sluice {
namespace {

std::string quoted(const std::string& field) {
  std::string text = "\"";
  for (char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::string csvNumber(double value) {
  if (std::isnan(value)) return "";
  char buffer[32];
  const bool whole = std::trunc(value) == value && std::abs(value) < 1e15;  // 7000000, not 7e+06
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

void CsvTable::row(const std::vector<std::string>& fields) {
  bool first = true;
  for (const std::string& field : fields) {
    if (!first) text_ += ',';
    first = false;
    const bool plain = field.find_first_of(",\"\r\n") == std::string::npos;
    text_ += plain ? field : quoted(field);
  }
  text_ += "\r\n";
}

}  // namespace sluice
