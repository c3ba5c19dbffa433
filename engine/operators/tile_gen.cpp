// TileGen: a source of tiles at a steady rate, without any memory: for studies of a pipeline on its own, and for tests.

#include "engine/operators/off_chip.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  const auto& tile = t.op.parameters.list("tile");
  if (tile.size() != 2) {
    return t.problem("", "tile has " + std::to_string(tile.size()) + " numbers, but a tile is two-dimensional",
                     "write tile as [rows, columns]");
  }
  StreamType out{{Dim::fixed(1)},
                 TileType{scalarNamed(t.op.parameters.string("scalar")), Dim::fixed(tile[0].symbolic), Dim::fixed(tile[1].symbolic)},
                 {},
                 {}};
  for (const BoundInteger& extent : t.op.parameters.list("shape")) out.shape.push_back(Dim::fixed(extent.symbolic));
  return std::vector<StreamType>{std::move(out)};
}

sim::Process run(sim::Context& me, std::vector<std::uint64_t> extents, sim::Token tile, Cycles interval) {
  StopCounter stops(std::move(extents));
  for (std::uint64_t left = stops.total(); left > 0; --left) {
    co_await me.push(me.out(0), tile.withStop(stops.next()), me.now + interval);
    me.advance(interval);
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  const std::vector<std::uint64_t> tile = instance.list("tile");
  const int bytes = storedBytes(scalarNamed(instance.op.parameters.string("scalar")), instance.machine);
  return run(me, instance.list("shape"),
             sim::Token::tile(static_cast<std::uint32_t>(tile[0]), static_cast<std::uint32_t>(tile[1]),
                              static_cast<std::uint8_t>(bytes), false),
             instance.count("interval"));
}

}  // namespace

const Operator& tileGen() {
  static const Operator definition{
      {"TileGen", "Source", "Emits tiles at a steady rate.", "Sluice",
       {listParameter("shape", "shape of the stream, outermost first", 1), tileParameter(),
        choiceParameter("scalar", "type of an element", {"f32", "f16", "u64"}, Value("f32")),
        integerParameter("interval", "cycles from one tile to the next", 0, Value(1), "cycles")},
       {}, {{"out", "", "tiles; shape [1] + shape"}}},
      shape, noCost, behaviour, MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
