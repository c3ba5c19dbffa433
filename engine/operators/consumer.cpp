// Consumer: takes and forgets one token a cycle. Every stream must end somewhere.

#include "engine/operators/sink.h"

namespace sluice::operators {

const Operator& consumer() {
  static const Operator definition{{"Consumer",
                                    "Sink",
                                    "Takes one token a cycle and forgets it.",
                                    "STeP artifact, ConsumerContext",
                                    {},
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
