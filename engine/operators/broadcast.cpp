// Broadcast: copies every token to all outputs at the same moment; the slowest consumer holds back all.

#include "engine/operators/operator.h"

namespace sluice::inline operators::broadcast {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  return std::vector<StreamType>(t.op.outputs.size(), t.in(0));
}

simulator::Process run(simulator::Context& me) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    while (!co_await me.slotInAll()) {
    }
    me.share(x, me.outputs());
    me.putInAll(x);
  }
}

Rates::Outputs rates(Rates& r) {
  r.rule.kind = TokenRule::Kind::Fork;
  return Rates::Outputs(r.outs(), r.in(0));
}

simulator::Process behaviour(const Instance&, simulator::Context& me) {
  return run(me);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Broadcast",
              .category = "Routing",
              .summary = "Copies a stream to several consumers.",
              .paper = "STeP artifact, Broadcast",
              .parameters = {integerParameter("ways", "number of copies", 1)},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {{"out", "ways", "the copies"}},
              .rules = {.shape = "Every output has the shape of in.",
                        .cost = "None.",
                        .timing = "No cycles of its own: a token leaves at one moment to all outputs, when "
                                  "the slowest has room."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
      .copies = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::broadcast
