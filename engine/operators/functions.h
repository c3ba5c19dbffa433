#pragma once
// The functions that Map, BinaryMap, Accum and their kin apply to tiles: result tile, FLOPs, and what happens to a token
// (step_sim_spec 4). Padding rows count as work.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/operators/operator.h"

namespace sluice {

enum class Function { Matmul, Multiply, Add, Divide, Silu, Exp, RowSum, RetileRow, RetileCol };

Function functionNamed(const std::string& name);  ///< the parameter's spelling: "matmul", "retile_row"; unknown: a bug, throws
bool combinesTwo(Function function);              ///< takes two tiles

/// The result's tile type; an error names the two shapes. `b` is ignored by functions of one tile.
Result<TileType> resultType(const Typing& t, Function function, const TileType& a, const TileType& b, bool weight_transposed);
/// FLOPs of one application to tiles of these types.
Expr flopsOf(Function function, const TileType& a, const TileType& b, bool weight_transposed);

/// Two streams that are read in step: equal ranks, equal static dimensions (dynamic ones are checked by the run).
std::optional<Diagnostic> checkInStep(const Typing& t);
/// The same in the run: both are there, with the same stop. Otherwise the simulation ends with a fault and this is false.
bool inStep(sim::Context& me, const sim::Token& a, const sim::Token& b);
std::string sizeText(const sim::Token& token);  ///< "16 x 64"

/// Whether two tokens can be combined at all; maps check it once a token, a wrong one ends the run with a fault.
template <Function F>
inline bool fits(const sim::Token& a, const sim::Token& b, bool weight_transposed) {
  if constexpr (F == Function::Matmul) {
    return a.cols == (weight_transposed ? b.cols : b.rows);
  } else if constexpr (F == Function::Multiply || F == Function::Add || F == Function::Divide) {
    return (a.rows == b.rows || a.rows == 1 || b.rows == 1) && (a.cols == b.cols || a.cols == 1 || b.cols == 1);
  } else {
    return true;
  }
}

/// The result without stop and memory flag; adds to `flops`.
template <Function F>
inline sim::Token apply(const sim::Token& a, const sim::Token& b, bool weight_transposed, Flops& flops) {
  sim::Token y = a;
  if constexpr (F == Function::Matmul) {
    y.cols = weight_transposed ? b.rows : b.cols;
    flops = 2 * Flops{a.rows} * a.cols * y.cols;
  } else if constexpr (F == Function::Multiply || F == Function::Add || F == Function::Divide) {
    y.rows = std::max(a.rows, b.rows);
    y.cols = std::max(a.cols, b.cols);
    y.valid = a.rows == b.rows ? std::max(a.valid, b.valid) : a.rows == 1 ? b.valid : a.valid;
    flops = Flops{y.rows} * y.cols;
  } else if constexpr (F == Function::Silu || F == Function::Exp) {
    flops = Flops{F == Function::Silu ? 8u : 4u} * a.rows * a.cols;
  } else {
    static_assert(F == Function::RowSum);
    y.cols = 1;
    flops = Flops{a.rows} * a.cols;
  }
  return y;
}

/// One step of an accumulation: acc with x taken in. The first step starts from an accumulator of the initial size.
template <Function F>
inline sim::Token accumulate(const sim::Token& acc, const sim::Token& x, Flops& flops) {
  sim::Token y = x;
  if constexpr (F == Function::RetileRow) {
    y.rows = acc.rows + x.rows;
    y.valid = acc.valid + x.valid;
    flops = 0;
  } else if constexpr (F == Function::RetileCol) {
    y.cols = acc.cols + x.cols;
    flops = 0;
  } else {
    y.rows = std::max(acc.rows, x.rows);
    y.cols = std::max(acc.cols, x.cols);
    y.valid = y.rows;
    flops = Flops{y.rows} * y.cols;
  }
  return y;
}

}  // namespace sluice
