#include "engine/distributions/percentile_text.h"

#include <cmath>

#include "engine/core/quantity_text.h"

namespace sluice::inline distributions {

std::string ordinal(std::uint64_t number) {
  const std::uint64_t last = number % 10, two = number % 100;
  const char* const end = two >= 11 && two <= 13 ? "th"
                          : last == 1            ? "st"
                          : last == 2            ? "nd"
                          : last == 3            ? "rd"
                                                 : "th";
  return grouped(number) + end;
}

std::string percentileText(const PointSamples& samples, const MetricSpec& metric, std::size_t trace) {
  const double percentile = 100 * percentileOf(samples, metric, trace);
  if (std::isnan(percentile)) return "";
  return "the " + ordinal(static_cast<std::uint64_t>(std::llround(percentile))) + " percentile of " +
         grouped(samples.evaluated());
}

}  // namespace sluice::inline distributions
