// Printer: a sink that takes one token a cycle, as Consumer does, and whose tokens the result of a run keeps
// (SimulationResult::printed).

#include "engine/operators/operator.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing&) {
  return std::vector<StreamType>{};
}

sim::Process run(sim::Context& me) {
  while (const sim::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    me.share(x, 0);
    me.advance(1);
  }
}

sim::Process behaviour(const Instance&, sim::Context& me) {
  return run(me);
}

}  // namespace

const Operator& printer() {
  static const Operator definition{{"Printer",
                                    "Sink",
                                    "Takes one token a cycle; the run keeps what it was.",
                                    "STeP artifact, PrinterContext",
                                    {integerParameter("limit", "how many tokens are kept", 0, Value(1000))},
                                    {{"in", "", "any stream"}},
                                    {}},
                                   shape,
                                   noCost,
                                   behaviour,
                                   MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
