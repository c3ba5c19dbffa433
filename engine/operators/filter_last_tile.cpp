// FilterLastTile: for each sequence of L tiles, L - 1 selectors of target 1 and one, the last, of target 0
// (timing.md 3.2).

#include "engine/operators/operator.h"

namespace sluice::inline operators::filter_last_tile {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType tile, t.tile(0));
  if (tile.scalar != Scalar::U64) {
    return t.problem("data-type-mismatch", "in", "lengths are wanted here, but " + text(t.in(0)) + " arrives",
                     "connect a MetadataGen");
  }
  StreamType out{t.in(0).shape, SelectorType{Expr(2), {}}, {}, {}};
  out.shape.push_back(t.dynamic(t.symbolName("tiles"), 0, 0, DimKind::Ragged));
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me) {
  const simulator::Selector* last = me.selector({0}, 2);
  const simulator::Selector* other = me.selector({1}, 2);
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    for (std::uint64_t i = 1; i < x.scalar; ++i) {
      co_await me.slot(me.out(0));
      me.put(me.out(0), simulator::Token::select(other));
    }
    if (x.scalar > 0) co_await me.push(me.out(0), simulator::Token::select(last).withStop(x.stop + 1));
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
              .kind = "FilterLastTile",
              .category = "Source",
              .summary = "Selects the last tile of every sequence apart from the others.",
              .paper = "STeP artifact, FilterLastTile",
              .parameters = {},
              .inputs = {{"in", "", "lengths in tiles, at least 1"}},
              .outputs = {{"out", "", "selectors of two targets: 0 the last tile, 1 the others"}},
              .rules =
                  {.shape =
                       "The shape of in with one more, innermost, ragged dimension: the tiles of a sequence.",
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

}  // namespace sluice::inline operators::filter_last_tile
