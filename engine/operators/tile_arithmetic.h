#pragma once
// TileArithmetic: computes the elements of tiles in functional mode. What the functions of functions.h do to
// a token's shape, this does to its elements.
//
// Numbers. float32: every operation rounds to float32. bfloat16: every operation computes in float32 and
// rounds its result to bfloat16 once; a matrix product and an accumulation over a stream sum in float32 and
// round when the tile leaves the operator. Sums run in ascending order of the reduced index, continued from
// tile to tile, so a result does not depend on how rows, columns or the reduced dimension of a product are
// tiled - not even in its last bit.
//
// Padding. Padding columns (TileValues::valid_cols) are zero after every operation, so they never count.
//
// Memory. The elements live as long as this object: functional mode is for verification, its memory grows
// with the tiles computed, up to a limit.

#include <deque>

#include "engine/operators/functions.h"
#include "engine/simulator/tile_values.h"

namespace sluice {

enum class Precision { Float32, BFloat16 };

class TileArithmetic {
 public:
  TileArithmetic(Precision precision, std::uint64_t memory_limit)
      : precision_(precision), memory_limit_(memory_limit) {}

  /// Gives `y`, the token that apply<function>() made of `a` and `b`, its elements.
  void apply(sim::Context& me, Function function, const sim::Token& a, const sim::Token& b,
             bool weight_transposed, sim::Token& y);

  /// A sum (product, packed tile) in progress; its elements are not rounded before it is finished.
  using Accumulator = sim::TileValues*;
  /// Takes `x` into it; null is a fresh one of the given size: zeros, or ones for a product of tiles.
  void accumulate(sim::Context& me, Function function, const sim::Token& x, std::uint32_t initial_rows,
                  std::uint32_t initial_cols, Accumulator& sum);
  void accumulateProduct(sim::Context& me, const sim::Token& a, const sim::Token& b, bool weight_transposed,
                         Accumulator& sum);
  /// Gives `y` the accumulated elements; the next accumulation starts afresh.
  void finish(Accumulator& sum, sim::Token& y);

  /// Row or column number `index` of `x`, as the 1-row tile `y`.
  void slice(sim::Context& me, const sim::Token& x, bool row, std::uint32_t index, sim::Token& y);
  /// The piece of `x` that begins at (row, col), as large as `y`.
  void piece(sim::Context& me, const sim::Token& x, std::uint32_t row, std::uint32_t col, sim::Token& y);
  /// Zeros of the size of `y`.
  void clear(sim::Context& me, sim::Token& y);

  /// Fresh elements, all zero, for the caller to fill and finish(); null when memory has run out - then the
  /// run ends with a fault.
  sim::TileValues* fresh(sim::Context& me, std::uint32_t rows, std::uint32_t cols);
  float rounded(float value) const;
  std::uint64_t memoryLimit() const { return memory_limit_; }

  /// Counts elements that live as long as the run; false as fresh().
  bool charge(sim::Context& me, std::uint64_t elements);

  static bool holdsValues(const sim::Token& token) {
    return token.kind == sim::TokenKind::Tile && (token.element_bytes == 2 || token.element_bytes == 4);
  }

 private:
  sim::TileValues* appendRows(sim::Context& me, const sim::Token& a, const sim::Token& b);
  static void pack(bool rows, const sim::TileValues& x, sim::TileValues& sum);
  static void fold(Function function, const sim::TileValues& x, sim::TileValues& sum);

  Precision precision_;
  std::uint64_t memory_limit_, used_ = 0;
  std::deque<sim::TileValues> tiles_;
};

}  // namespace sluice
