#pragma once
// Numbers with units as people type them: "50 MB", "4 KiB", "2e6 cycles", "1.5 ms", "40 %". Whatever asks for
// a number with a unit reads it here: the command line, searches, filters.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/units.h"

namespace sluice {

struct TypedQuantity {
  double value = 0;       ///< without prefix: 5e7 of "50 MB", 0.4 of "40 %"
  std::string unit = {};  ///< "bytes", "cycles", "FLOPs", "FLOPs/byte", "s", "J", "W", "mm2", "%"; empty
                          ///< where none was typed
};
/// Nothing where it is no finite number, or its unit is not known. Spaces that group digits may stay.
std::optional<TypedQuantity> parseQuantity(std::string_view text);
/// The value of a quantity that is counted in `unit`, as MetricSpec has it: nothing where the text has
/// another one. Percent are for what has no unit.
std::optional<double> parseQuantity(std::string_view text, std::string_view unit);

/// Whether people count the unit in thousandths, too: mJ, but no millibytes.
bool isDivided(std::string_view unit);
/// Rounded for people, ties to the even digit and with a point in every locale: what prints a number, on the
/// command line as in the window, rounds it here. "0.12" of 0.125 with two digits behind the point.
std::string fixedDigits(double number, int digits);
/// "1.234e+04" of 12345 with four digits; without trailing zeros.
std::string significantDigits(double number, int digits);
/// "1 234 567".
std::string grouped(std::uint64_t number);
/// As withPrefix(), and smaller than one: 3.3 and "\u00b5" of 3.3e-6.
Prefixed withSmallPrefix(double value);

}  // namespace sluice
