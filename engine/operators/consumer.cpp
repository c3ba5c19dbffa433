// Consumer: takes and forgets one token a cycle. Every stream must end somewhere.

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

const Operator& consumer() {
  static const Operator definition{{"Consumer",
                                    "Sink",
                                    "Takes one token a cycle and forgets it.",
                                    "STeP artifact, ConsumerContext",
                                    {},
                                    {{"in", "", "any stream"}},
                                    {}},
                                   shape,
                                   noCost,
                                   behaviour,
                                   MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
