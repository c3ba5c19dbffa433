#include "engine/tensor/placement/fifo_blocks.h"

#include <algorithm>
#include <limits>

#include "engine/core/checked.h"
#include "engine/tensor/placement/memory_allocation.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t register_bits = 1024, register_tokens = 2;
constexpr std::int64_t shortest_block = 512;  ///< tokens; with another one no shape needs more blocks

/// The deepest that is made of shift registers.
std::int64_t registerDepth(std::int64_t token_bits) {
  return std::max(register_tokens, register_bits / token_bits);
}

}  // namespace

std::int64_t fifoBlocks(std::int64_t token_bits, std::int64_t depth) {
  if (depth <= registerDepth(token_bits)) return 0;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (token_bits > most / depth) return most;
  return blocksOf(MemoryBuffer{"", token_bits, depth, 1}, Resource::Bram);
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
