// FlatmapFilterRowStreamify: turns every tile into those of its rows that a mask keeps (timing.md 5.4): the
// inverse of ReshapePadStream and the packing of rows. No cycles of its own. A mask is a column of flags
// whose true ones come first, as data comes before its padding; how many there are is the number of its valid
// rows.

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"

namespace sluice::inline operators::flatmap_filter_row_streamify {

namespace {

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  SLUICE_TRY(const TileType mask, t.tile(1));
  if (mask.scalar != Scalar::Bool || t.differ(mask.cols.extent, Expr(1))) {
    return t.problem("data-type-mismatch", "mask",
                     "a column of flags is wanted here, but " + text(t.in(1)) + " arrives",
                     "connect the second output of a ReshapePadStream with marks = data, its flags packed as "
                     "the rows of in are");
  }
  if (t.differ(mask.rows.extent, in.rows.extent)) {
    return t.problem("tile-mismatch", "mask",
                     text(t.in(1).element) + " has no flag for each row of " + text(t.in(0).element),
                     "pack the flags and the rows by the same number");
  }
  if (auto wrong = checkInStep(t)) return *wrong;
  StreamType out = t.in(0);
  out.element = TileType{in.scalar, Dim::fixed(1), in.cols};
  out.validity = {};
  const Validity& kept = t.in(1).validity;
  Dim& last = out.shape.back();
  const DimKind kind = out.shape.size() == 1 ? DimKind::Regular : DimKind::Ragged;
  if (kept.kind == Validity::Full) {
    last = {last.extent * in.rows.extent, std::max(last.kind, in.rows.kind), false};
  } else if (kept.kind == Validity::Known && kept.inner == 0) {
    last = {kept.rows, kind, false};
  } else {
    last = t.dynamic(t.symbolName("rows"), 0, 0, kind);
  }
  return std::vector<StreamType>{std::move(out)};
}

simulator::Process run(simulator::Context& me, TileArithmetic* arithmetic) {
  for (;;) {
    const simulator::Token x = co_await me.peek(me.in(0));
    if (x) me.take(me.in(0));
    const simulator::Token mask = co_await me.peek(me.in(1));
    if (!x && !mask) co_return;
    if (!inStep(me, x, mask)) co_return;
    if (mask.rows != x.rows) {
      me.fail("wrong-token", 1,
              "flags for " + std::to_string(mask.rows) + " rows arrived with a tile of " + sizeText(x),
              "pack the flags and the rows by the same number");
      co_return;
    }
    me.take(me.in(1));
    const std::uint32_t kept = std::min(mask.valid, x.rows);
    if (kept == 0 && x.stop > 0) {
      me.fail("wrong-token", 1,
              "no row of the last tile of a group is kept, so that nothing marks where the group ends",
              "keep at least one row of it");
      co_return;
    }
    simulator::Token row = x;
    row.rows = row.valid = 1;
    for (std::uint32_t i = 0; i < kept; ++i) {
      row.stop = i + 1 == kept ? x.stop : 0;
      if (arithmetic) arithmetic->slice(me, x, true, i, row);
      co_await me.push(me.out(0), row);
    }
  }
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  return run(me, instance.arithmetic());
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "FlatmapFilterRowStreamify",
              .category = "Higher order",
              .summary = "Turns every tile into those of its rows that a mask keeps.",
              .paper = "STeP 3.2.4; simulator 2026",
              .parameters = {},
              .inputs = {{"in", "", "tiles"}, {"mask", "", "a column of flags for each tile; shape of in"}},
              .outputs = {{"out", "", "rows; the last dimension of in grows"}},
              .rules = {.shape = "The innermost dimension grows to the rows that are kept, ragged where "
                                 "their number differs.",
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

}  // namespace sluice::inline operators::flatmap_filter_row_streamify
