// RandomOffChipLoad: loads the tile that each address names (STeP 3.2.1). Addresses only matter to a memory
// with banks; the address's slot is free before the read begins.

#include "engine/operators/off_chip.h"

namespace sluice::inline operators::random_off_chip_load {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType address, t.tile(0));
  if (auto wrong = checkAddress(t)) return *wrong;
  if (auto wrong = checkTile(t)) return *wrong;
  return std::vector<StreamType>{{t.in(0).shape, tileType(t), {}, {}}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return loadCost(t, outputs[0]);
}

simulator::Process run(simulator::Context& me, LoadPlan plan) {
  while (const simulator::Token address = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    plan.addresses.tile(me, address.scalar);
    co_await me.memory(plan.requests);
    me.countTraffic(plan.tile.bytes());
    if (plan.tensor) plan.tensor->read(me, address.scalar, plan.tile);
    co_await me.slot(me.out(0));
    me.put(me.out(0), plan.tile.withStop(address.stop));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, tilePlan(instance));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "RandomOffChipLoad",
              .category = "Off-chip memory",
              .summary = "Loads the tile that each address names.",
              .paper = "STeP 3.2.1",
              .parameters = withTensor({tileParameter(), scalarParameter(), parDispatchParameter()}),
              .inputs = {{"address", "", "tile numbers, as 1 x 1 tiles of u64"}},
              .outputs = {{"out", "", "the tiles; shape of address"}},
              .rules = {.shape = "The shape of address.",
                        .cost = "Off chip: a tile for every address. On chip: one staging tile (two by the "
                                "equations as printed).",
                        .timing =
                            "Each tile: its bytes / request size requests, par_dispatch of them a cycle; it "
                            "goes on when the last has been answered. Then the next tile is asked for."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .memory = MemoryRole::Reader,
  };
  return definition;
}

}  // namespace sluice::inline operators::random_off_chip_load
