// LinearOffChipStore: writes a stream of tiles to off-chip memory in its own order (STeP 3.2.1). Holds the
// tile's slot until the last acknowledgement.

#include "engine/operators/off_chip.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  if (auto wrong = checkStore(t, 0)) return *wrong;
  return std::vector<StreamType>{};
}

Cost cost(const Typing& t, std::span<const StreamType>) {
  // 4 bytes a float even where it moves as bfloat16 (engine/symbolic/cost_model.md 4).
  const Expr bytes = sizeOf(t.in(0).element);
  return {elementCount(t.in(0).shape) * bytes, stagingBytes(t, bytes), {}, {}};
}

sim::Process run(sim::Context& me, TileAddresses addresses, std::uint32_t rows, std::uint32_t cols,
                 std::uint64_t request_bytes, TensorPort* tensor) {
  std::uint64_t stored = 0;
  while (const sim::Token x = co_await me.peek(me.in(0))) {
    if (!checkStored(me, x, rows, cols)) co_return;
    addresses.tile(me, stored);
    co_await me.memory(requestsOf(rows, cols, x.element_bytes, request_bytes));
    me.countTraffic(x.bytes());
    if (tensor) tensor->write(me, stored, x);
    ++stored;
    me.take(me.in(0));
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  const std::vector<std::uint64_t> tile = instance.list("tile");
  const TileAddresses addresses(instance,
                                static_cast<std::uint64_t>(storedBytes(Scalar::F32, instance.machine)), true);
  return run(me, addresses, static_cast<std::uint32_t>(tile[0]), static_cast<std::uint32_t>(tile[1]),
             instance.machine.hbm_request_bytes, instance.tensor());
}

}  // namespace

const Operator& linearOffChipStore() {
  static const Operator definition{
      .spec =
          {
              .kind = "LinearOffChipStore",
              .category = "Off-chip memory",
              .summary = "Stores a stream of tiles to off-chip memory in its own order.",
              .paper = "STeP 3.2.1",
              .parameters = withTensor({tileParameter(), parDispatchParameter()}),
              .inputs = {{"in", "", "the tiles to store"}},
              .outputs = {},
              .rules = {.shape = "Any shape of tiles; no output.",
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
