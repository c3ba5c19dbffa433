#pragma once
// Where one trace lies among the others, in words.

#include <cstdint>
#include <string>

#include "engine/distributions/point_samples.h"

namespace sluice::inline distributions {

/// "1st", "62nd", "1,013th".
std::string ordinal(std::uint64_t number);
/// "the 62nd percentile of 1,536"; empty where the trace was not evaluated.
std::string percentileText(const PointSamples& samples, const MetricSpec& metric, std::size_t trace);

}  // namespace sluice::inline distributions
