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

bool isNumber(const std::string& field) {
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data() + (field.starts_with('+') ? 1 : 0), end, value);
  return error == std::errc() && stop == end;
}

/// What makes a spreadsheet run a field, unless it is a number.
bool runsAsFormula(const std::string& field) {
  constexpr std::string_view first = "=@+-\t\r\n";
  return field.size() > 1 && first.find(field.front()) != std::string_view::npos && !isNumber(field);
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
  for (const std::string& given : fields) {
    if (!first) text_ += ',';
    first = false;
    const std::string field = (runsAsFormula(given) ? "'" : "") + given;
    const bool plain = field.find_first_of(",\"\r\n") == std::string::npos;
    text_ += plain ? field : quoted(field);
  }
  text_ += "\r\n";
}

}  // namespace sluice
