#pragma once
// The type of a stream: its shape and the type of its elements (STeP, section 3.1;
// engine/symbolic/cost_model.md 1), and, where somebody says so, the order in which its tiles come
// (StreamTensor, MICRO '25, section 3: the iterative tensor type).

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/scalar.h"
#include "engine/itensor/itensor.h"
#include "engine/symbolic/shape.h"

namespace sluice::inline operators {

struct TileType {
  Scalar scalar = Scalar::F32;
  Dim rows, cols;  ///< dynamic tiles have a non-static dimension
  bool operator==(const TileType&) const = default;
};

struct SelectorType {
  Expr width;                  ///< number of targets; multi-hot: one byte each
  std::optional<Expr> active;  ///< a list of so many target numbers instead, two bytes each
  bool operator==(const SelectorType&) const = default;
};

struct BufferType {
  TileType tile;
  Shape shape;  ///< of the buffered dimensions
  bool operator==(const BufferType&) const = default;
};

struct ElementType;

/// What Zip makes: several elements travelling as one.
struct TupleType {
  std::vector<ElementType> elements;
  bool operator==(const TupleType& other) const;
};

struct ElementType : std::variant<TileType, SelectorType, BufferType, TupleType> {
  using Base = std::variant<TileType, SelectorType, BufferType, TupleType>;
  using Base::Base;
  const TileType* tile() const { return std::get_if<TileType>(this); }
  const SelectorType* selector() const { return std::get_if<SelectorType>(this); }
  const BufferType* buffer() const { return std::get_if<BufferType>(this); }
  const TupleType* tuple() const { return std::get_if<TupleType>(this); }
};

/// What is known of a selector stream before any run: how often each target is selected, if that follows from
/// the inputs.
struct Routing {
  std::string stem;                    ///< names the symbols: target i of stem "route" is "route_3"
  std::vector<std::int64_t> selected;  ///< per target
};

/// How many rows of a tile stream are data and not padding; decides how many rows a filtering FlatMap gives.
struct Validity {
  enum Kind { Full, Known, Unknown } kind = Full;
  Expr rows;  ///< Known: valid rows, summed over the stream without its innermost `inner` dimensions, which
              ///< repeat them
  std::size_t inner = 0;
  std::size_t filled = 0;  ///< Known: every group of so many inner dimensions has a valid row; 0: every tile

  /// A new dimension at rank index `at`, with the elements of a group that was there or with copies of one.
  void insert(std::size_t at) {
    if (inner > at) ++inner;
    if (filled > at) ++filled;
  }
  /// Each group of the innermost `rank` dimensions has become one tile.
  void fold(std::size_t rank) {
    inner -= std::min(inner, rank);
    filled -= std::min(filled, rank);
  }
};

struct StreamType {
  Shape shape;
  ElementType element;
  std::shared_ptr<const Routing> routing;  ///< selector streams only
  Validity validity;
  /// Which tile of a tensor each token is (StreamTensor 3: iteration space and map). The shape counts the
  /// tokens, the order says what they are, so both have equally many. Null: unknown, and the
  /// tokens are in the row-major order of the shape, as all of STeP's are.
  StreamOrder order = nullptr;
};

Expr sizeOf(const ElementType& element);  ///< bytes of one element
Expr sizeOf(const TileType& tile);
std::string text(
    const ElementType& element);  ///< "tile[16, 4096]:f32", "selector(8)", "buffer[4, 2] of tile[...]"
/// "[1, B] tile[1, 4096]:f32"; with an order "[1, 8] tile[4, 2]:f32 as itensor<4x2xf32, ...>".
std::string text(const StreamType& type);
std::string latex(const StreamType& type);

}  // namespace sluice::inline operators
