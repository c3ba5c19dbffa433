#include "engine/tensor/sizing/fifo_blocks.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/core/checked.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t register_bits = 1024, register_tokens = 2;
constexpr std::int64_t shortest_block = 512;  ///< tokens; with another one no shape needs more blocks

/// The deepest that is made of shift registers.
std::int64_t registerDepth(std::int64_t token_bits) {
  return std::max(register_tokens, register_bits / token_bits);
}

}  // namespace

std::int64_t bramBlocks(std::int64_t word_bits, std::int64_t words) {
  constexpr std::array<std::pair<std::int64_t, std::int64_t>, 6> shapes{
      {{36, 512}, {18, 1024}, {9, 2048}, {4, 4096}, {2, 8192}, {1, 16384}}};
  const auto pieces = [](std::int64_t amount, std::int64_t piece) {
    return amount / piece + (amount % piece == 0 ? 0 : 1);
  };
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& [wide, deep] : shapes)
    least = std::min(least, pieces(word_bits, wide) * pieces(words, deep));
  return least;
}

std::int64_t fifoBlocks(std::int64_t token_bits, std::int64_t depth) {
  if (depth <= registerDepth(token_bits)) return 0;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (token_bits > most / depth) return most;
  return bramBlocks(token_bits, depth);
}

std::vector<std::int64_t> fifoBlockDepths(std::int64_t token_bits, std::int64_t most) {
  std::vector<std::int64_t> depths;
  const std::int64_t registers = registerDepth(token_bits);
  if (registers < most) depths.push_back(registers);
  for (std::int64_t depth = shortest_block; depth < most; depth += shortest_block)
    if (depth > registers && fifoBlocks(token_bits, depth) < fifoBlocks(token_bits, depth + 1))
      depths.push_back(depth);
  depths.push_back(most);
  return depths;
}

}  // namespace sluice::inline tensor
