// Printer: a sink that takes one token a cycle, as Consumer does, and whose tokens the result of a run keeps
// (SimulationResult::printed).

#include "engine/operators/sink.h"

namespace sluice::inline operators::printer {

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Printer",
              .category = "Sink",
              .summary = "Takes one token a cycle; the run keeps what it was.",
              .paper = "STeP artifact, PrinterContext",
              .parameters = {integerParameter("limit", "how many tokens are kept", 0, Value(1000))},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {},
              .rules = {.shape = "Any shape; no output.", .cost = "None.", .timing = "One token a cycle."},
          },
      .shape = noOutputs,
      .cost = noCost,
      .behaviour = sink,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .prints = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::printer
