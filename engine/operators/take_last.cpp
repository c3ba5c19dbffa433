// TakeLast: keeps the last element of every innermost group (timing.md 5.1). No cycles of its own.

#include "engine/operators/operator.h"

namespace sluice::inline operators::take_last {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = t.rankAtLeast(0, 1, "TakeLast")) return *wrong;
  StreamType out = t.in(0);
  const bool ragged = out.shape.back().kind == DimKind::Ragged;
  out.shape.back() = Dim::fixed(1);
  out.routing = nullptr;
  if (out.validity.kind == Validity::Known && (ragged || out.validity.inner == 0))
    out.validity.kind = Validity::Unknown;
  if (out.validity.filled == 1) out.validity.filled = 0;  // a group of copies
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    if (x.stop > 0) {
      co_await me.push(me.out(0), x);
    } else {
      me.share(x, 0);
    }
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
              .kind = "TakeLast",
              .category = "Shape",
              .summary = "Keeps the last element of every innermost group.",
              .paper = "simulator 2026",
              .parameters = {},
              .inputs = {{"in", "", "any stream of rank 1 or more"}},
              .outputs = {{"out", "", "shape of in, innermost dimension 1"}},
              .rules = {.shape = "The innermost dimension becomes 1.",
                        .cost = "FIFOs only.",
                        .timing = "No cycles of its own: the last element leaves when it is there."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::take_last
