#pragma once
// The tables that command line and window write: explored points, occupancy of streams.

#include <optional>
#include <span>
#include <string>

#include "engine/explorer/explore.h"

namespace sluice::inline explorer {

/// A knob's value as a user reads it: the number, or the chosen text.
std::string knobText(const Knob& knob, std::int64_t value);
/// "done", "deadlocked", "infeasible", "failed", "cancelled".
std::string text(PointState state);
std::optional<PointState> pointStateOf(const std::string& text);

/// A cell of CSV; empty for what the point's level does not tell.
std::string csvMetric(const DesignPoint& point, const MetricSpec& metric);
/// One line a point: the knobs, state, every metric (empty where the run did not finish), on_frontier (0 or
/// 1), cause.
std::string pointsCsv(const Document& document, const Exploration& exploration);
/// stream, time (cycles), low, high, last: the recorded occupancy of one stream, or of all.
std::string occupancyCsv(const FlatGraph& graph, const SimulationResult& result,
                         std::optional<StreamId> stream = {});

}  // namespace sluice::inline explorer
