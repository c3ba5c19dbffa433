#pragma once
// Which operators and streams of a program a measurement speaks of: by name, by the order of numbered names,
// and streams by how many tokens went through. What fits nothing is reported, of both sides.

#include <optional>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/measurements/measurement.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline measurements {

enum class MatchedBy : std::uint8_t {
  Name,    ///< the whole name, however it is separated, at the end of the measured path
  Place,   ///< the name of the node, for all instances of it
  Order,   ///< "gate_1", "gate_2": numbers at the end, as many as there are instances
  Tokens,  ///< a stream: the only one on both sides that so many tokens go through
};
const char* text(MatchedBy by);

template <class Id>
struct Matched {
  std::size_t measured = 0;  ///< position in MeasuredRun
  std::vector<Id> ids;       ///< what it is in the graph; several: it is the sum of them
  MatchedBy by = MatchedBy::Name;
};

struct Matching {
  std::vector<Matched<OperatorId>> operators;
  std::vector<Matched<StreamId>> streams;
  /// Names of the measurement that are nothing in the program, without the scope that all of them are in.
  std::vector<std::string> unknown;
  std::vector<std::string> operators_not_measured;
  std::vector<std::string> streams_not_measured;  ///< empty where the measurement has no streams
};

/// `tokens`: of each stream of the graph in the model's run; empty: not known.
/// Error: the run has operators or streams, but none of the program.
Result<Matching> match(const FlatGraph& graph, const MeasuredRun& run,
                       const std::vector<std::uint64_t>& tokens = {});

/// A warning where more of the run's names are unknown than known, or a recording names nothing: it is likely
/// about another program.
std::optional<Diagnostic> likelyMismatch(const Matching& matching, const MeasuredRun& run);

}  // namespace sluice::inline measurements
