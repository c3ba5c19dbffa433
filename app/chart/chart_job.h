#pragma once
// What sluice-chart is asked to do: charts as sluice-cli writes them (app/cli/chart_helper.cpp), and the
// folder for their files.

#include <string>
#include <string_view>
#include <vector>

#include "engine/figures/figure.h"

namespace sluice {

struct ChartJob {
  std::string folder;
  std::vector<FigureChart> charts;
};

/// Errors: what is no such JSON; names that are no names of files.
Result<ChartJob> readChartJob(std::string_view json);

}  // namespace sluice
