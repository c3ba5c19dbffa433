#pragma once
// Charts of a model beside what was measured, for sluice-chart.

#include <vector>

#include "engine/figures/figure.h"
#include "engine/measurements/measured_comparison.h"

namespace sluice::cli {

/// Of one run that was recorded by operators: "cycles", by what they went to, and "errors", of the operators
/// that are furthest off. Of several runs: "runs", modelled cycles over measured ones.
std::vector<FigureChart> measuredCharts(const std::vector<MeasuredComparison>& compared);

}  // namespace sluice::cli
