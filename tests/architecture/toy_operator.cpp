// A toy operator.

#include "tests/architecture/toys.h"

namespace sluice::toys {
namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  return std::vector<StreamType>{t.in(0)};
}

simulator::Process pass(simulator::Context& me, std::uint64_t cycles) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.advance(cycles);
    co_await me.push(me.out(0), x);
    me.take(me.in(0));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return pass(me, instance.count("cycles"));
}

}  // namespace

const Operator& hold() {
  static const Operator definition{
      .spec = {.kind = "ToyHold",
               .category = "Shape",
               .summary = "Holds every token for some cycles.",
               .paper = "a test",
               .parameters = {integerParameter("cycles", "how long", {0, 1000})},
               .inputs = {{"in", "", "any stream"}},
               .outputs = {{"out", "", "the same"}},
               .rules = {.shape = "The shape of in.", .cost = "None.", .timing = "`cycles` for each token."}},
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = mappedRates,
  };
  return definition;
}

}  // namespace sluice::toys
