#pragma once
// A document with the numbers of a fit. Private to calibration.

#include <vector>

#include "engine/measurements/calibration.h"

namespace sluice::inline measurements {

/// Parallel: parameters and the numbers of the point.
void setNumbers(const std::vector<FitParameter>& parameters, const WholePoint& point, Document& document,
                KnobValues& knobs);

}  // namespace sluice::inline measurements
