#pragma once
// A synchronous or cyclo-static dataflow graph as a timed program of DataflowActors, one for each actor: in
// the long run an iteration takes as many cycles as its exact period has time units.

#include <string>

#include "engine/csdf/graph.h"
#include "engine/program/document.h"

namespace sluice::inline interchange {

struct CsdfProgram {
  Document document;  ///< its knob `iterations` says how many are run
  Diagnostics notes;  ///< what cannot be as in the graph
};

/// Of a graph that is consistent. A channel that only serialises an actor becomes its parameter; others
/// become streams with room for all their tokens, as what bounds them is a channel back; tokens that always
/// travel together are one there. Times are in cycles of 1 / times_per_unit. Errors, at the file:
/// "wrong-format" of a graph that is not consistent, "too-many" where even a few iterations have too many
/// tokens.
Result<CsdfProgram> csdfProgram(const CsdfGraph& graph, const std::string& file);

}  // namespace sluice::inline interchange
