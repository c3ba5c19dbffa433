#pragma once
// The lists of numbers of SDF3's files, one for each phase: "3,5", "0,0,18*32" (a number repeated), and
// "1;3,1" (phases that happen once, before the others).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline csdf {

struct Phases {
  std::vector<std::int64_t> initial, repeated;
  bool operator==(const Phases&) const = default;
};

/// Numbers times 10^decimals, of which they may have that many. Errors at `place`: "not-a-number",
/// "out-of-range", "too-many".
Result<Phases> readPhases(std::string_view text, int decimals, const Location& place);
/// The most digits behind a decimal point that a number of the list has.
int decimalsOf(std::string_view text);
std::string writePhases(const Phases& phases, std::int64_t per_unit = 1);

}  // namespace sluice::inline csdf
