#pragma once
// ScheduledPatch: what a step of a schedule changed, as local edits of its graphs - and, inverted, how to
// take the step back. For previews (which operators come, go and change), undo and the inverse of a
// transformation.

#include <map>
#include <string>
#include <vector>

#include "engine/core/result.h"
#include "engine/schedule/transformation.h"

namespace sluice::inline schedule {

/// At `position` of a list, `removed` was replaced by `added`. Positions count in the list as it was before;
/// hunks are in order and do not touch.
template <class T>
struct Hunk {
  std::size_t position = 0;
  std::vector<T> removed, added;
  bool operator==(const Hunk&) const = default;
};

struct GraphPatch {
  std::vector<Hunk<Node>> nodes;  ///< a region that is there before and after stands without its body
  std::vector<Hunk<Stream>> streams;
  std::map<std::string, GraphPatch> bodies;  ///< of regions that are there before and after

  bool empty() const { return nodes.empty() && streams.empty() && bodies.empty(); }
  bool operator==(const GraphPatch&) const = default;
};

struct ScheduledPatch {
  GraphPatch program;
  std::vector<Hunk<Input>> inputs;
  InputSet removed_data, added_data;  ///< bound inputs

  bool empty() const { return program.empty() && inputs.empty(); }
};

/// What takes `before` to `after`. Both are one document at two points of its schedule: they may differ in
/// program and inputs only.
ScheduledPatch difference(const ScheduledProgram& before, const ScheduledProgram& after);
ScheduledPatch inverse(ScheduledPatch patch);
/// Error: the patch was made for another program; then nothing is changed.
Result<ScheduledProgram> applyPatch(ScheduledProgram scheduled, const ScheduledPatch& patch);

/// "expert.up" and so on: operators and regions that come, go, or have other parameters.
struct PatchSummary {
  std::vector<std::string> added, removed, changed;
};
PatchSummary summary(const ScheduledPatch& patch);

}  // namespace sluice::inline schedule
