// Printer: a sink that takes one token a cycle, as Consumer does, and whose tokens the result of a run keeps
// (SimulationResult::printed).

#include "engine/operators/sink.h"

namespace sluice::operators {

const Operator& printer() {
  static const Operator definition{{"Printer",
                                    "Sink",
                                    "Takes one token a cycle; the run keeps what it was.",
                                    "STeP artifact, PrinterContext",
                                    {integerParameter("limit", "how many tokens are kept", 0, Value(1000))},
                                    {{"in", "", "any stream"}},
                                    {},
                                    {"Any shape; no output.", "None.", "One token a cycle."}},
                                   noOutputs,
                                   noCost,
                                   sink,
                                   MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
