// ExpandStatic: stretches the innermost dimension, of extent 1, to a fixed factor (STeP 3.2.5). No cycles of
// its own.

#include "engine/operators/operator.h"

namespace sluice::inline operators::expand_static {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  StreamType out = t.in(0);
  if (t.differ(out.shape.back().extent, Expr(1)) || out.shape.back().kind != DimKind::Static) {
    return t.problem("shape-mismatch", "in", "the innermost dimension of " + text(out.shape) + " is not 1",
                     "Promote the stream with rank 0 first");
  }
  out.shape.back() = Dim::fixed(t.symbolic("factor"));
  out.routing = nullptr;
  if (out.validity.kind == Validity::Known) {
    out.validity.inner = std::max<std::size_t>(out.validity.inner, 1);
    if (out.validity.filled == 1) out.validity.filled = 0;  // a group of one tile
  }
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint64_t factor) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.share(x, factor);
    for (std::uint64_t i = 0; i + 1 < factor; ++i) co_await me.push(me.out(0), x.withStop(0));
    co_await me.push(me.out(0), x);
    me.take(me.in(0));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.count("factor"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "ExpandStatic",
              .category = "Shape",
              .summary = "Stretches an innermost dimension of extent 1 to a fixed factor.",
              .paper = "STeP 3.2.5",
              .parameters = {integerParameter("factor", "the new extent", 1)},
              .inputs = {{"in", "", "innermost dimension 1"}},
              .outputs = {{"out", "", "innermost dimension factor"}},
              .rules = {.shape = "The innermost dimension, of extent 1, becomes factor.",
                        .cost = "On chip: the element that is held.",
                        .timing = "No cycles of its own."},
          },
      .shape = shape,
      .cost = holdingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = repeatedRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::expand_static
