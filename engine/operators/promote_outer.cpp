// PromoteOuter: closes the whole stream with one more dimension (timing.md 5.1). Which element is the last
// one is known when the next has come or the stream has closed: every element waits for that, and takes a
// cycle.

#include "engine/operators/around.h"

namespace sluice::inline operators::promote_outer {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  StreamType out = t.in(0);
  Dim outer = aroundAll(t, t.in(0).shape);
  if (out.shape[0].kind != DimKind::Static)
    outer = {min(Expr(1), out.shape[0].extent), DimKind::Regular, true};
  out.shape.insert(out.shape.begin(), outer);
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    const bool last = !co_await me.peek(me.in(0));
    me.advance(1);
    co_await me.push(me.out(0), last ? x.withStop(x.stop + 1) : x);
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
              .kind = "PromoteOuter",
              .category = "Shape",
              .summary = "Adds an outermost dimension around the whole stream.",
              .paper = "STeP 3.2.5; simulator 2026",
              .parameters = {},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {{"out", "", "shape [1] + shape of in"}},
              .rules = {.shape = "[1], then the shape of in.",
                        .cost = "FIFOs only.",
                        .timing = "Each element a cycle, when the next has come or the stream has closed."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::promote_outer
