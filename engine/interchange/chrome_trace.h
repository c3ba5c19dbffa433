#pragma once
// A recorded run in the trace-event format of Chrome, which Perfetto opens: a track for every operator with
// what it did, a counter for every stream with its tokens. A cycle is shown as a microsecond, as the format
// has no unit of its own.

#include <string>

#include "engine/program/flat_graph.h"
#include "engine/simulator/timeline.h"

namespace sluice::inline interchange {

std::string chromeTrace(const FlatGraph& graph, const Timeline& timeline);

}  // namespace sluice::inline interchange
