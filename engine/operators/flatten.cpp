// Flatten: merges the dimensions of rank index min..max into one (STeP 3.2.5). Only stop levels change; no
// cycles of its own.

#include "engine/operators/operator.h"

namespace sluice::inline operators::flatten {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  const std::int64_t min = t.integer("min"), max = t.integer("max");
  if (min > max) {
    return t.problem("operator-rule", "",
                     "min = " + std::to_string(min) + " is above max = " + std::to_string(max),
                     "give the smaller rank index as min");
  }
  if (auto wrong = t.rankAtLeast(0, max, "max")) return *wrong;
  StreamType out = t.in(0);
  const std::size_t first = out.shape.size() - 1 - static_cast<std::size_t>(max);
  const std::size_t last = out.shape.size() - 1 - static_cast<std::size_t>(min);
  const Dim merged = flattened(out.shape, first, last);
  out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(first),
                  out.shape.begin() + static_cast<std::ptrdiff_t>(last));
  out.shape[first] = merged;
  // The dimensions that repeat the valid rows stay countable unless the merge cuts through them.
  const auto low = static_cast<std::size_t>(min), high = static_cast<std::size_t>(max);
  if (out.validity.kind == Validity::Known && out.validity.inner > low) {
    if (out.validity.inner > high) {
      out.validity.inner -= high - low;
    } else if (high > low) {
      out.validity.kind = Validity::Unknown;
    }
  }
  if (std::size_t& filled = out.validity.filled; filled > low)
    filled = std::max(filled, high + 1) - (high - low);
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::uint32_t min, std::uint32_t max) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    const std::uint32_t level = x.stop <= min ? x.stop : x.stop <= max ? min : x.stop - (max - min);
    co_await me.slot(me.out(0));
    me.put(me.out(0), x.withStop(level));
  }
}

Rates::Outputs rates(Rates& r) {
  r.step({});
  const StreamCount& from = r.in(0);
  const std::uint64_t low = r.count("min"), high = r.count("max");
  if (!from.dims || high >= from.dims->size() || low > high)
    return from.tokens ? Rates::Outputs{counted(*from.tokens)} : Rates::Outputs{};
  Extents dims = *from.dims;
  const auto first = dims.end() - 1 - static_cast<std::ptrdiff_t>(high);
  const auto last = dims.end() - static_cast<std::ptrdiff_t>(low);
  *first = product(Extents(first, last));
  dims.erase(first + 1, last);
  return {shaped(std::move(dims))};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.level("min"), instance.level("max"));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Flatten",
              .category = "Shape",
              .summary = "Merges neighbouring dimensions of a stream.",
              .paper = "STeP 3.2.5",
              .parameters = {integerParameter(
                                 "min", "innermost rank index to merge (the innermost dimension is 0)", 0),
                             integerParameter("max", "outermost rank index to merge", 0)},
              .inputs = {{"in", "", "any stream"}},
              .outputs = {{"out", "", "the same elements, fewer dimensions"}},
              .rules = {.shape = "The dimensions of rank index min to max become one, of their product; "
                                 "ragged if one of them is.",
                        .cost = "FIFOs only.",
                        .timing = "No cycles of its own: only stop levels change."},
          },
      .shape = shape,
      .cost = passingCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = rates,
      .schedule = ScheduleRole::Merge,
  };
  return definition;
}

}  // namespace sluice::inline operators::flatten
