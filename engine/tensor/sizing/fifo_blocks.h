#pragma once
// What a FIFO takes of an AMD device as Vitis HLS builds it by default: shift registers while it holds 1,024
// bits at most or two tokens (UG1399, config_storage: auto_srl_max_bits, auto_srl_max_depth), else block RAM
// in whole halves of 18 Kbit, each 512 x 36, 1K x 18, 2K x 9, 4K x 4, 8K x 2 or 16K x 1 (UG573).

#include <cstdint>
#include <vector>

namespace sluice::inline tensor {

/// Blocks of 18 Kbit of a memory of so many words, in the best of the shapes. Both numbers at least 1, their
/// product a number of 63 bits.
std::int64_t bramBlocks(std::int64_t word_bits, std::int64_t words);

/// The same of a FIFO; 0: shift registers. Both numbers at least 1; the largest number where the bits are
/// more than that.
std::int64_t fifoBlocks(std::int64_t token_bits, std::int64_t depth);

/// The depths up to `most` that are worth choosing, ascending: each the deepest with its number of blocks.
std::vector<std::int64_t> fifoBlockDepths(std::int64_t token_bits, std::int64_t most);

}  // namespace sluice::inline tensor
