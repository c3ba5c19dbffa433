#include "engine/schedule/graph_hash.h"

#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/colour_refinement.h"

namespace sluice::inline schedule {

std::string graphHash(const FlatGraph& graph, const InputSet& inputs) {
  return ColourRefinement(graph, inputs, Likeness::Equal).hex();
}

Result<std::string> scheduledGraphHash(const ScheduledProgram& scheduled, const KnobValues& knobs,
                                       const std::stop_token& stop) {
  SLUICE_TRY(const FlatGraph graph, elaborate(scheduled.document, knobs, builtInCatalog(), stop));
  return graphHash(graph, scheduled.inputs);
}

}  // namespace sluice::inline schedule
