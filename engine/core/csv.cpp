#include "engine/core/csv.h"

#include <charconv>
#include <cmath>
#include <utility>

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

Result<std::vector<std::vector<std::string>>> parseCsv(std::string_view text, const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  bool quoted = false, in_row = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!std::exchange(in_row, true)) rows.push_back({""});
    std::string& field = rows.back().back();
    if (c == '"' && quoted && text.substr(at + 1).starts_with('"')) {
      field += text[++at];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (quoted || (c != ',' && c != '\r' && c != '\n')) {
      field += c;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      in_row = false;
    }
  }
  if (quoted) {
    return error("csv-syntax", name, "a quote is not closed", "close it; a quote in a field is two");
  }
  return rows;
}

}  // namespace sluice
