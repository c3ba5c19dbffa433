// DynLinearOffChipLoad: LinearOffChipLoad whose view is as large as an input says (step_sim_spec 3.5), so
// that a trace, and not the program, decides how much is read.

#include "engine/operators/off_chip.h"

namespace sluice::operators {

namespace {

const InputData* extentsOf(const InputSet& inputs, const Parameters& parameters) {
  const auto input = inputs.find(parameters.string("extents"));
  return input == inputs.end() ? nullptr : &input->second;
}

Result<std::vector<StreamType>> shape(const Typing& t) {
  if (auto wrong = checkTile(t)) return *wrong;
  const std::string& name = t.op.parameters.string("extents");
  const InputData* input = extentsOf(t.inputs, t.op.parameters);
  if (!input)
    return t.problem("", "there is no input '" + name + "'",
                     "add it to the document's inputs, or choose another");
  const std::vector<std::int64_t>& view = input->tensor.data;
  std::int64_t total = 1;
  bool fits = input->kind != InputKind::Routing && !view.empty() && view.size() <= 8;
  for (const std::int64_t extent : view)
    fits = fits && extent >= 0 && !__builtin_mul_overflow(total, extent, &total) &&
           total <= (std::int64_t{1} << 40);
  if (!fits) {
    return t.problem("", "input '" + name + "' is not the shape of a view",
                     "bind 1 to 8 numbers, none negative, with a product of at most 2^40");
  }
  StreamType out{{Dim::fixed(1)}, tileType(t), {}, {}};
  for (std::size_t d = 0; d < view.size(); ++d) {
    out.shape.push_back(
        t.dynamic(t.symbolName("d" + std::to_string(d)), 0, view.size() - 1 - d, DimKind::Regular, view[d]));
  }
  return std::vector<StreamType>{std::move(out)};
}

Cost cost(const Typing& t, std::span<const StreamType> outputs) {
  return loadCost(t, outputs[0]);
}

sim::Process run(sim::Context& me, LoadPlan plan) {
  StopCounter stops(plan.view);
  const std::uint64_t total = stops.total();
  for (std::uint64_t tile = 0; tile < total; ++tile) {
    plan.addresses.tile(me, tile);
    co_await me.memory(plan.requests);
    me.countTraffic(plan.tile.bytes());
    co_await me.push(me.out(0), plan.tile.withStop(stops.next()));
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  LoadPlan plan = tilePlan(instance);
  for (const std::int64_t extent : extentsOf(instance.inputs, instance.op.parameters)->tensor.data)
    plan.view.push_back(static_cast<std::uint64_t>(extent));
  return run(me, std::move(plan));
}

}  // namespace

const Operator& dynLinearOffChipLoad() {
  static const Operator definition{
      {"DynLinearOffChipLoad",
       "Off-chip memory",
       "Loads a tensor, tile by tile, as much as an input says.",
       "STeP 3.2.1; simulator 2026",
       {inputParameter("extents", "the shape of the view, in tiles, outermost first"), tileParameter(),
        scalarParameter(), parDispatchParameter()},
       {},
       {{"out", "", "the tiles; shape [1] + the extents"}},
       {"[1] and the extents that the input gives.",
        "Off chip: every tile once. On chip: one staging tile (two by the equations as printed).",
        "Each tile: its bytes / request size requests, par_dispatch of them a cycle; it goes on when the "
        "last has been answered. Then the next tile is asked for."}},
      shape,
      cost,
      behaviour,
      MemoryRole::Reader};
  return definition;
}

}  // namespace sluice::operators
