// LinearOffChipStore: writes a stream of tiles to off-chip memory in its own order (STeP 3.2.1). Holds the
// tile's slot until the last acknowledgement.

#include "engine/operators/off_chip.h"
#include "engine/operators/order.h"

namespace sluice::inline operators::linear_off_chip_store {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkStore(t, 0)) return *wrong;
  return std::vector<StreamType>{};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return storeInOrder(me, storePlan(instance));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "LinearOffChipStore",
              .category = "Off-chip memory",
              .summary = "Stores a stream of tiles to off-chip memory in its own order.",
              .paper = "STeP 3.2.1",
              .parameters = withTensor(
                  {tileParameter(), parDispatchParameter(), resultsParameter(), takesOrderParameter()}),
              .inputs = {{"in", "", "the tiles to store"}},
              .outputs = {},
              .rules = {.shape = "Any shape of tiles; no output.",
                        .cost = "Off chip: every tile once. On chip: one staging tile (two by the equations "
                                "as printed).",
                        .timing = "Each tile: its bytes / request size requests, par_dispatch of them a "
                                  "cycle; its slot is free when the last has been acknowledged."},
          },
      .shape = shape,
      .cost = storeCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .memory = MemoryRole::Writer,
      .ordered = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::linear_off_chip_store
