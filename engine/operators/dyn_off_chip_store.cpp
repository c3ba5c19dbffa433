// DynOffChipStore: LinearOffChipStore whose tensor is as large as an input says (timing.md 2): the store that
// belongs to DynLinearOffChipLoad. The run holds the stream against the tensor.

#include "engine/operators/dynamic_view.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  if (auto wrong = checkStore(t, 0)) return *wrong;
  const Result<std::vector<std::int64_t>> view = dynamicView(t);
  if (!view) return view.diagnostics();
  std::int64_t tiles = 1;
  for (const std::int64_t extent : *view) tiles *= extent;
  if (t.differ(elementCount(t.in(0).shape), Expr(tiles))) {
    return t.problem("in",
                     "the tensor has " + std::to_string(tiles) + " tiles, but " + text(t.in(0)) + " arrives",
                     "give the extents of the tensor that is stored");
  }
  return std::vector<StreamType>{};
}

Cost cost(const Typing& t, std::span<const StreamType>) {
  const Expr bytes = sizeOf(t.in(0).element);  // as of LinearOffChipStore
  return {elementCount(t.in(0).shape) * bytes, stagingBytes(t, bytes), {}, {}};
}

struct Plan {
  TileAddresses addresses;
  std::uint32_t rows, cols;
  std::uint64_t request_bytes, tiles;
  TensorPort* tensor;  ///< functional mode
};

sim::Process run(sim::Context& me, Plan plan) {
  std::uint64_t stored = 0;
  while (const sim::Token x = co_await me.peek(me.in(0))) {
    if (!checkStored(me, x, plan.rows, plan.cols)) co_return;
    if (stored == plan.tiles) break;
    plan.addresses.tile(me, stored);
    co_await me.memory(requestsOf(plan.rows, plan.cols, x.element_bytes, plan.request_bytes));
    me.countTraffic(x.bytes());
    if (plan.tensor) plan.tensor->write(me, stored, x);
    ++stored;
    me.take(me.in(0));
  }
  const bool more = co_await me.queued(me.in(0));
  if (!more && stored == plan.tiles) co_return;
  me.fail(0,
          more ? "the tensor has " + std::to_string(plan.tiles) + " tiles, but more arrive"
               : "the tensor has " + std::to_string(plan.tiles) + " tiles, but the stream ended after " +
                     std::to_string(stored),
          "give the extents of the tensor that is stored");
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  const std::vector<std::uint64_t> tile = instance.list("tile");
  const auto bytes = static_cast<std::uint64_t>(storedBytes(Scalar::F32, instance.machine));
  std::uint64_t tiles = 1;
  for (const std::uint64_t extent : dynamicView(instance)) tiles *= extent;
  return run(me, {TileAddresses(instance, bytes, true), static_cast<std::uint32_t>(tile[0]),
                  static_cast<std::uint32_t>(tile[1]), instance.machine.hbm_request_bytes, tiles,
                  instance.tensor()});
}

}  // namespace

const Operator& dynOffChipStore() {
  static const Operator definition{
      .spec =
          {
              .kind = "DynOffChipStore",
              .category = "Off-chip memory",
              .summary = "Stores a stream of tiles as a tensor that is as large as an input says.",
              .paper = "simulator 2026",
              .parameters =
                  withTensor({inputParameter("extents", "the shape of the tensor, in tiles, outermost first"),
                              tileParameter(), parDispatchParameter()}),
              .inputs = {{"in", "", "the tiles to store"}},
              .outputs = {},
              .rules = {.shape = "Any shape with as many tiles as the extents have; no output.",
                        .cost = "Off chip: every tile once. On chip: one staging tile (two by the equations "
                                "as printed).",
                        .timing = "Each tile: its bytes / request size requests, par_dispatch of them a "
                                  "cycle; its slot is free when "
                                  "the last has been acknowledged."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .memory = MemoryRole::Writer,
  };
  return definition;
}

}  // namespace sluice::operators
