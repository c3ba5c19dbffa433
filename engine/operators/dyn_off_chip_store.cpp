// DynOffChipStore: LinearOffChipStore whose tensor is as large as an input says (timing.md 2): the store that
// belongs to DynLinearOffChipLoad. The run holds the stream against the tensor.

#include "engine/operators/dynamic_view.h"

namespace sluice::inline operators::dyn_off_chip_store {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkStore(t, 0)) return *wrong;
  SLUICE_TRY(const std::vector<std::int64_t> view, dynamicView(t));
  std::int64_t tiles = 1;
  for (const std::int64_t extent : view) tiles *= extent;
  if (t.differ(elementCount(t.in(0).shape), Expr(tiles))) {
    return t.problem("shape-mismatch", "in",
                     "the tensor has " + std::to_string(tiles) + " tiles, but " + text(t.in(0)) + " arrives",
                     "give the extents of the tensor that is stored");
  }
  return std::vector<StreamType>{};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  StorePlan plan = storePlan(instance);
  std::uint64_t tiles = 1;
  for (const std::uint64_t extent : dynamicView(instance)) tiles *= extent;
  plan.tiles = tiles;
  return storeInOrder(me, std::move(plan));
}

}  // namespace

const Operator& definition() {
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
                                  "cycle; its slot is free when the last has been acknowledged."},
          },
      .shape = shape,
      .cost = storeCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .memory = MemoryRole::Writer,
  };
  return definition;
}

}  // namespace sluice::inline operators::dyn_off_chip_store
