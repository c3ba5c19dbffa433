#include "engine/operators/tile_arithmetic.h"

#include <Eigen/Core>
#include <cmath>

namespace sluice::inline operators {

namespace {

using simulator::TileValues;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Matrix>;
using MutableView = Eigen::Map<Matrix>;

View view(const TileValues& x) {
  return {x.elements.data(), x.rows, x.cols};
}
MutableView view(TileValues& x) {
  return {x.elements.data(), x.rows, x.cols};
}

/// The operand stretched to rows x cols where it has only one.
Matrix stretched(const TileValues& x, std::uint32_t rows, std::uint32_t cols) {
  return view(x).replicate(x.rows == rows ? 1 : rows, x.cols == cols ? 1 : cols);
}

/// One value at a time: a vectorised exp may differ between the middle and the rest of a row, and a result
/// must not depend on the tiling.
float silu(float x) {
  return x / (1.0F + std::exp(-x));
}

std::uint32_t validColumns(const TileValues& a, const TileValues& b) {
  if (a.cols == b.cols) return std::max(a.valid_cols, b.valid_cols);
  return a.cols == 1 ? b.valid_cols : a.valid_cols;
}

void combine(Function function, const TileValues& a, const TileValues& b, TileValues& y) {
  const Matrix first = stretched(a, y.rows, y.cols), second = stretched(b, y.rows, y.cols);
  if (function == Function::Multiply) view(y) = first.cwiseProduct(second);
  if (function == Function::Add) view(y) = first + second;
  if (function == Function::Divide) view(y) = first.cwiseQuotient(second);
  if (function == Function::Maximum) view(y) = first.cwiseMax(second);
  y.valid_cols = validColumns(a, b);
}

/// sum += a b, by rank-1 updates in ascending order of the reduced index.
void multiplyInto(TileValues& sum, const simulator::Token& a, const simulator::Token& b, bool transposed) {
  const View left = view(*a.values);
  const Matrix right = transposed ? Matrix(view(*b.values).transpose()) : Matrix(view(*b.values));
  MutableView result = view(sum);
  for (Eigen::Index row = 0; row < left.rows(); ++row) {
    for (Eigen::Index k = 0; k < a.values->valid_cols; ++k) result.row(row) += left(row, k) * right.row(k);
  }
  sum.valid_cols = transposed ? std::min(b.valid, b.values->rows) : b.values->valid_cols;
}

}  // namespace

float TileArithmetic::rounded(float value) const {
  return precision_ == Precision::BFloat16 ? static_cast<float>(Eigen::bfloat16(value)) : value;
}

bool TileArithmetic::charge(simulator::Context& me, std::uint64_t elements) {
  used_ += elements * sizeof(float);
  if (used_ <= memory_limit_) return true;
  me.fail(
      "too-many", 0,
      "the tiles computed so far take more than " + std::to_string(memory_limit_ >> 20) + " MiB of memory",
      "verify a smaller instance of the program (functional mode keeps every tile)");
  return false;
}

TileValues* TileArithmetic::fresh(simulator::Context& me, std::uint32_t rows, std::uint32_t cols) {
  const std::uint64_t elements = std::uint64_t{rows} * cols;
  // Small tiles take more for themselves than for their elements.
  constexpr std::uint64_t block =
      (sizeof(simulator::TileValues) + 2 * sizeof(std::max_align_t)) / sizeof(float);
  if (!charge(me, elements + block)) return nullptr;
  return &tiles_.emplace_back(TileValues{rows, cols, cols, std::vector<float>(elements, 0.0F)});
}

void TileArithmetic::finish(simulator::Context& me, Accumulator& sum, simulator::Token& y) {
  if (sum) {
    if (sum->rows < y.rows || sum->cols < y.cols) enlarge(me, y.rows, y.cols, *sum);
    for (float& value : sum->elements) value = rounded(value);
    view(*sum).rightCols(sum->cols - sum->valid_cols).setZero();
  }
  if (holdsValues(y)) y.values = sum;
  sum = nullptr;
}

/// Padding that was packed has no values; it stands behind the data, as in the token.
void TileArithmetic::enlarge(simulator::Context& me, std::uint32_t rows, std::uint32_t cols,
                             TileValues& sum) {
  rows = std::max(rows, sum.rows), cols = std::max(cols, sum.cols);
  if (!charge(me, std::uint64_t{rows} * cols - sum.elements.size())) return;
  Matrix larger = Matrix::Zero(rows, cols);
  larger.topLeftCorner(sum.rows, sum.cols) = view(sum);
  sum.rows = rows, sum.cols = cols;
  sum.elements.assign(larger.data(), larger.data() + larger.size());
}

/// The rows of `b` written over the padding rows of `a`.
TileValues* TileArithmetic::appendRows(simulator::Context& me, const simulator::Token& a,
                                       const simulator::Token& b) {
  if (std::uint64_t{a.valid} + b.rows > a.rows) {
    me.fail("wrong-token", 1,
            std::to_string(b.rows) + " rows do not fit behind " + std::to_string(a.valid) + " in a tile of " +
                sizeText(a),
            "the offset (set_offset) must leave room for the rows that are appended");
    return nullptr;
  }
  TileValues* y = fresh(me, a.rows, a.cols);
  if (!y) return nullptr;
  y->elements = a.values->elements;
  view(*y).middleRows(a.valid, b.rows) = view(*b.values);
  return y;
}

void TileArithmetic::apply(simulator::Context& me, Function function, const simulator::Token& a,
                           const simulator::Token& b, bool weight_transposed, simulator::Token& y) {
  if (!holdsValues(y)) return;
  y.values = nullptr;
  const bool two = combinesTwo(function) && function != Function::SetOffset;
  if (!a.values || (two && (!holdsValues(b) || !b.values))) return;
  if (function == Function::SetOffset) {
    y.values = a.values;
    return;
  }
  if (function == Function::RowAppend) {
    y.values = appendRows(me, a, b);
    return;
  }
  TileValues* result = fresh(me, y.rows, y.cols);
  if (!result) return;
  if (function == Function::Matmul) {
    multiplyInto(*result, a, b, weight_transposed);
  } else if (two) {
    combine(function, *a.values, *b.values, *result);
  } else if (function == Function::RowSum) {
    for (Eigen::Index k = 0; k < a.values->valid_cols; ++k) view(*result) += view(*a.values).col(k);
  } else {
    result->valid_cols = a.values->valid_cols;
    const auto one = [&](float x) { return function == Function::Silu ? silu(x) : std::exp(x); };
    view(*result) = view(*a.values).unaryExpr(one);
  }
  finish(me, result, y);
}

/// Puts the rows (or columns) of `x` behind those of `sum`.
void TileArithmetic::pack(bool rows, const TileValues& x, TileValues& sum) {
  if (rows) {
    sum.elements.insert(sum.elements.end(), x.elements.begin(), x.elements.end());
    sum.rows += x.rows;
    sum.valid_cols = std::max(sum.valid_cols, x.valid_cols);
    return;
  }
  Matrix wider(x.rows, sum.cols + x.cols);
  wider << view(sum), view(x);
  if (x.valid_cols > 0) sum.valid_cols = sum.cols + x.valid_cols;  // else behind the data there is padding
  sum.cols += x.cols;
  sum.elements.assign(wider.data(), wider.data() + wider.size());
}

void TileArithmetic::accumulate(simulator::Context& me, Function function, const simulator::Token& x,
                                std::uint32_t initial_rows, std::uint32_t initial_cols, Accumulator& sum) {
  if (!holdsValues(x) || !x.values || function == Function::SignalAllRead) return;
  const bool packs = function == Function::RetileRow || function == Function::RetileCol;
  const TileValues& taken = *x.values;
  const bool first = !sum;
  if (first) {
    const bool by_row = function == Function::RetileRow, by_col = function == Function::RetileCol;
    sum = fresh(me, by_col ? x.rows : initial_rows, by_row ? x.cols : initial_cols);
    if (!sum) return;
    if (!packs || by_row) sum->valid_cols = by_row ? taken.valid_cols : 0;
    if (function == Function::Multiply) view(*sum).setOnes();
  }
  const bool columns_fit = sum->cols == x.cols || (!packs && (sum->cols <= 1 || x.cols == 1));
  const bool rows_fit = sum->rows == x.rows || (!packs && (sum->rows <= 1 || x.rows == 1));
  if (!(columns_fit || function == Function::RetileCol) || !(rows_fit || function == Function::RetileRow)) {
    return me.fail("wrong-token", 0,
                   "a tile of " + sizeText(x) + " does not fit an accumulator of " +
                       std::to_string(sum->rows) + " x " + std::to_string(sum->cols),
                   "give the accumulator (init) the size of the tiles");
  }
  if (packs) {
    if (charge(me, taken.elements.size())) pack(function == Function::RetileRow, taken, *sum);
    return;
  }
  fold(function, taken, *sum);
}

/// sum += x, sum *= x or sum = max(sum, x), elementwise.
void TileArithmetic::fold(Function function, const TileValues& x, TileValues& sum) {
  // An accumulator of size 0 (dynamic tiles), or of one row or column, takes the size of what comes.
  const std::uint32_t rows = std::max(sum.rows, x.rows), cols = std::max(sum.cols, x.cols);
  if (sum.elements.empty()) {
    sum.elements.assign(std::size_t{rows} * cols, function == Function::Multiply ? 1.0F : 0.0F);
  } else if (rows != sum.rows || cols != sum.cols) {
    const Matrix larger = stretched(sum, rows, cols);
    sum.elements.assign(larger.data(), larger.data() + larger.size());
  }
  sum.rows = rows, sum.cols = cols;
  const std::uint32_t valid = x.cols == 1 && cols > 1 ? cols : std::max(sum.valid_cols, x.valid_cols);
  const Matrix operand = stretched(x, rows, cols);
  if (function == Function::Multiply) {
    view(sum).array() *= operand.array();
  } else if (function == Function::Maximum) {
    view(sum) = view(sum).cwiseMax(operand);
  } else {
    view(sum) += operand;
  }
  sum.valid_cols = valid;
}

void TileArithmetic::accumulateProduct(simulator::Context& me, const simulator::Token& a,
                                       const simulator::Token& b, bool weight_transposed, Accumulator& sum) {
  if (!holdsValues(a) || !holdsValues(b) || !a.values || !b.values) return;
  if (!sum) sum = fresh(me, a.rows, weight_transposed ? b.rows : b.cols);
  if (sum) multiplyInto(*sum, a, b, weight_transposed);
}

void TileArithmetic::slice(simulator::Context& me, const simulator::Token& x, bool row, std::uint32_t index,
                           simulator::Token& y) {
  if (!holdsValues(x)) return;
  y.values = nullptr;
  TileValues* result = x.values ? fresh(me, y.rows, y.cols) : nullptr;
  if (!result) return;
  if (row) {
    view(*result) = view(*x.values).row(index);
    result->valid_cols = x.values->valid_cols;
  } else {
    view(*result) = view(*x.values).col(index).transpose();
  }
  y.values = result;
}

void TileArithmetic::piece(simulator::Context& me, const simulator::Token& x, std::uint32_t row,
                           std::uint32_t col, simulator::Token& y) {
  if (!holdsValues(x)) return;
  y.values = nullptr;
  TileValues* result = x.values ? fresh(me, y.rows, y.cols) : nullptr;
  if (!result) return;
  view(*result) = view(*x.values).block(row, col, y.rows, y.cols);
  result->valid_cols = std::min(y.cols, x.values->valid_cols - std::min(x.values->valid_cols, col));
  y.values = result;
}

void TileArithmetic::clear(simulator::Context& me, simulator::Token& y) {
  y.values = fresh(me, y.rows, y.cols);
}

}  // namespace sluice::inline operators
