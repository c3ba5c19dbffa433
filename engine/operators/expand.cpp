// Expand: stretches the innermost `rank` dimensions of extent 1 to those of a reference stream (STeP 3.2.5).

#include "engine/operators/operator.h"

namespace sluice::inline operators::expand {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  const Shape &in = t.in(0).shape, &ref = t.in(1).shape;
  bool fits = in.size() == ref.size() && rank <= in.size();
  for (std::size_t d = 0; fits && d < in.size(); ++d) {
    const bool stretched = d + rank >= in.size();
    fits = stretched ? t.same(in[d].extent, Expr(1)) : !t.differ(in[d].extent, ref[d].extent);
  }
  if (!fits) {
    return t.problem("shape-mismatch", "in",
                     text(in) + " cannot be expanded to " + text(ref) + " over its innermost " +
                         std::to_string(rank) + " dimensions",
                     "in needs the shape of ref with 1 in place of those dimensions (Promote inserts them)");
  }
  StreamType out = t.in(0);
  out.shape = ref;
  out.routing = nullptr;
  if (out.validity.kind == Validity::Known) {
    out.validity.inner = std::max(out.validity.inner, rank);
    if (out.validity.filled <= rank) out.validity.filled = 0;  // a group of one tile
  }
  return std::vector<StreamType>{std::move(out)};
}

/// Emits `x` for every reference token until the reference closes: the only element of a rank-0 stream stands
/// for all.
simulator::Process run(simulator::Context& me, std::uint32_t rank) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    bool more = true;
    while (more) {
      const simulator::Token ref = co_await me.peek(me.in(1));
      if (!ref && x.stop == 0) {
        me.share(x, 0);
        me.take(me.in(0));
        co_return;
      }
      if (!ref || (x.stop == 0 && ref.stop > 0)) {
        me.fail(
            "wrong-token", 1,
            ref ? "a stop arrived on ref for an element without one" : "the reference stream ended too early",
            "in and ref must have the same outer dimensions");
        co_return;
      }
      me.take(me.in(1));
      me.share(ref, 0);
      me.share(x, 2);
      co_await me.slot(me.out(0));
      me.put(me.out(0), x.withStop(ref.stop));
      more = x.stop == 0 || ref.stop == 0 || ref.stop < rank;
    }
    me.share(x, 0);
    me.take(me.in(0));
  }
}

/// One element for each token of a group of the reference.
Rates::Outputs rates(Rates& r) {
  const StreamCount &from = r.in(0), &ref = r.in(1);
  const std::uint64_t rank = r.count("rank");
  if (!from.tokens || !ref.dims || rank > ref.dims->size()) return {};
  const std::uint64_t group = product(*ref.dims, ref.dims->size() - rank);
  if (group == 0 || *from.tokens * group != *ref.tokens) return {};
  r.rule = {TokenRule::Kind::Step, {{1, group, true}, {1, 1, false}}};
  return {shaped(*ref.dims)};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Expand",
              .category = "Shape",
              .summary = "Stretches dimensions of extent 1 to those of a reference stream.",
              .paper = "STeP 3.2.5",
              .parameters = {integerParameter("rank", "how many innermost dimensions are stretched", 1)},
              .inputs = {{"in", "", "any stream"}, {"ref", "", "gives the shape"}},
              .outputs = {{"out", "", "elements of in in the shape of ref"}},
              .rules = {.shape = "The shape of ref.",
                        .cost = "On chip: the element that is held.",
                        .timing = "No cycles of its own: an element leaves with every element of ref."},
          },
      .shape = shape,
      .cost = holdingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::expand
