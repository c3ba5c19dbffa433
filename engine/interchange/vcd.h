#pragma once
// A recorded run as a value change dump (IEEE 1364), for GTKWave and Surfer. Regions are scopes; an operator
// is a scope with its state in three bits (the codes are in a comment) and a wire for each; a stream is a
// scope with its number of tokens and the wires full and empty.

#include <string>
#include <vector>

#include "engine/program/flat_graph.h"
#include "engine/simulator/timeline.h"

namespace sluice::inline interchange {

/// What operators and streams are called in a dump of the graph: their scopes with dots between, parallel to
/// the graph.
struct DumpScopes {
  std::vector<std::string> operators, streams;
};
DumpScopes dumpScopes(const FlatGraph& graph);

std::string valueChangeDump(const FlatGraph& graph, const Timeline& timeline);

}  // namespace sluice::inline interchange
