#pragma once
// Which FIFOs of a run are worth a line: the fullest.

#include "engine/explorer/evaluate.h"
#include "widgets/plots/occupancy_plot.h"

namespace sluice::ui {

inline constexpr std::size_t most_traces = 4;

/// How full the FIFO was on average, 0..1.
double meanFill(const OccupancySeries& series, std::uint64_t depth, Cycles end);
/// The fullest streams of a run, at most `most_traces`; of all, or of those that are called `stream` (a name
/// or an origin).
std::vector<OccupancyTrace> fullestTraces(const PointResult& point, const std::string& stream = {});

}  // namespace sluice::ui
