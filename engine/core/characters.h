#pragma once
// Characters of our text forms: ASCII, whatever the locale.

namespace sluice {

constexpr bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
/// Letters and the underscore.
constexpr bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace sluice
