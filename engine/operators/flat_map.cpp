// FlatMap: turns every element into a group of elements (STeP 3.2.4). RetileStreamify splits a tile into its
// rows or columns; with the mask, padding rows are left out.

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"

namespace sluice::operators {

namespace {

Result<std::vector<StreamType>> shape(const Typing& t) {
  const Result<TileType> in = t.tile(0);
  if (!in) return in.diagnostics();
  const bool rows = t.op.parameters.string("split") == "row";
  StreamType out = t.in(0);
  // A column becomes a single row, too: the reference simulator's choice (step_sim_spec 3.3).
  out.element = TileType{in->scalar, Dim::fixed(1), rows ? in->cols : in->rows};
  const Dim& pieces = rows ? in->rows : in->cols;
  Dim& last = out.shape.back();
  const Validity validity = out.validity;
  out.validity = {};
  const bool filters = t.op.parameters.boolean("filter_mask") && validity.kind != Validity::Full;
  if (!filters) {
    last = {last.extent * pieces.extent, std::max(last.kind, pieces.kind), false};
    if (validity.kind != Validity::Full) out.validity.kind = Validity::Unknown;
    return std::vector<StreamType>{std::move(out)};
  }
  const DimKind kind = out.shape.size() == 1 ? DimKind::Regular : DimKind::Ragged;
  if (validity.kind == Validity::Known && validity.inner == 0) {
    last = {validity.rows, kind, false};
  } else {
    last = t.dynamic(t.symbolName("rows"), 0, 0, kind);
  }
  return std::vector<StreamType>{std::move(out)};
}

sim::Process run(sim::Context& me, bool split_rows, bool filter, TileArithmetic* arithmetic) {
  while (const sim::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    const std::uint32_t pieces = split_rows ? x.rows : x.cols;
    sim::Token piece = x;
    piece.rows = 1;
    piece.cols = split_rows ? x.cols : x.rows;
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const bool last = i + 1 == pieces || (filter && i + 1 == x.valid);
      piece.valid = i < x.valid ? 1 : 0;
      piece.stop = last ? x.stop : 0;
      if (arithmetic) arithmetic->slice(me, x, split_rows, i, piece);
      co_await me.push(me.out(0), piece);
      if (last) break;
    }
  }
}

sim::Process behaviour(const Instance& instance, sim::Context& me) {
  return run(me, instance.op.parameters.string("split") == "row", instance.boolean("filter_mask"),
             instance.arithmetic());
}

}  // namespace

const Operator& flatMap() {
  static const Operator definition{
      {"FlatMap",
       "Higher order",
       "Turns every tile into a stream of its rows or columns.",
       "STeP 3.2.4",
       {choiceParameter("function", "what each element becomes", {"retile_streamify"},
                        Value("retile_streamify")),
        choiceParameter("split", "rows or columns", {"row", "column"}, Value("row")),
        booleanParameter("filter_mask", "leave padding rows out", false)},
       {{"in", "", "tiles"}},
       {{"out", "", "rows or columns; the last dimension of in grows"}}},
      shape,
      noCost,
      behaviour,
      MemoryRole::None};
  return definition;
}

}  // namespace sluice::operators
