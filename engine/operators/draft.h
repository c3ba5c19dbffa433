#pragma once
// Drafts: what can be said of a program that is still being written. Types follow from the sources as far as
// everything before them is connected; so an editor can tell whether a stream fits before it is joined.

#include <optional>
#include <vector>

#include "engine/operators/stream_type.h"
#include "engine/program/document.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline operators {

struct Draft {
  FlatGraph graph;                                 ///< open ports are `open_port`
  std::vector<std::optional<StreamType>> streams;  ///< parallel to graph.streams; absent: not known yet
  Diagnostics problems;  ///< of what is connected already; open ports are no problem
};

/// Fails where nothing can be elaborated.
Result<Draft> typeDraft(const Document& document, const KnobValues& knobs, const InputSet& inputs);

/// The first problem that `after` has and `before` has not; open ports are no problem in either.
std::optional<Diagnostic> newProblem(const Document& before, const Document& after, const KnobValues& knobs,
                                     const InputSet& inputs);

}  // namespace sluice::inline operators
