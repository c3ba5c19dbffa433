// RepeatRef: emits every element once for each group of `rank` inner dimensions of a reference stream
// (timing.md 5.3).

#include "engine/operators/operator.h"

namespace sluice::inline operators::repeat_ref {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = t.rankAtLeast(1, t.integer("rank") + 1, "rank")) return *wrong;
  const Shape &in = t.in(0).shape, &ref = t.in(1).shape;
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  bool fits = in.size() + rank + 1 == ref.size();
  for (std::size_t d = 0; fits && d < in.size(); ++d) fits = !t.differ(in[d].extent, ref[d].extent);
  if (!fits) {
    return t.problem("shape-mismatch", "in",
                     "elements of " + text(in) + " cannot be repeated along " + text(ref) +
                         " with rank = " + std::to_string(rank),
                     "ref needs the dimensions of in and, inside them, one that repeats and rank more");
  }
  StreamType out = t.in(0);
  out.shape.assign(ref.begin(), ref.end() - static_cast<std::ptrdiff_t>(rank));
  out.routing = nullptr;
  if (out.validity.kind == Validity::Known) {
    out.validity.insert(0);
    out.validity.inner = std::max<std::size_t>(out.validity.inner, 1);
  }
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint32_t rank) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    bool more = true;
    while (more) {
      const simulator::Token ref = co_await me.peek(me.in(1));
      if (!ref) {
        me.fail("wrong-token", 1, "the reference stream ended although an element still waits for it",
                "ref must have a group for every element of in");
        co_return;
      }
      me.take(me.in(1));
      me.share(ref, 0);
      if (ref.stop < rank) continue;
      more = ref.stop == rank;
      if (more) me.share(x, 2);
      co_await me.slot(me.out(0));
      me.put(me.out(0), x.withStop(ref.stop - rank));
    }
  }
}

/// One element for each group of `rank` dimensions of the reference.
Rates::Outputs rates(Rates& r) {
  const StreamCount &from = r.in(0), &ref = r.in(1);
  const std::uint64_t rank = r.count("rank");
  if (!from.tokens || !ref.dims || rank + 1 > ref.dims->size()) return {};
  Extents dims(ref.dims->begin(), ref.dims->end() - static_cast<std::ptrdiff_t>(rank));
  const std::uint64_t group = product(*ref.dims, dims.size()), times = dims.back();
  if (group == 0 || times == 0 || *from.tokens * times * group != *ref.tokens) return {};
  r.rule = {TokenRule::Kind::Step, {{1, times, false}, {group, 1, false}}};
  return {shaped(std::move(dims))};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("rank"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "RepeatRef",
              .category = "Shape",
              .summary = "Emits every element once for each group of a reference stream.",
              .paper = "STeP 3.2.5; simulator 2026",
              .parameters = {integerParameter("rank", "inner dimensions of a reference group", 0)},
              .inputs = {{"in", "", "any stream"}, {"ref", "", "says how often"}},
              .outputs = {{"out", "", "shape of ref without its inner dimensions"}},
              .rules = {.shape = "The shape of ref without its rank innermost dimensions.",
                        .cost = "On chip: the element that is held.",
                        .timing =
                            "No cycles of its own: an element leaves at the end of every group of ref."},
          },
      .shape = shape,
      .cost = holdingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
  };
  return definition;
}

}  // namespace sluice::inline operators::repeat_ref
