// FlatMap: turns every element into a group of elements (STeP 3.2.4). RetileStreamify splits a tile into its
// rows or columns; with the mask, padding rows are left out. split_tile cuts it into the smaller tiles that
// the fabric's units work on (hierarchical tiling, STeP Figure 18).

#include "engine/operators/functional.h"
#include "engine/operators/functions.h"
#include "engine/operators/tile_size.h"

namespace sluice::inline operators::flat_map {

namespace {

bool splitsRows(const Parameters& parameters) {
  return parameters.string("split") == "row";
}

// ---- retile_streamify ----

StreamType streamified(const ShapeContext& t, const TileType& in) {
  const bool rows = splitsRows(t.op.parameters);
  StreamType out = t.in(0);
  // A column becomes a single row, too: the reference simulator's choice (timing.md 5.4).
  out.element = TileType{in.scalar, Dim::fixed(1), rows ? in.cols : in.rows};
  const Dim& pieces = rows ? in.rows : in.cols;
  Dim& last = out.shape.back();
  const Validity validity = out.validity;
  out.validity = {};
  const bool masks = t.op.parameters.boolean("filter_mask");
  const bool filters = masks && validity.kind != Validity::Full;
  if (!filters) {
    // The mask counts rows whatever is split: as many columns are taken as there are rows
    // (timing.md 5.4).
    const Expr taken = masks && !rows ? min(in.rows.extent, in.cols.extent) : pieces.extent;
    last = {last.extent * taken, std::max(last.kind, pieces.kind), false};
    if (validity.kind != Validity::Full) out.validity.kind = Validity::Unknown;
    return out;
  }
  const DimKind kind = out.shape.size() == 1 ? DimKind::Regular : DimKind::Ragged;
  // Of a tile without a valid row all are given (timing.md 5.4), and they are still padding.
  const bool all_filled = validity.kind == Validity::Known && validity.filled == 0;
  if (!all_filled) out.validity.kind = Validity::Unknown;
  if (rows && all_filled && validity.inner == 0) {
    last = {validity.rows, kind, false};
  } else {
    last = t.dynamic(t.symbolName("rows"), 0, 0, kind);
  }
  return out;
}

simulator::Process streamify(simulator::Context& me, bool split_rows, bool filter,
                             TileArithmetic* arithmetic) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    const std::uint32_t pieces = split_rows ? x.rows : x.cols;
    simulator::Token piece = x;
    piece.rows = 1;
    piece.cols = split_rows ? x.cols : x.rows;
    for (std::uint32_t i = 0; i < pieces; ++i) {
      const bool last = i + 1 == pieces || (filter && i + 1 == x.valid);
      piece.valid = i < x.valid ? 1 : 0;
      piece.stop = last ? x.stop : 0;
      if (arithmetic) arithmetic->slice(me, x, split_rows, i, piece);
      co_await me.slot(me.out(0));
      me.put(me.out(0), piece);
      if (last) break;
    }
  }
}

// ---- split_tile ----

/// One dimension of a tile cut into pieces.
struct Cut {
  Dim piece, count;
};

Result<Cut> cut(const ShapeContext& t, const Dim& whole, std::size_t which) {
  const BoundInteger& size = t.op.parameters.list("piece")[which];
  if (size.value == 0) return Cut{whole, Dim::fixed(1)};
  const auto extent = t.value(whole.extent);
  if (whole.kind != DimKind::Static || (extent && *extent > size.value && *extent % size.value != 0)) {
    return t.problem("tile-mismatch", "in",
                     text(ElementType(*t.in(0).element.tile())) + " is not cut into whole pieces of " +
                         std::to_string(size.value) + (which == 0 ? " rows" : " columns"),
                     "use a piece that divides the tile, or 0 to leave this dimension whole");
  }
  return Cut{Dim::fixed(min(whole.extent, size.symbolic)), Dim::fixed(ceilDiv(whole.extent, size.symbolic))};
}

/// What is known of the valid rows when each tile is `rows` x `cols` pieces.
Validity cutValidity(Validity validity, bool row_by_row, const Expr& rows, const Expr& cols) {
  if (validity.kind != Validity::Known) return validity;
  const bool known = row_by_row ? validity.inner == 0 || rows == Expr(1)  // repeated along each row of pieces
                                : validity.inner == 0 && cols == Expr(1);
  if (!known) return {Validity::Unknown, {}, 0, 0};
  // Of pieces below each other, only the first is sure to have a valid row if the tile has one.
  const bool below = rows != Expr(1);
  if (below && row_by_row) validity.filled = std::max<std::size_t>(validity.filled, 1);
  if (below || validity.filled > 0) ++validity.filled;
  if (row_by_row) ++validity.inner;
  return validity;
}

Result<StreamType> split(const ShapeContext& t, const TileType& in) {
  if (auto wrong = checkTwoNumbers(t, "piece", "write piece as [rows, columns]")) return *wrong;
  SLUICE_TRY(const Cut rows, cut(t, in.rows, 0));
  SLUICE_TRY(const Cut cols, cut(t, in.cols, 1));
  const bool row_by_row = splitsRows(t.op.parameters);
  StreamType out = t.in(0);
  out.element = TileType{in.scalar, rows.piece, cols.piece};
  out.validity = cutValidity(out.validity, row_by_row, rows.count.extent, cols.count.extent);
  Dim& last = out.shape.back();
  if (const Dim& outer = row_by_row ? rows.count : cols.count; outer.extent != Expr(1))
    last = {last.extent * outer.extent, last.kind, false};
  out.shape.push_back(row_by_row ? cols.count : rows.count);
  return out;
}

struct SplitPlan {
  std::uint32_t rows, cols;  ///< of a piece; 0: as many as the tile has
  bool row_by_row;
  TileArithmetic* arithmetic;
};

simulator::Process split(simulator::Context& me, SplitPlan plan) {
  while (const simulator::Token x = co_await me.peek(me.in(0))) {
    me.take(me.in(0));
    simulator::Token piece = x;
    piece.rows = plan.rows == 0 ? x.rows : std::min(plan.rows, x.rows);
    piece.cols = plan.cols == 0 ? x.cols : std::min(plan.cols, x.cols);
    const std::uint32_t down = piece.rows == 0 ? 1 : x.rows / piece.rows,
                        across = piece.cols == 0 ? 1 : x.cols / piece.cols;
    const std::uint32_t inner = plan.row_by_row ? across : down, count = down * across;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t row = piece.rows * (plan.row_by_row ? i / inner : i % inner),
                          col = piece.cols * (plan.row_by_row ? i % inner : i / inner);
      piece.valid = std::min(piece.rows, x.valid - std::min(x.valid, row));
      piece.stop = i + 1 == count ? x.stop + 1 : (i + 1) % inner == 0 ? 1 : 0;
      if (plan.arithmetic) plan.arithmetic->piece(me, x, row, col, piece);
      co_await me.slot(me.out(0));
      me.put(me.out(0), piece);
    }
  }
}

// ---- both ----

bool splitsTiles(const Parameters& parameters) {
  return functionNamed(parameters.string("function")) == Function::SplitTile;
}

Result<std::vector<StreamType>> shape(const ShapeContext& t) {
  SLUICE_TRY(const TileType in, t.tile(0));
  if (!splitsTiles(t.op.parameters)) return std::vector<StreamType>{streamified(t, in)};
  SLUICE_TRY(const StreamType out, split(t, in));
  return std::vector<StreamType>{out};
}

simulator::Process behaviour(const Instance& instance, simulator::Context& me) {
  const bool by_row = splitsRows(instance.op.parameters);
  if (!splitsTiles(instance.op.parameters))
    return streamify(me, by_row, instance.boolean("filter_mask"), instance.arithmetic());
  const std::vector<std::uint64_t> piece = instance.list("piece");
  return split(me, {static_cast<std::uint32_t>(piece[0]), static_cast<std::uint32_t>(piece[1]), by_row,
                    instance.arithmetic()});
}

}  // namespace

const Operator& definition() {
  static const Operator definition{
      .spec =
          {
              .kind = "FlatMap",
              .category = "Higher order",
              .summary = "Turns every tile into a stream of its rows, its columns, or smaller tiles.",
              .paper = "STeP 3.2.4",
              .parameters = {choiceParameter("function", "what each element becomes",
                                             {"retile_streamify", "split_tile"}, Value("retile_streamify")),
                             choiceParameter("split",
                                             "rows or columns; split_tile: row by row, or column by column",
                                             {"row", "column"}, Value("row")),
                             booleanParameter("filter_mask", "leave padding rows out", false),
                             listParameter("piece",
                                           "rows and columns of a piece of split_tile; 0: all of the tile's",
                                           0, Value(std::vector<Value>{16, 16}), "elements")},
              .inputs = {{"in", "", "tiles"}},
              .outputs = {{"out", "",
                           "rows or columns; the last dimension of in grows. Pieces: it grows by the outer "
                           "order, the inner one is a new dimension"}},
              .rules = {.shape = "Rows or columns: the innermost dimension grows by as many as a tile has, "
                                 "ragged where padding is left out. Pieces: it grows by the outer order, and "
                                 "the inner order is a new dimension.",
                        .cost = "None.",
                        .timing = "No cycles of its own."},
          },
      .shape = shape,
      .cost = noCost,
      .behaviour = behaviour,
      .arrival = Arrival::Determinate,
      .rates = unknownRates,
      .schedule = ScheduleRole::Cut,
  };
  return definition;
}

}  // namespace sluice::inline operators::flat_map
