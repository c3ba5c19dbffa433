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

namespace sluice::inline operators {

enum class Precision { Float32, BFloat16 };

class TileArithmetic {
 public:
  TileArithmetic(Precision precision, std::uint64_t memory_limit)
      : precision_(precision), memory_limit_(memory_limit) {}

  /// Gives `y`, the token that apply<function>() made of `a` and `b`, its elements.
  void apply(simulator::Context& me, Function function, const simulator::Token& a, const simulator::Token& b,
             bool weight_transposed, simulator::Token& y);

  /// A sum (product, packed tile) in progress; its elements are not rounded before it is finished.
  using Accumulator = simulator::TileValues*;
  /// Takes `x` into it; null is a fresh one of the given size: zeros, or ones for a product of tiles.
  void accumulate(simulator::Context& me, Function function, const simulator::Token& x,
                  std::uint32_t initial_rows, std::uint32_t initial_cols, Accumulator& sum);
  void accumulateProduct(simulator::Context& me, const simulator::Token& a, const simulator::Token& b,
                         bool weight_transposed, Accumulator& sum);
  /// Gives `y` the accumulated elements, as many as it has; the next accumulation starts afresh.
  void finish(simulator::Context& me, Accumulator& sum, simulator::Token& y);

  /// Row or column number `index` of `x`, as the 1-row tile `y`.
  void slice(simulator::Context& me, const simulator::Token& x, bool row, std::uint32_t index,
             simulator::Token& y);
  /// The piece of `x` that begins at (row, col), as large as `y`.
  void piece(simulator::Context& me, const simulator::Token& x, std::uint32_t row, std::uint32_t col,
             simulator::Token& y);
  /// Zeros of the size of `y`.
  void clear(simulator::Context& me, simulator::Token& y);

  /// Fresh elements, all zero, for the caller to fill and finish(); null when memory has run out - then the
  /// run ends with a fault.
  simulator::TileValues* fresh(simulator::Context& me, std::uint32_t rows, std::uint32_t cols);
  float rounded(float value) const;
  std::uint64_t memoryLimit() const { return memory_limit_; }

  /// Counts elements that live as long as the run; false as fresh().
  bool charge(simulator::Context& me, std::uint64_t elements);

  static bool holdsValues(const simulator::Token& token) {
    return token.kind == simulator::TokenKind::Tile && (token.element_bytes == 2 || token.element_bytes == 4);
  }

 private:
  simulator::TileValues* appendRows(simulator::Context& me, const simulator::Token& a,
                                    const simulator::Token& b);
  void enlarge(simulator::Context& me, std::uint32_t rows, std::uint32_t cols, simulator::TileValues& sum);
  static void pack(bool rows, const simulator::TileValues& x, simulator::TileValues& sum);
  static void fold(Function function, const simulator::TileValues& x, simulator::TileValues& sum);

  Precision precision_;
  std::uint64_t memory_limit_, used_ = 0;
  std::deque<simulator::TileValues> tiles_;
};

}  // namespace sluice::inline operators
