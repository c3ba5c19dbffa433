#include "engine/core/quantity_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace sluice {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> unit_words = {
    {{"", ""},
     {"%", "%"},
     {"B", "bytes"},
     {"byte", "bytes"},
     {"bytes", "bytes"},
     {"cycle", "cycles"},
     {"cycles", "cycles"},
     {"FLOP", "FLOPs"},
     {"FLOPs", "FLOPs"},
     {"FLOP/byte", "FLOPs/byte"},
     {"FLOPs/byte", "FLOPs/byte"},
     {"s", "s"},
     {"J", "J"},
     {"J/output", "J/output"},
     {"J s", "J s"},
     {"W", "W"},
     {"mm2", "mm2"}}};
constexpr std::string_view large = "kMGTP", small = "munpfa";
constexpr std::array<std::string_view, 5> divided = {"s", "J", "J/output", "J s", "W"};  ///< into thousandths

std::optional<std::string_view> unitOf(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  for (const auto& [written, unit] : unit_words)
    if (written == word) return unit;
  return std::nullopt;
}

std::string rounded(double number, std::chars_format format, int digits) {
  std::array<char, 512> buffer;  // the largest double has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, digits).ptr;
  return {buffer.data(), end};
}

/// With plain spaces between words, and none around it or between digits.
std::string plain(std::string_view text) {
  constexpr std::string_view narrow = "\u202f", fixed = "\u00a0", micro = "\u00b5";
  std::string result;
  while (!text.empty()) {
    if (text.starts_with(narrow)) {
      text.remove_prefix(narrow.size());
    } else if (text.starts_with(fixed)) {
      result += ' ';
      text.remove_prefix(fixed.size());
    } else if (text.starts_with(micro)) {
      result += 'u';
      text.remove_prefix(micro.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  while (result.ends_with(' ')) result.pop_back();
  return result.substr(std::min(result.size(), result.find_first_not_of(' ')));
}

/// The factor of an SI prefix, or of one of 1024 ("Ki"), and what stands behind it.
std::optional<std::pair<double, std::string_view>> splitPrefix(std::string_view rest) {
  if (rest.empty()) return std::nullopt;
  const char letter = rest.front() == 'K' ? 'k' : rest.front();
  const bool binary = rest.size() > 1 && rest[1] == 'i';
  if (const std::size_t power = large.find(letter); power != std::string_view::npos)
    return std::pair(std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1)),
                     rest.substr(binary ? 2 : 1));
  if (const std::size_t power = small.find(letter); power != std::string_view::npos)
    return std::pair(std::pow(1000.0, -static_cast<double>(power + 1)), rest.substr(1));
  return std::nullopt;
}

}  // namespace

std::optional<TypedQuantity> parseQuantity(std::string_view text) {
  const std::string typed = plain(text);
  TypedQuantity quantity;
  const char* const end = typed.data() + typed.size();
  const auto [stop, failed] = std::from_chars(typed.data(), end, quantity.value);
  if (failed != std::errc() || !std::isfinite(quantity.value)) return std::nullopt;
  std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  std::optional<std::string_view> unit = unitOf(rest);
  if (!unit) {
    const auto prefixed = splitPrefix(rest);
    if (!prefixed) return std::nullopt;
    unit = unitOf(prefixed->second);
    // There is no half byte; nor kilo-percent, nor thousand square millimetres by "kmm2".
    if (!unit || *unit == "%" || *unit == "mm2") return std::nullopt;
    if (prefixed->first < 1 && std::ranges::find(divided, *unit) == divided.end()) return std::nullopt;
    quantity.value *= prefixed->first;
  }
  if (*unit == "%") quantity.value /= 100;
  quantity.unit = *unit;
  return std::isfinite(quantity.value) ? std::optional(quantity) : std::nullopt;
}

std::optional<double> parseQuantity(std::string_view text, std::string_view unit) {
  const std::optional<TypedQuantity> typed = parseQuantity(text);
  if (!typed) return std::nullopt;
  const bool fits = typed->unit.empty() || typed->unit == (unit.empty() ? "%" : unit);
  return fits ? std::optional(typed->value) : std::nullopt;
}

bool isDivided(std::string_view unit) {
  return std::ranges::find(divided, unit) != divided.end();
}

std::string fixedDigits(double number, int digits) {
  return rounded(number, std::chars_format::fixed, digits);
}

std::string significantDigits(double number, int digits) {
  return rounded(number, std::chars_format::general, digits);
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ' ');
  return digits;
}

Prefixed withSmallPrefix(double value) {
  constexpr const char* prefixes[] = {"a", "f", "p", "n", "\u00b5", "m", ""};
  std::size_t step = std::size(prefixes) - 1;
  if (!(std::abs(value) < 0.9995) || value == 0) return withPrefix(value);
  for (; std::abs(value) < 0.9995 && step > 0; --step) value *= 1000;
  return {value, prefixes[step]};
}

}  // namespace sluice
