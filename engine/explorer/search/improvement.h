#pragma once
// What a point is expected to bring whose objectives are only known as independent normal distributions; all
// are to be minimised. Private to the strategies.

#include <span>

#include "engine/explorer/search/gaussian_process.h"

namespace sluice::inline explorer {

/// By how much the value is expected to be below `best`.
double expectedImprovement(const Gaussian& value, double best);
/// By how much the area that is dominated within `reference` is expected to grow: exactly, in time
/// proportional to the frontier. `front`: row-major, two objectives, no row dominated, by the first.
double expectedHypervolumeImprovement(const Gaussian& first, const Gaussian& second,
                                      std::span<const double> front, std::span<const double> reference);

}  // namespace sluice::inline explorer
