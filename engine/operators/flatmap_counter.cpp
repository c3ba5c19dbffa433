// FlatmapCounter: turns every number N into the numbers 0 to N - 1 (timing.md 3.2). No cycles of its own.

#include "engine/operators/operator.h"

namespace sluice::inline operators::flatmap_counter {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType tile, t.tile(0));
  if (tile.scalar != Scalar::U64) {
    return t.problem("data-type-mismatch", "in", "numbers are wanted here, but " + text(t.in(0)) + " arrives",
                     "connect a MetadataGen");
  }
  StreamType out{t.in(0).shape, tile, {}, {}};
  out.shape.push_back(t.dynamic(t.symbolName("n"), 0, 0, DimKind::Ragged));
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    if (x.scalar == 0) {
      me.fail("wrong-token", 0, "the number 0 arrived: a group cannot be empty",
              "leave zeros out of the numbers");
      co_return;
    }
    me.take(me.in(0));
    for (std::uint64_t i = 0; i < x.scalar; ++i)
      co_await me.push(me.out(0), simulator::Token::number(i).withStop(i + 1 == x.scalar ? x.stop + 1 : 0));
  }
}

simulator::Process behaviour(const Instance&, simulator::Context& me) {
  return run(me);
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "FlatmapCounter",
              .category = "Source",
              .summary = "Turns every number into the numbers below it.",
              .paper = "simulator 2026",
              .parameters = {},
              .inputs = {{"in", "", "1 x 1 tiles of u64, none 0"}},
              .outputs = {{"out", "", "shape of in + a ragged dimension"}},
              .rules = {.shape = "The shape of in with one more, innermost, ragged dimension.",
                        .cost = "None.",
                        .timing = "No cycles of its own."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
  };
  return definition;
}

}  // namespace sluice::inline operators::flatmap_counter
