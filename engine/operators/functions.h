#pragma once
// The functions that Map, BinaryMap, Accum and their kin apply to tiles: result tile, FLOPs, and what happens
// to a token (timing.md 9). Padding rows count as work.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/core/checked.h"
#include "engine/operators/operator.h"

namespace sluice::inline operators {

enum class Function {
  Matmul,
  Multiply,
  Add,
  Divide,
  Maximum,
  Silu,
  Exp,
  RowSum,  // compute on tiles
  SetOffset,
  RowAppend,
  CacheWriteAddress,  // bookkeeping of a KV cache: a flat cycle each
  RetileRow,
  RetileCol,
  SignalAllRead,  // accumulations only
  RetileStreamify,
  SplitTile  // one tile becomes several
};

Function functionNamed(
    const std::string& name);  ///< the parameter's spelling: "matmul", "retile_row"; unknown: a bug, throws
bool combinesTwo(Function function);  ///< takes two tiles

/// What a function means to rows and columns: how a change of its tiles goes through it.
enum class TileRule {
  Whole,        ///< nothing but whole tiles
  EachElement,  ///< every element for itself; of two tiles those at the same place
  EachRow,      ///< every row for itself
  Product,      ///< rows of the first tile by columns of the second
  JoinColumns,  ///< tiles become one, side by side
  Pieces        ///< a tile becomes tiles that have dimensions of their own
};
/// By the parameter's spelling; Whole where it is none, as the name of a knob.
TileRule tileRuleOf(const std::string& name);
/// Costs one cycle whatever the tile and the compute bandwidth (timing.md 9).
constexpr bool takesOneCycle(Function function) {
  return function == Function::SetOffset || function == Function::RowAppend ||
         function == Function::CacheWriteAddress || function == Function::SignalAllRead;
}

/// Combines two tiles element by element, spreading a single row or column.
constexpr bool isElementwise(Function function) {
  return function == Function::Multiply || function == Function::Add || function == Function::Divide ||
         function == Function::Maximum;
}

/// Starts the coroutine of the function that the operator's parameter names, one of `Functions`:
/// `start.operator()<F>()`.
template <Function... Functions, class Start>
simulator::Process startFunction(const Instance& instance, Start start) {
  const Function named = functionNamed(instance.op.parameters.string("function"));
  simulator::Process process;
  const bool known =
      ((named == Functions && (process = start.template operator()<Functions>(), true)) || ...);
  if (!known) throw std::logic_error("an operator of another function");
  return process;
}

/// The result's tile type; an error names the two shapes. `b` is ignored by functions of one tile.
Result<TileType> resultType(const ShapeContext& t, Function function, const TileType& a, const TileType& b,
                            bool weight_transposed);
/// What is known of the valid rows of the results; `a_rows`, `b_rows`: of the tiles they are made of.
Validity resultValidity(Function function, const Validity& a, const Dim& a_rows, const Validity& b,
                        const Dim& b_rows);
/// Of two streams in step, as far as it is the same.
Validity commonValidity(const Validity& a, const Validity& b);
/// FLOPs of one application to tiles of these types.
Expr flopsOf(Function function, const TileType& a, const TileType& b, bool weight_transposed);

/// By the paper: 16 rows of the first operand of a product (as printed: elements, not bytes), the second one,
/// and the result.
Expr productBytes(const ShapeContext& t, const Expr& result);

/// Two streams that are read in step: equal ranks, equal static dimensions (dynamic ones are checked by the
/// run).
std::optional<Diagnostic> checkInStep(const ShapeContext& t);
/// Otherwise the run fails.
[[gnu::cold]] void failOutOfStep(simulator::Context& me, const simulator::Token& a,
                                 const simulator::Token& b);
/// The same in the run: both are there, with the same stop. Otherwise the simulation ends with a fault and
/// this is false.
[[gnu::always_inline]] inline bool inStep(simulator::Context& me, const simulator::Token& a,
                                          const simulator::Token& b) {
  if (a && b && a.stop == b.stop) [[likely]]
    return true;
  failOutOfStep(me, a, b);
  return false;
}
std::string sizeText(const simulator::Token& token);  ///< "16 x 64"

/// Extents that do not fit are the largest there is; charge() refuses that.
constexpr std::uint32_t saturatingSum(std::uint32_t a, std::uint32_t b) {
  return a + b < a ? std::numeric_limits<std::uint32_t>::max() : a + b;
}
/// The run fails: a tile of that size is more than can be counted.
[[gnu::cold]] void failBeyondTiles(simulator::Context& me, const simulator::Token& y);
/// Counts the operations that made the tile `y`. False, and the run fails, where `y` is larger than a tile
/// can be; where the operations are too many it fails, too.
[[gnu::always_inline]] inline bool charge(simulator::Context& me, const simulator::Token& y, Flops flops) {
  constexpr std::uint64_t most_elements = std::uint64_t{1} << 59;  // their bytes stay within 62 bits
  constexpr std::uint32_t beyond = std::numeric_limits<std::uint32_t>::max();
  me.countFlops(flops);
  const bool saturated = std::max(y.rows, y.cols) == beyond;
  const bool large = std::uint64_t{y.rows} * y.cols > most_elements;
  if (!(saturated | large)) [[likely]]  // one branch, for every token
    return true;
  failBeyondTiles(me, y);
  return false;
}

/// Whether two tokens can be combined at all; maps check it once a token, a wrong one ends the run with a
/// fault.
template <Function F>
inline bool fits(const simulator::Token& a, const simulator::Token& b, bool weight_transposed) {
  if constexpr (F == Function::Matmul) {
    return a.cols == (weight_transposed ? b.cols : b.rows);
  } else if constexpr (isElementwise(F)) {
    return (a.rows == b.rows || a.rows == 1 || b.rows == 1) &&
           (a.cols == b.cols || a.cols == 1 || b.cols == 1);
  } else {
    return true;
  }
}

/// The result, with the memory flag of `a` and its stop; sets `flops`. `row_offset`: tiles of one request's
/// cache.
template <Function F>
inline simulator::Token apply(const simulator::Token& a, const simulator::Token& b, bool weight_transposed,
                              Flops& flops, std::uint64_t row_offset = 0) {
  simulator::Token y = a;
  if constexpr (F == Function::Matmul) {
    y.cols = weight_transposed ? b.rows : b.cols;
    flops = saturatingProduct(saturatingProduct(2 * Flops{a.rows}, a.cols), y.cols);
  } else if constexpr (isElementwise(F)) {
    y.rows = std::max(a.rows, b.rows);
    y.cols = std::max(a.cols, b.cols);
    y.valid = a.rows == b.rows ? std::max(a.valid, b.valid) : a.rows == 1 ? b.valid : a.valid;
    flops = Flops{y.rows} * y.cols;
  } else if constexpr (F == Function::Silu || F == Function::Exp) {
    flops = saturatingProduct(Flops{F == Function::Silu ? 8u : 4u} * a.rows, a.cols);
  } else if constexpr (F == Function::SetOffset) {
    y.valid = static_cast<std::uint32_t>(b.scalar);
  } else if constexpr (F == Function::RowAppend) {
    y.valid = saturatingSum(a.valid, b.rows);
  } else if constexpr (F == Function::CacheWriteAddress) {
    y = simulator::Token::number(a.scalar * row_offset + b.scalar).withStop(a.stop);
  } else {
    static_assert(F == Function::RowSum);
    y.cols = 1;
    flops = Flops{a.rows} * a.cols;
  }
  return y;
}

/// One step of an accumulation: acc with x taken in. The first step starts from an accumulator of the initial
/// size.
template <Function F>
inline simulator::Token accumulate(const simulator::Token& acc, const simulator::Token& x, Flops& flops) {
  simulator::Token y = x;
  if constexpr (F == Function::RetileRow) {
    y.rows = saturatingSum(acc.rows, x.rows);
    y.valid = saturatingSum(acc.valid, x.valid);
    flops = 0;
  } else if constexpr (F == Function::RetileCol) {
    y.cols = saturatingSum(acc.cols, x.cols);
    flops = 0;
  } else if constexpr (F == Function::SignalAllRead) {
    y = simulator::Token::number(1).withStop(x.stop);
  } else {
    y.rows = std::max(acc.rows, x.rows);
    y.cols = std::max(acc.cols, x.cols);
    y.valid = y.rows;
    flops = Flops{y.rows} * y.cols;
  }
  return y;
}

}  // namespace sluice::inline operators
