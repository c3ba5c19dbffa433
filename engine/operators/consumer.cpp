// Consumer: takes and forgets one token a cycle. Every stream must end somewhere.

#include "engine/operators/sink.h"

namespace sluice::inline operators::consumer {

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Consumer",
              .category = "Sink",
              .summary = "Takes one token a cycle and forgets it.",
              .paper = "STeP artifact, ConsumerContext",
              .parameters = {},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {},
              .rules = {.shape = "Any shape; no output.", .cost = "None.", .timing = "One token a cycle."},
          },
      .shape = noOutputs,
      .cost = noCost,
      .behaviour = sink,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::consumer
