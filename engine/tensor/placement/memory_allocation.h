#pragma once
// Which of the chip's memories each buffer goes to: LUTRAM, BRAM or URAM by its size, in whole blocks, the
// next kind where one is full.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/tensor/placement/platform.h"

namespace sluice::inline tensor {

struct MemoryBuffer {
  std::string name;
  std::int64_t word_bits = 8;
  std::int64_t depth = 1;  ///< words, of all banks together
  std::int64_t banks = 1;  ///< each a memory of its own

  bool operator==(const MemoryBuffer&) const = default;
};

std::int64_t bytesOf(const MemoryBuffer& buffer);
/// Whole blocks of LutRam, Bram or Uram that it takes: BRAM in the best of its shapes (36 x 512 to 1 x
/// 16384).
std::int64_t blocksOf(const MemoryBuffer& buffer, Resource memory);

/// The paper says "by size" and no numbers; these are ours, the last one HIDA's. They are of one bank, as
/// each is a memory of its own.
struct MemoryThresholds {
  std::int64_t uram_bytes = 32 << 10;  ///< from here on URAM
  std::int64_t uram_depth = 4096;      ///< or this deep, with words as wide as a URAM's
  std::int64_t uram_bits = 72;
  std::int64_t lutram_depth = 128;  ///< banks less deep than this are LUTRAM, however many there are
};

/// Where a buffer goes if there is room.
Resource preferredMemory(const MemoryBuffer& buffer, const MemoryThresholds& thresholds);

struct PlacedBuffer {
  Resource memory = Resource::Bram;
  std::int64_t blocks = 0;

  bool operator==(const PlacedBuffer&) const = default;
};

struct MemoryAllocation {
  std::vector<PlacedBuffer> buffers;  ///< per buffer
  Resources used;                     ///< by buffers; LUTRAM is also LUTs
  Resources available;

  /// Used part of what there is; 0 of nothing.
  double utilisation(Resource resource) const;
};

/// Largest buffers first. Refuses sizes below 1 or too large, and buffers that find no room anywhere: it
/// names them and what is missing. It takes back no decision, so that a tight fit may be missed. `logic` is
/// what of `available` goes to something else than buffers.
Result<MemoryAllocation> allocateMemory(std::span<const MemoryBuffer> buffers, const Resources& available,
                                        const MemoryThresholds& thresholds = {}, const Resources& logic = {});

}  // namespace sluice::inline tensor
