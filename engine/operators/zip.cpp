// Zip: joins two streams in step into one stream of tuples (STeP 3.2.5). No cycles of its own.

#include "engine/operators/functions.h"

namespace sluice::inline operators::zip {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkInStep(t)) return *wrong;
  StreamType out = t.in(0);
  out.element = TupleType{{t.in(0).element, t.in(1).element}};
  out.routing = nullptr;
  out.validity = commonValidity(t.in(0).validity, t.in(1).validity);
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me) {
  for (;;) {
    const simulator::Token a = co_await me.peek(me.in(0));
    const simulator::Token b = co_await me.peek(me.in(1));
    if (!a && !b) co_return;
    if (!inStep(me, a, b)) co_return;
    simulator::Token tuple;
    tuple.kind = simulator::TokenKind::Tuple;
    tuple.group = me.newGroup();
    tuple.group->tokens.assign({a, b});
    co_await me.push(me.out(0), tuple.withStop(a.stop));
    me.take(me.in(0));
    me.take(me.in(1));
  }
}

simulator::Process behaviour(const Instance&, simulator::Context& me) {
  return run(me);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Zip",
              .category = "Shape",
              .summary = "Joins two streams into one stream of pairs.",
              .paper = "STeP 3.2.5",
              .parameters = {},
              .inputs = {{"in1", "", "first of the pair"}, {"in2", "", "second of the pair"}},
              .outputs = {{"out", "", "tuples; shape of in1"}},
              .rules = {.shape = "The shape of in1; both inputs must have the same dimensions and stops.",
                        .cost = "None.",
                        .timing = "No cycles of its own: a pair leaves when both are there."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = mappedRates,
      .reads_together = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::zip
