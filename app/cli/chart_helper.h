#pragma once
// Charts are drawn by the window's plot code in a process of its own, sluice-chart, so that sluice-cli needs
// no Qt.

#include <string>
#include <vector>

#include "engine/figures/figure.h"

namespace sluice::cli {

/// Writes every chart as `folder`/NAME.pdf. Where sluice-chart was not built this is a note on stderr, no
/// error.
Result<Done> drawCharts(const std::vector<FigureChart>& charts, const std::string& folder);

/// Gives sluice-chart a job and returns its exit code; it has told what is wrong on stderr. Errors: it was
/// not built, or died.
Result<int> runChartHelper(const std::string& job);

}  // namespace sluice::cli
