// LinearOffChipLoadRef: loads its whole view once for every element of a reference stream (STeP 3.2.1), e.g.
// an expert's weights once for every tile of tokens.

#include "engine/operators/off_chip.h"

namespace sluice::inline operators::linear_off_chip_load_ref {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkLoad(t)) return *wrong;
  if (auto wrong = t.rankAtLeast(0, t.integer("trigger_rank"), "trigger_rank")) return *wrong;
  const LoadView view = loadView(t);
  Shape shape(t.in(0).shape.begin(), t.in(0).shape.end() - t.integer("trigger_rank"));
  shape.insert(shape.end(), view.shape.begin(), view.shape.end());
  return std::vector<StreamType>{{std::move(shape), view.tile, {}, {}}};
}

Cost cost(const ShapeContext& t, std::span<const StreamType> outputs) {
  return loadCost(t, outputs[0]);
}

simulator::Process run(simulator::Context& me, LoadPlan plan, std::uint32_t trigger) {
  const auto rank = static_cast<std::uint32_t>(plan.view.size());
  StopCounter stops(plan.view);
  const std::uint64_t total = stops.total();
  while (const simulator::Token ref = co_await me.peek(me.in(0))) {
    me.take(me.in(0));  // before the tiles are read
    me.share(ref, 0);
    if (ref.stop < trigger) continue;
    for (std::uint64_t left = total; left > 0; --left) {
      plan.addresses.next(me);
      co_await me.memory(plan.requests);
      me.countTraffic(plan.tile.bytes());
      std::uint32_t level = stops.next();
      if (level == rank) level += ref.stop - trigger;
      if (plan.tensor) plan.tensor->readView(me, total - left, plan.tile);
      co_await me.slot(me.out(0));
      me.put(me.out(0), plan.tile.withStop(level));
    }
  }
}

/// Outside reference mode; reads ahead within a pass over the view.
simulator::Process runAhead(simulator::Context& me, LoadPlan plan, std::uint32_t trigger) {
  const auto rank = static_cast<std::uint32_t>(plan.view.size());
  StopCounter stops(plan.view);
  const std::uint64_t total = stops.total();
  while (const simulator::Token ref = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    me.share(ref, 0);
    if (ref.stop < trigger) continue;
    ReadAhead ahead(me, me.out(0), plan.addresses, plan.requests, total);
    for (std::uint64_t left = total; left > 0; --left) {
      ahead.answered(co_await me.answer());
      me.countTraffic(plan.tile.bytes());
      std::uint32_t level = stops.next();
      if (level == rank) level += ref.stop - trigger;
      if (plan.tensor) plan.tensor->readView(me, total - left, plan.tile);
      co_await me.slot(me.out(0));
      ahead.slotFree();
      me.put(me.out(0), plan.tile.withStop(level));
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const std::uint32_t trigger = instance.level("trigger_rank");
  if (!instance.machine.reference_mode) return runAhead(me, loadPlan(instance), trigger);
  return run(me, loadPlan(instance), trigger);
}

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> all = loadParameters();
  all.push_back(integerParameter("trigger_rank",
                                 "only elements of ref that close as many inner dimensions trigger a pass", 0,
                                 Value(0)));
  return all;
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "LinearOffChipLoadRef",
              .category = "Off-chip memory",
              .summary = "Loads a whole view of a tensor once for every element of a reference stream.",
              .paper = "STeP 3.2.1",
              .parameters = parameters(),
              .inputs = {{"ref", "", "each element, whatever it holds, triggers one pass over the view"}},
              .outputs = {{"out", "",
                           "the tiles; shape of ref without trigger_rank inner dimensions + out_shape"}},
              .rules = {.shape =
                            "The shape of ref without its trigger_rank innermost dimensions, then out_shape.",
                        .cost = "Off chip: the whole view for every element of ref that triggers. On chip: "
                                "one staging tile (two by the equations as printed).",
                        .timing = "Each tile: its bytes / request size requests, par_dispatch of them a "
                                  "cycle; it goes on when the last has been answered. Then the next tile is "
                                  "asked for (reference mode) or has been already (idealised mode)."},
          },
      .shape = shape,
      .cost = cost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .memory = MemoryRole::Reader,
      .schedule = ScheduleRole::ReferenceView,
      .ordered = true,
  };
  return definition;
}

}  // namespace sluice::inline operators::linear_off_chip_load_ref
