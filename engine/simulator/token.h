#pragma once
// Token: what travels through a stream. Trivially copyable, 32 bytes, no allocation: a tile carries its
// shape, not its data (timing mode); selectors are interned; buffers and tuples live in the network's pools
// and are counted by hand (see Context::share).

#include <cstdint>
#include <vector>

namespace sluice::inline simulator {

/// Which outputs a multi-hot selector chooses. Interned: one object per distinct selector, alive as long as
/// the network.
struct Selector {
  std::vector<std::uint32_t> indices;  ///< ascending
  std::uint32_t width = 0;
};

struct Group;
struct TileValues;

enum class TokenKind : std::uint8_t { None, Tile, Selector, Buffer, Tuple };

struct Token {
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t valid = 0;  ///< rows that are not padding (the reference's "offset")
  std::uint32_t stop = 0;   ///< 0: Val; k: the last value of k closed dimensions
  TokenKind kind = TokenKind::None;
  std::uint8_t element_bytes = 0;
  /// Left in a memory unit: the next operator that processes it pays the read (semantics.md 1.3).
  bool from_memory = false;
  union {
    std::uint64_t scalar = 0;  ///< value of a u64 1x1 tile
    const Selector* selector;
    const TileValues* values;  ///< other tiles: their elements in functional mode, else null
    Group* group;              ///< Buffer: the buffered tokens; Tuple: its elements
  };

  explicit operator bool() const { return kind != TokenKind::None; }
  std::uint64_t bytes() const {
    if (kind == TokenKind::Selector) return selector->width;
    return std::uint64_t{rows} * cols * element_bytes;
  }

  bool isNumber() const { return element_bytes == 8 || element_bytes == 1; }  ///< a tile of u64 or bool

  static Token tile(std::uint32_t rows, std::uint32_t cols, std::uint8_t element_bytes, bool from_memory) {
    Token token;
    token.rows = rows, token.cols = cols, token.valid = rows;
    token.kind = TokenKind::Tile;
    token.element_bytes = element_bytes;
    token.from_memory = from_memory;
    return token;
  }
  static Token number(std::uint64_t value) {
    Token token = tile(1, 1, 8, false);
    token.scalar = value;
    return token;
  }
  static Token select(const Selector* selector) {
    Token token;
    token.kind = TokenKind::Selector;
    token.selector = selector;
    return token;
  }
  Token withStop(std::uint32_t level) const {
    Token token = *this;
    token.stop = level;
    return token;
  }
};
static_assert(sizeof(Token) == 32);

/// The tokens of a buffer or of a tuple. Pooled; `users` counts the tokens that refer to it.
struct Group {
  std::vector<Token> tokens;
  std::uint64_t users = 0;
  std::uint32_t rank = 0;  ///< Buffer: the buffered dimensions
  std::uint32_t unit = 0;  ///< Buffer: the on-chip memory unit that it lies in
};

}  // namespace sluice::inline simulator
