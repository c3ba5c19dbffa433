#pragma once
// A list of names in a sentence, of which the first are told.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

/// "a, b and 4 more"; each name between `quote`s.
inline std::string namesAndMore(std::span<const std::string> names, std::size_t most,
                                std::string_view quote = {}) {
  std::string list;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    list.append(i == 0 ? "" : ", ").append(quote).append(names[i]).append(quote);
  if (names.size() > most) list += " and " + std::to_string(names.size() - most) + " more";
  return list;
}

}  // namespace sluice
