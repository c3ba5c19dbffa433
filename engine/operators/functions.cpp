#include "engine/operators/functions.h"

#include <array>
#include <stdexcept>

namespace sluice::inline operators {

namespace {

struct Description {
  const char* name;
  Function function;
  TileRule tiles;
};

constexpr std::array<Description, 17> descriptions{
    {{"matmul", Function::Matmul, TileRule::Product},
     {"dynamic_matmul", Function::Matmul, TileRule::Product},
     {"max", Function::Maximum, TileRule::EachElement},
     {"multiply", Function::Multiply, TileRule::EachElement},
     {"add", Function::Add, TileRule::EachElement},
     {"divide", Function::Divide, TileRule::EachElement},
     {"silu", Function::Silu, TileRule::EachElement},
     {"exp", Function::Exp, TileRule::EachElement},
     {"row_sum", Function::RowSum, TileRule::EachRow},
     {"retile_row", Function::RetileRow, TileRule::Whole},
     {"retile_col", Function::RetileCol, TileRule::JoinColumns},
     {"set_offset", Function::SetOffset, TileRule::Whole},
     {"row_append", Function::RowAppend, TileRule::Whole},
     {"cache_write_address", Function::CacheWriteAddress, TileRule::Whole},
     {"signal_all_read", Function::SignalAllRead, TileRule::Whole},
     {"retile_streamify", Function::RetileStreamify, TileRule::Whole},
     {"split_tile", Function::SplitTile, TileRule::Pieces}}};

const Description* findDescription(const std::string& name) {
  const auto found = std::ranges::find(descriptions, name, &Description::name);
  return found == descriptions.end() ? nullptr : &*found;
}

bool isOne(const Dim& dim) {
  return dim.extent == Expr(1);
}

const Dim& larger(const Dim& a, const Dim& b) {
  return isOne(a) ? b : a;
}

Diagnostic mismatch(const ShapeContext& t, Code code, const std::string& what, const TileType& a,
                    const TileType& b, std::string fix) {
  return t.problem(code, t.portName(t.inCount() - 1),
                   what + " of " + text(ElementType(a)) + " and " + text(ElementType(b)), std::move(fix),
                   t.inCount() > 1 ? t.portName(0) : "");
}

}  // namespace

Function functionNamed(const std::string& name) {
  if (const Description* description = findDescription(name)) return description->function;
  throw std::logic_error("no function " + name);
}

TileRule tileRuleOf(const std::string& name) {
  const Description* const description = findDescription(name);
  return description ? description->tiles : TileRule::Whole;
}

bool combinesTwo(Function function) {
  return isElementwise(function) || function == Function::Matmul || function == Function::SetOffset ||
         function == Function::RowAppend || function == Function::CacheWriteAddress;
}

Result<TileType> resultType(const ShapeContext& t, Function function, const TileType& a, const TileType& b,
                            bool weight_transposed) {
  const auto floating = [](const TileType& x) { return x.scalar == Scalar::F32 || x.scalar == Scalar::F16; };
  const bool two = combinesTwo(function);
  const bool calculates = function == Function::Matmul || isElementwise(function) ||
                          function == Function::Silu || function == Function::Exp ||
                          function == Function::RowSum;
  if (calculates && (!floating(a) || (two && b.scalar != a.scalar))) {
    return mismatch(t, "data-type-mismatch", "no arithmetic", a, two ? b : a,
                    "tiles to calculate with hold f32 or f16, the same on both sides");
  }
  if (function == Function::Matmul) {
    const Dim& inner = weight_transposed ? b.cols : b.rows;
    if (t.differ(a.cols.extent, inner.extent)) {
      return mismatch(t, "tile-mismatch", "no matrix product", a, b,
                      weight_transposed ? "with a transposed weight the columns must be equal"
                                        : "the first one's columns must equal the second one's rows");
    }
    return TileType{a.scalar, a.rows, weight_transposed ? b.rows : b.cols};
  }
  if (function == Function::CacheWriteAddress || function == Function::SetOffset) {
    if (b.scalar != Scalar::U64 || (function == Function::CacheWriteAddress && a.scalar != Scalar::U64)) {
      return mismatch(t, "data-type-mismatch", "no bookkeeping", a, b,
                      "lengths and indices are 1 x 1 tiles of u64, as MetadataGen makes them");
    }
    return a;
  }
  if (function == Function::RowAppend) {
    if (t.differ(a.cols.extent, b.cols.extent))
      return mismatch(t, "tile-mismatch", "no row to append in", a, b, "the columns must be equal");
    return a;
  }
  if (function == Function::SignalAllRead) return TileType{Scalar::U64, Dim::fixed(1), Dim::fixed(1)};
  if (combinesTwo(function)) {
    const auto incompatible = [&](const Dim& x, const Dim& y) {
      return t.differ(x.extent, y.extent) && t.differ(x.extent, Expr(1)) && t.differ(y.extent, Expr(1));
    };
    if (incompatible(a.rows, b.rows) || incompatible(a.cols, b.cols)) {
      return mismatch(t, "tile-mismatch", "no elementwise combination", a, b,
                      "rows and columns must be equal, or 1 on one side");
    }
    return TileType{a.scalar, larger(a.rows, b.rows), larger(a.cols, b.cols)};
  }
  if (function == Function::RowSum) return TileType{a.scalar, a.rows, Dim::fixed(1)};
  return a;
}

Validity commonValidity(const Validity& a, const Validity& b) {
  if (a.kind == Validity::Full && b.kind == Validity::Full) return {};
  const bool same =
      a.kind == Validity::Known && b.kind == Validity::Known && a.rows == b.rows && a.inner == b.inner;
  if (!same) return {Validity::Unknown, {}, 0, 0};
  return {Validity::Known, a.rows, a.inner, std::max(a.filled, b.filled)};
}

Validity resultValidity(Function function, const Validity& a, const Dim& a_rows, const Validity& b,
                        const Dim& b_rows) {
  if (function == Function::CacheWriteAddress) return {};                  // a new number
  if (function == Function::SetOffset || function == Function::RowAppend)  // the run's numbers
    return {Validity::Unknown, {}, 0, 0};
  if (!isElementwise(function)) return a;
  // As valid as the more valid operand, or as the one that is not a single row.
  const bool row_a = a_rows.extent == Expr(1), row_b = b_rows.extent == Expr(1);
  if (row_a != row_b) return row_a ? b : a;
  const bool one_is_full = a.kind == Validity::Full || b.kind == Validity::Full;
  return one_is_full && a_rows.extent == b_rows.extent ? Validity{} : commonValidity(a, b);
}

Expr flopsOf(Function function, const TileType& a, const TileType& b, bool weight_transposed) {
  const Expr rows = a.rows.extent, cols = a.cols.extent;
  switch (function) {
    case Function::Matmul:
      return Expr(2) * rows * cols * (weight_transposed ? b.rows.extent : b.cols.extent);
    case Function::Multiply:
    case Function::Add:
    case Function::Divide:
    case Function::Maximum:
      return larger(a.rows, b.rows).extent * larger(a.cols, b.cols).extent;
    case Function::Silu:
      return Expr(8) * rows * cols;
    case Function::Exp:
      return Expr(4) * rows * cols;
    case Function::RowSum:
      return rows * cols;
    default:
      return {};
  }
  return {};
}

Expr productBytes(const ShapeContext& t, const Expr& result) {
  return Expr(16) * t.in(0).element.tile()->cols.extent + sizeOf(t.in(1).element) + result;
}

std::optional<Diagnostic> checkInStep(const ShapeContext& t) {
  const Shape &a = t.in(0).shape, &b = t.in(1).shape;
  bool equal = a.size() == b.size();
  for (std::size_t d = 0; equal && d < a.size(); ++d) equal = !t.differ(a[d].extent, b[d].extent);
  if (equal) return {};
  return t.problem("shape-mismatch", t.portName(1),
                   "streams of shape " + text(a) + " and " + text(b) + " cannot be read in step",
                   "bring both to one shape (Repeat, Expand, Flatten, Reshape or Promote the other one)",
                   t.portName(0));
}

void failOutOfStep(simulator::Context& me, const simulator::Token& a, const simulator::Token& b) {
  if (a && b) {
    me.fail("wrong-token", 1,
            "the first stream has stop level " + std::to_string(a.stop) + ", the second " +
                std::to_string(b.stop),
            "both streams must have the same shape");
  } else {
    me.fail("wrong-token", a ? 1 : 0,
            std::string("the ") + (a ? "second" : "first") + " stream ended before the other",
            "both streams must have the same number of elements");
  }
}

std::string sizeText(const simulator::Token& token) {
  return std::to_string(token.rows) + " x " + std::to_string(token.cols);
}

void failBeyondTiles(simulator::Context& me, const simulator::Token& y) {
  me.fail("overflow", 0, "a tile of " + sizeText(y) + " is more than can be counted",
          "pack fewer or smaller tiles");
}

}  // namespace sluice::inline operators
