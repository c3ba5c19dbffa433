// Broadcast: copies every token to all outputs at the same moment; the slowest consumer holds back all.

#include "engine/operators/operator.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  return std::vector<StreamType>(t.op.outputs.size(), t.in(0));
}

sim::Process run(sim::Context& me) {
  const std::size_t ways = me.outputs();
  while (const sim::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    for (std::size_t i = 0; i < ways; ++i) co_await me.slot(me.out(i));
    me.share(x, ways);
    for (std::size_t i = 0; i < ways; ++i) co_await me.push(me.out(i), x);
  }
}

sim::Process behaviour(const Instance&, sim::Context& me) {
  return run(me);
}

}  // namespace

const Operator& broadcast() {
  static const Operator definition{
      {"Broadcast",
       "Routing",
       "Copies a stream to several consumers.",
       "STeP artifact, Broadcast",
       {integerParameter("ways", "number of copies", 1)},
       {{"in", "", "any stream"}},
       {{"out", "ways", "the copies"}},
       {"Every output has the shape of in.", "None.",
        "No cycles of its own: a token leaves at one moment to all outputs, when the slowest has room."}},
      shape,
      noCost,
      behaviour,
      MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
