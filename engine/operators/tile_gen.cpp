// TileGen: a source of tiles at a steady rate, without any memory: for studies of a pipeline on its own, and
// for tests.

#include "engine/operators/around.h"
#include "engine/operators/off_chip.h"

namespace sluice::inline operators::tile_gen {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  if (auto wrong = checkTile(t)) return *wrong;
  StreamType out{{Dim::fixed(1)}, tileType(t), {}, {}};
  for (const BoundInteger& extent : t.op.parameters.list("shape"))
    out.shape.push_back(Dim::fixed(extent.symbolic));
  out.shape.front() = aroundAll(t, out.shape);
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, std::vector<std::uint64_t> extents, simulator::Token tile,
                       Cycles interval, TensorPort* tensor) {
  StopCounter stops(std::move(extents));
  for (std::uint64_t left = stops.total(); left > 0; --left) {
    if (tensor) tensor->readView(me, stops.total() - left, tile);
    co_await me.push(me.out(0), tile.withStop(stops.next()), me.now + interval);
    me.advance(interval);
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  LoadPlan plan = tilePlan(instance);
  plan.tile.from_memory = false;  // made on the spot
  return run(me, instance.list("shape"), plan.tile, instance.count("interval"), plan.tensor);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "TileGen",
              .category = "Source",
              .summary = "Emits tiles at a steady rate.",
              .paper = "Sluice",
              .parameters = withTensor(
                  {listParameter("shape", "shape of the stream, outermost first; 0: empty", 0),
                   tileParameter(), scalarParameter(),
                   integerParameter("interval", "cycles from one tile to the next", 0, Value(1), "cycles")}),
              .inputs = {},
              .outputs = {{"out", "", "tiles; shape [1] + shape"}},
              .rules = {.shape = "[1] and shape.",
                        .cost = "None.",
                        .timing = "One tile every interval cycles."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = sourceRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::tile_gen
