// Shuffle: sorts the items of a group into buckets, as a stream of selectors says, and gives the filled
// buckets one after the other, in ascending order (timing.md 4.6). An item in several buckets is stored once
// and read for each. The group's end is a stop of level `rank` on the input, of level 1 on the selectors.

#include <algorithm>
#include <map>

#include "engine/operators/operator.h"
#include "engine/operators/ragged.h"

namespace sluice::inline operators::shuffle {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  const SelectorType* selector = t.in(1).element.selector();
  if (!selector) {
    return t.problem("element-mismatch", "index",
                     "Shuffle is steered by selectors, but " + text(t.in(1)) + " arrives",
                     "connect a SelectGen, or another stream of selectors");
  }
  const auto rank = static_cast<std::size_t>(t.integer("rank"));
  if (auto wrong = t.rankAtLeast(0, t.integer("rank"), "rank")) return *wrong;
  const Shape &data = t.in(0).shape, &index = t.in(1).shape;
  bool fits = index.size() + rank - 1 == data.size();
  for (std::size_t d = 0; fits && d < index.size(); ++d) fits = !t.differ(index[d].extent, data[d].extent);
  if (!fits) {
    return t.problem("shape-mismatch", "index",
                     "selectors of shape " + text(index) + " do not name the buckets of the items of " +
                         text(data) + " at rank = " + std::to_string(rank),
                     "give one selector for each item: the shape of in without rank - 1 inner dimensions");
  }
  Shape buckets(index.begin(), index.end() - 1);
  buckets.push_back(t.dynamic(t.symbolName("buckets"), 1, 0, DimKind::Ragged));
  StreamType out{buckets, in, {}, {}};
  out.shape.push_back(t.dynamic(t.symbolName("n"), 0, rank - 1, DimKind::Ragged));
  for (std::size_t k = rank - 1; k-- > 0;) {
    const Dim& dim = data[data.size() - 1 - k];
    const bool ragged =
        dim.kind == DimKind::Ragged;  // another total, as items come more than once, or not at all
    out.shape.push_back(ragged ? t.dynamic(t.symbolName("d" + std::to_string(k)), 0, k, dim.kind) : dim);
  }
  if (t.in(0).validity.kind != Validity::Full) out.validity.kind = Validity::Unknown;
  return std::vector<StreamType>{std::move(out), {std::move(buckets), *selector, {}, {}}};
}

/// A whole group is held, on average where groups differ.
Cost cost(const ShapeContext& t, std::span<const StreamType>) {
  const Expr tile = sizeOf(t.in(0).element);
  return {{},
          groupElements(t.in(0).shape, static_cast<std::size_t>(t.integer("rank"))) * tile + t.fifos(tile),
          {},
          {}};
}

struct Plan {
  std::uint32_t rank;
  bool write_back;
  std::uint64_t bandwidth;
};

/// The group that is being sorted.
struct Sorted {
  std::vector<simulator::Token> elements;                     ///< of the items, with the stops inside these
  std::map<std::uint32_t, std::vector<std::size_t>> buckets;  ///< bucket -> positions in `elements`

  void add(const simulator::Token& x, const std::vector<std::uint32_t>& chosen) {
    for (const std::uint32_t bucket : chosen) buckets[bucket].push_back(elements.size());
    if (!chosen.empty()) elements.push_back(x);
  }

  /// What leaves, in its order: the selector of each bucket, then its elements. `stop`: the group's last one.
  std::vector<simulator::Token> leaving(simulator::Context& me, const Plan& plan, std::uint32_t stop,
                                        std::uint32_t width) const {
    std::vector<simulator::Token> tokens;
    for (const auto& [bucket, members] : buckets) {
      const bool last = bucket == buckets.rbegin()->first;
      const simulator::Token name = simulator::Token::select(me.selector({bucket}, width));
      tokens.push_back(name.withStop(last ? stop - plan.rank + 1 : 0));
      for (const std::size_t member : members) tokens.push_back(elements[member]);
      tokens.back().stop = last ? stop + 1 : plan.rank;
    }
    return tokens;
  }
};

/// A stop that does not fit the selector's ends the run with a fault.
bool isDue(simulator::Context& me, std::uint32_t stop, std::uint32_t due) {
  if (stop == due) return true;
  me.fail("wrong-token", 0,
          "a stop of level " + std::to_string(stop) + " arrived where " + std::to_string(due) + " is due",
          "data and selectors must have the same outer dimensions, and rank must be that of a group");
  return false;
}

simulator::Process run(simulator::Context& me, Plan plan) {
  MemoryUnit unit(plan.bandwidth), index_unit(plan.bandwidth);
  const std::uint32_t item = plan.rank - 1;  // the level that ends an item
  Sorted group;
  std::uint32_t stop = plan.rank;
  while (const simulator::Token index = co_await me.peek(me.in(1))) {
    me.take(me.in(1));
    const Cycles read_index = index_unit.read(index);
    co_await me.work(read_index, read_index);
    const std::vector<std::uint32_t>& chosen = index.selector->indices;
    bool more = true;
    while (more) {
      const simulator::Token x = co_await me.peek(me.in(0));
      if (!x) {
        me.fail("wrong-token", 0, "the stream ended although a selector still waits for an item",
                "give as many items as there are selectors");
        co_return;
      }
      stop = x.stop;
      more = stop < item;
      if (!more && !isDue(me, stop, index.stop + item)) co_return;
      me.take(me.in(0));
      const Cycles moving = unit.read(x) + (chosen.empty() ? 0 : unit.write(x));
      co_await me.work(moving, moving);
      group.add(x.withStop(std::min(stop, item)), chosen);
    }
    if (stop < plan.rank) continue;
    if (group.buckets.empty()) {
      me.fail("wrong-token", 1, "no item of a group is in any bucket",
              "every group must fill at least one bucket");
      co_return;
    }
    for (simulator::Token y : group.leaving(me, plan, stop, index.selector->width)) {
      const bool name = y.kind == simulator::TokenKind::Selector;
      const Cycles cycles = name ? 0 : unit.write(y) * (plan.write_back ? 2 : 1);  // read, written back
      co_await me.work(cycles, cycles);
      y.from_memory = !name && plan.write_back;
      co_await me.push(me.out(name ? 1 : 0), y);
    }
    group = {};
  }
  const bool late = co_await me.queued(me.in(0));
  if (late || stop < plan.rank)
    me.fail("wrong-token", late ? 0 : 1,
            late ? "items arrive behind the last selector" : "the selectors ended inside a group",
            "give one selector for each item, and complete groups");
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me,
             {instance.level("rank"), instance.boolean("write_back_mu"), instance.machine.on_chip_bandwidth});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "Shuffle",
              .category = "Routing",
              .summary = "Sorts the items of each group into the buckets that selectors name.",
              .paper = "simulator 2026",
              .parameters = {integerParameter("rank",
                                              "inner dimensions of a group: the items, and those of an item",
                                              1, Value(1)),
                             writeBackParameter()},
              .inputs = {{"in", "", "the items: tiles"},
                         {"index", "", "the buckets of each item, as a selector"}},
              .outputs = {{"out", "", "the items, bucket by bucket"},
                          {"bucket", "", "which bucket it is, one selector each"}},
              .rules = {.shape = "out: the dimensions around a group, a ragged one of filled buckets, a "
                                 "ragged one of items, those of an item. bucket: the same up to the buckets.",
                        .cost = "On chip: a group, on average.",
                        .timing = "Each element: reading it from a memory unit, and writing it if any bucket "
                                  "takes its item. At the end of the group each element of each bucket: "
                                  "reading it, and with write_back_mu writing it again."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::shuffle
