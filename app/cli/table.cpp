#include "app/cli/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/quantity_text.h"
#include "engine/core/units.h"

namespace sluice::cli {
namespace {

/// Characters, not bytes, of UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns, bool left) {
  const std::string blanks(columns - std::min(columns, width(text)), ' ');
  return left ? text + blanks : blanks + text;
}

}  // namespace

void Table::print(std::ostream& out, std::size_t most, const char* option) const {
  const std::size_t shown = most == 0 ? rows_.size() : std::min(rows_.size(), most + 1);
  std::vector<std::size_t> widths(rows_.front().size());
  for (std::size_t r = 0; r < shown; ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], width(rows_[r][c]));
  }
  for (std::size_t r = 0; r < shown; ++r) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c)
      line += (c ? "  " : "") + padded(rows_[r][c], widths[c], c < left_);
    line.erase(line.find_last_not_of(' ') + 1);
    out << "  " << line << "\n";
  }
  if (shown < rows_.size())
    out << "  ... and " << rows_.size() - shown << " more (" << option << " shows them)\n";
}

std::string counted(std::uint64_t number, const std::string& what) {
  return grouped(number) + " " + what + (number == 1 ? "" : "s");
}

std::string decimal(double number, int digits) {
  return fixedDigits(number, digits);
}

std::string bytesText(double bytes) {
  const Prefixed part = withPrefix(bytes);
  const std::string exact = grouped(static_cast<std::uint64_t>(std::llround(bytes)));
  return *part.prefix == '\0' ? exact : exact + " (" + decimal(part.value, 2) + " " + part.prefix + "B)";
}

std::string percent(double share) {
  return decimal(share * 100, 1) + " %";
}

std::string durationText(double seconds) {
  if (seconds < 1) return decimal(seconds * 1000, seconds < 0.01 ? 2 : 0) + " ms";
  if (seconds < 60) return decimal(seconds, 1) + " s";
  const auto whole = static_cast<std::uint64_t>(seconds);
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + " min " + (rest.size() < 2 ? "0" : "") + rest + " s";
}

}  // namespace sluice::cli
