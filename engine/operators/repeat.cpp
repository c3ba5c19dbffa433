// Repeat: emits every element `factor` times as a new innermost dimension (STeP 3.2.5). One copy a cycle.

#include "engine/operators/operator.h"

namespace sluice::inline operators::repeat {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  StreamType out = t.in(0);
  out.shape.push_back(Dim::fixed(t.symbolic("factor")));
  out.routing = nullptr;
  if (out.validity.kind == Validity::Known) {
    out.validity.insert(0);
    out.validity.inner = std::max<std::size_t>(out.validity.inner, 1);
  }
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint64_t factor) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.share(x, factor);
    for (std::uint64_t i = 0; i + 1 < factor; ++i) co_await me.push(me.out(0), x.withStop(0), me.now + i);
    // The stamp counts from the clock before this push waits, so back-pressure moves the later copies.
    co_await me.push(me.out(0), x.withStop(x.stop + 1), me.now + factor - 1);
    me.advance(factor);
    me.take(me.in(0));
  }
}

Rates::Outputs rates(Rates& r) {
  Rates::Outputs outputs = repeatedRates(r);
  if (outputs.empty() || !r.in(0).dims) return outputs;
  Extents dims = *r.in(0).dims;
  dims.push_back(r.count("factor"));
  return {shaped(std::move(dims))};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.count("factor"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Repeat",
              .category = "Shape",
              .summary = "Emits every element a fixed number of times.",
              .paper = "STeP 3.2.5",
              .parameters = {integerParameter("factor", "how often each element is emitted", 1)},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {{"out", "", "shape of in with one more, innermost dimension"}},
              .rules = {.shape = "One more dimension, innermost, of extent factor.",
                        .cost = "On chip: the element that is held.",
                        .timing = "One copy a cycle."},
          },
      .shape = shape,
      .cost = holdingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
      .schedule = ScheduleRole::Repeat,
  };
  return definition;
}

}  // namespace sluice::inline operators::repeat
