#pragma once
// What a converter between two streams is set to: how often its buffer is filled and drained, and what it
// holds. Streams may send their tiles in vectors: a converter works on the whole tiles.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

struct ConverterCounts {
  std::int64_t iterations = 1;  ///< of the loops around the buffer
  std::int64_t bytes = 0;       ///< both halves together

  bool operator==(const ConverterCounts&) const = default;
};

/// How often the loops around a converter's buffer run: the outermost `before_loop` of the source that run
/// more than once.
std::int64_t sharedIterations(const ITensor& source, std::size_t before_loop);
/// Both halves of a buffer of that shape, together.
std::int64_t doubleBufferBytes(std::span<const std::int64_t> buffer, const ITensor& source);

/// Every setting that the orders of inferConverter allow for whole tiles or for what the streams cut them
/// into, the smallest buffer first, and that of the whole tensor. Empty where there is no converter: the
/// types are of different tensors, or the source leaves elements out.
std::vector<ConverterCounts> converterCounts(const ITensor& source, const ITensor& result);

}  // namespace sluice::inline itensor
