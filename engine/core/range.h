#pragma once
// Range: what a whole number may be, both ends included.

#include <cstdint>
#include <limits>
#include <string>

namespace sluice {

struct Range {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();

  constexpr Range(std::int64_t least = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max())
      : minimum(least), maximum(most) {}

  constexpr bool contains(std::int64_t number) const { return number >= minimum && number <= maximum; }
  bool operator==(const Range&) const = default;
};

/// "1 to 65536", or "1 or more" without an upper end.
inline std::string text(const Range& range) {
  const std::string least = std::to_string(range.minimum);
  const bool open = range.maximum == std::numeric_limits<std::int64_t>::max();
  return open ? least + " or more" : least + " to " + std::to_string(range.maximum);
}

}  // namespace sluice
