#pragma once
// Charts are drawn by the window's plot code in a process of its own, sluice-chart, so that sluice-cli needs
// no Qt.

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/figures/figure.h"

namespace sluice::cli {

/// The chart that a technology is assumed for where the document and the command have none.
inline constexpr std::string_view energy_chart = "energy";

/// Writes every chart as `folder`/NAME.pdf. Where sluice-chart was not built this is a note on stderr, no
/// error.
Result<Done> drawCharts(const std::vector<FigureChart>& charts, const std::string& folder,
                        const std::stop_token& stop);

/// Gives sluice-chart a job. Errors: it was not built, refused the job, died, or was ended because `stop` was
/// requested.
/// `warnings`: what it says of a picture that it has drawn.
Result<Done> runChartHelper(const std::string& job, const std::stop_token& stop, Diagnostics& warnings);

}  // namespace sluice::cli
