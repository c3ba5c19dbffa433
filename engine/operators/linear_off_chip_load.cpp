// LinearOffChipLoad: reads a tensor tile by tile in a fixed affine order (STeP 3.2.1). One staging tile: the
// next tile's requests start when this one has been handed on; outside reference mode tiles are read ahead.

#include "engine/operators/around.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators::linear_off_chip_load {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkLoad(t)) return *wrong;
  LoadView view = loadView(t);
  view.shape.insert(view.shape.begin(), aroundAll(t, view.shape));
  return std::vector<StreamType>{{std::move(view.shape), view.tile, {}, {}}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return loadCost(t, outputs[0]);
}

simulator::Process run(simulator::Context& me, LoadPlan plan) {
  StopCounter stops(plan.view);
  for (std::uint64_t left = stops.total(); left > 0; --left) {
    plan.addresses.next(me);
    co_await me.memory(plan.requests);
    me.countTraffic(plan.tile.bytes());
    if (plan.tensor) plan.tensor->readView(me, stops.total() - left, plan.tile);
    co_await me.slot(me.out(0));
    me.put(me.out(0), plan.tile.withStop(stops.next()));
  }
}

simulator::Process runAhead(simulator::Context& me, LoadPlan plan) {
  StopCounter stops(plan.view);
  const std::uint64_t total = stops.total();
  ReadAhead ahead(me, me.out(0), plan.addresses, plan.requests, total);
  for (std::uint64_t left = total; left > 0; --left) {
    ahead.answered(co_await me.answer());
    me.countTraffic(plan.tile.bytes());
    if (plan.tensor) plan.tensor->readView(me, total - left, plan.tile);
    co_await me.slot(me.out(0));
    ahead.slotFree();
    co_await me.push(me.out(0), plan.tile.withStop(stops.next()));
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  if (!instance.machine.reference_mode) return runAhead(me, loadPlan(instance));
  return run(me, loadPlan(instance));
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "LinearOffChipLoad",
              .category = "Off-chip memory",
              .summary = "Loads a tensor from off-chip memory, tile by tile, in a fixed order.",
              .paper = "STeP 3.2.1",
              .parameters = loadParameters(),
              .inputs = {},
              .outputs = {{"out", "", "the tiles; shape [1] + out_shape"}},
              .rules = {.shape = "[1] and out_shape.",
                        .cost = "Off chip: every tile once. On chip: one staging tile (two by the equations "
                                "as printed).",
                        .timing = "Each tile: its bytes / request size requests, par_dispatch of them a "
                                  "cycle; it goes on when the last has been answered. Then the next tile is "
                                  "asked for (reference mode) or has been already (idealised mode)."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = sourceRates,
      .memory = MemoryRole::Reader,
      .schedule = ScheduleRole::View,
      .ordered = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::linear_off_chip_load
