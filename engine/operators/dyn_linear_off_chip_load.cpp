// DynLinearOffChipLoad: LinearOffChipLoad whose view is as large as an input says (timing.md 2), so that a
// trace, and not the program, decides how much is read.

#include "engine/operators/around.h"
#include "engine/operators/dynamic_view.h"

namespace sluice::inline operators::dyn_linear_off_chip_load {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkTile(t)) return *wrong;
  SLUICE_TRY(const std::vector<std::int64_t> extents, dynamicView(t));
  const std::vector<std::int64_t>& view = extents;
  const bool empty = std::find(view.begin(), view.end(), 0) != view.end();
  StreamType out{{aroundAll(empty)}, tileType(t), {}, {}};
  for (std::size_t d = 0; d < view.size(); ++d) {
    out.shape.push_back(
        t.dynamic(t.symbolName("d" + std::to_string(d)), 0, view.size() - 1 - d, DimKind::Regular, view[d]));
  }
  return std::vector<StreamType>{std::move(out)};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return loadCost(t, outputs[0]);
}

simulator::Process run(simulator::Context& me, LoadPlan plan) {
  StopCounter stops(plan.view);
  const std::uint64_t total = stops.total();
  for (std::uint64_t tile = 0; tile < total; ++tile) {
    plan.addresses.tile(me, tile);
    co_await me.memory(plan.requests);
    me.countTraffic(plan.tile.bytes());
    if (plan.tensor) plan.tensor->read(me, tile, plan.tile);
    co_await me.push(me.out(0), plan.tile.withStop(stops.next()));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  LoadPlan plan = tilePlan(instance);
  plan.view = dynamicView(instance);
  return run(me, std::move(plan));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "DynLinearOffChipLoad",
              .category = "Off-chip memory",
              .summary = "Loads a tensor, tile by tile, as much as an input says.",
              .paper = "STeP 3.2.1; simulator 2026",
              .parameters =
                  withTensor({inputParameter("extents", "the shape of the view, in tiles, outermost first"),
                              tileParameter(), scalarParameter(), parDispatchParameter()}),
              .inputs = {},
              .outputs = {{"out", "", "the tiles; shape [1] + the extents"}},
              .rules = {.shape = "[1] and the extents that the input gives.",
                        .cost = "Off chip: every tile once. On chip: one staging tile (two by the equations "
                                "as printed).",
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

}  // namespace sluice::inline operators::dyn_linear_off_chip_load
