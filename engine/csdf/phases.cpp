// Lists of rates and execution times by phase.

#include "engine/csdf/phases.h"

#include <algorithm>
#include <charconv>

#include "engine/csdf/graph.h"

namespace sluice::inline csdf {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

Diagnostic noNumber(std::string_view text, const Location& place) {
  return error("not-a-number", place, std::string(text.substr(0, 40)).append(" is no number of a phase"),
               "write numbers that are not negative, with commas between them, as 3,5 or 4*1");
}

/// Times 10^decimals.
Result<std::int64_t> numberOf(std::string_view text, int decimals, const Location& place) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  std::string_view behind = point == std::string_view::npos ? "" : text.substr(point + 1);
  while (behind.ends_with('0')) behind.remove_suffix(1);
  if (static_cast<int>(behind.size()) > decimals) return noNumber(text, place);
  digits += behind;
  digits.append(static_cast<std::size_t>(decimals) - behind.size(), '0');
  if (text.empty() || point == 0 || digits.find_first_not_of("0123456789") != std::string::npos)
    return noNumber(text, place);
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (fault != std::errc() || number > most_csdf_number)
    return error("out-of-range", place,
                 std::string(text.substr(0, 40)) + " is larger than " + std::to_string(most_csdf_number),
                 "divide the numbers by what they have in common");
  return number;
}

Result<Done> addPhases(std::string_view text, int decimals, const Location& place,
                       std::vector<std::int64_t>& into) {
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    const std::size_t times = part.find('*');
    std::int64_t count = 1;
    if (times != std::string_view::npos) {
      SLUICE_TRY(count, numberOf(trimmed(part.substr(0, times)), 0, place));
    }
    SLUICE_TRY(
        const std::int64_t number,
        numberOf(times == std::string_view::npos ? part : trimmed(part.substr(times + 1)), decimals, place));
    if (count > static_cast<std::int64_t>(most_csdf_phases - into.size()))
      return error("too-many", place, "there are more than " + std::to_string(most_csdf_phases) + " phases",
                   "give fewer phases");
    into.insert(into.end(), static_cast<std::size_t>(count), number);
    if (comma == std::string_view::npos) return Done{};
    text.remove_prefix(comma + 1);
  }
}

std::string written(std::int64_t number, std::int64_t per_unit) {
  std::string text = std::to_string(number / per_unit);
  std::int64_t rest = number % per_unit;
  if (rest != 0) text += '.';
  for (; rest != 0; rest = rest % per_unit) {
    rest *= 10;
    text += std::to_string(rest / per_unit);
  }
  return text;
}

void append(std::string& text, const std::vector<std::int64_t>& numbers, std::int64_t per_unit) {
  for (auto at = numbers.begin(); at != numbers.end();) {
    const auto other = std::find_if(at, numbers.end(), [&](std::int64_t number) { return number != *at; });
    if (at != numbers.begin()) text += ',';
    if (const auto count = other - at; count > 1) text += std::to_string(count) + "*";
    text += written(*at, per_unit);
    at = other;
  }
}

}  // namespace

Result<Phases> readPhases(std::string_view text, int decimals, const Location& place) {
  Phases phases;
  if (const std::size_t end = text.find(';'); end != std::string_view::npos) {
    if (!trimmed(text.substr(0, end)).empty())
      SLUICE_CHECK(addPhases(text.substr(0, end), decimals, place, phases.initial));
    text.remove_prefix(end + 1);
  }
  SLUICE_CHECK(addPhases(text, decimals, place, phases.repeated));
  if (phases.repeated.empty()) return noNumber(text, place);
  return phases;
}

int decimalsOf(std::string_view text) {
  std::size_t most = 0;
  for (std::size_t point = text.find('.'); point != std::string_view::npos;
       point = text.find('.', point + 1)) {
    std::size_t end = text.find_first_not_of("0123456789", point + 1);
    end = std::min(end, text.size());
    while (end > point + 1 && text[end - 1] == '0') --end;
    most = std::max(most, end - point - 1);
  }
  return static_cast<int>(std::min<std::size_t>(most, 9));
}

std::string writePhases(const Phases& phases, std::int64_t per_unit) {
  std::string text;
  append(text, phases.initial, per_unit);
  if (!phases.initial.empty()) text += ';';
  append(text, phases.repeated, per_unit);
  return text;
}

}  // namespace sluice::inline csdf
