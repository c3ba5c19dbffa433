#pragma once
// Text for a terminal: names, titles and arguments come from files and command lines, and what they hold must
// not move the cursor, set colours or run anything. Header only: also programs without the engine print.

#include <string>
#include <string_view>

namespace sluice {

/// `text` with every control character but line feed and tab written out: ESC becomes `\x1b`. Also those that
/// UTF-8 writes in two bytes (U+0080 to U+009F).
inline std::string printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool in_two = byte == 0xc2 && next >= 0x80 && next <= 0x9f;
    const bool in_one = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    if (!in_one && !in_two) {
      shown += text[i];
      continue;
    }
    for (const char each : std::string_view(text).substr(i, in_two ? 2 : 1)) {
      const auto code = static_cast<unsigned char>(each);
      shown += {'\\', 'x', digits[code >> 4], digits[code & 15]};
    }
    if (in_two) ++i;
  }
  return shown;
}

/// The same of a name, which stays on its line: a line feed is `\x0a`, a tab `\x09`.
inline std::string printableName(std::string_view name) {
  std::string shown;
  for (const char each : printable(name))
    shown += each == '\n' ? "\\x0a" : each == '\t' ? "\\x09" : std::string(1, each);
  return shown;
}

}  // namespace sluice
