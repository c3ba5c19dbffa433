// Promote: inserts a dimension of extent 1 at a rank index (STeP 3.2.5). Only stop levels change.

#include "engine/operators/around.h"

namespace sluice::inline operators::promote {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const std::int64_t rank = t.integer("rank");
  if (auto wrong = t.rankAtLeast(0, rank - 1, "rank")) return *wrong;
  StreamType out = t.in(0);
  const bool outermost = static_cast<std::size_t>(rank) == out.shape.size();
  const Dim dim = outermost ? aroundAll(t, out.shape) : Dim::fixed(1);
  out.shape.insert(out.shape.end() - rank, dim);
  out.validity.insert(static_cast<std::size_t>(rank));
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint32_t rank) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    const std::uint32_t level = x.stop == 0 ? (rank == 0 ? 1 : 0) : (rank > x.stop ? x.stop : x.stop + 1);
    co_await me.slot(me.out(0));
    me.put(me.out(0), x.withStop(level));
  }
}

Rates::Outputs rates(Rates& r) {
  r.step({});
  const StreamCount& from = r.in(0);
  const std::int64_t rank = r.op.parameters.integer("rank");
  if (!from.dims || rank < 0 || static_cast<std::size_t>(rank) > from.dims->size())
    return from.tokens ? Rates::Outputs{counted(*from.tokens)} : Rates::Outputs{};
  Extents dims = *from.dims;
  dims.insert(dims.end() - rank, 1);
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
              .kind = "Promote",
              .category = "Shape",
              .summary = "Inserts a dimension of extent 1.",
              .paper = "STeP 3.2.5",
              .parameters = {integerParameter("rank", "rank index of the new dimension (0: innermost)", 0)},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {{"out", "", "the same elements, one more dimension"}},
              .rules = {.shape = "A dimension of extent 1 at rank index rank.",
                        .cost = "FIFOs only.",
                        .timing = "No cycles of its own: only stop levels change."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
      .schedule = ScheduleRole::Nest,
  };
  return definition;
}

}  // namespace sluice::inline operators::promote
