#pragma once
// What the tests of iterative tensor types share: random types, their tokens by plain enumeration, and the
// records of tests/data/streamtensor.

#include <map>
#include <string>
#include <vector>

#include "engine/core/random.h"
#include "engine/itensor/itensor.h"

namespace sluice::testing_support {

using Numbers = std::vector<std::int64_t>;

/// The offsets of every token in order, straight from the definition.
std::vector<Numbers> enumerateOffsets(const ITensor& type);

std::int64_t between(SplitMix64& random, std::int64_t low, std::int64_t high);
bool chance(SplitMix64& random, std::uint64_t percent);

/// Any well-formed type: affine maps with constants and negative coefficients, vectors, all scalars.
ITensor randomType(SplitMix64& random);
/// A type with the same tokens, written differently: unit loops, split loops, shifted factors.
ITensor rewritten(const ITensor& type, SplitMix64& random);

/// A regular tiling of a small random tensor, and another of the same tensor, often alike.
struct TilingPair {
  ITensor source, result;
  Numbers shape;
};
TilingPair randomTilings(SplitMix64& random, bool unit_loops);

/// The records of a file of tests/data/streamtensor: "key value" lines, records apart by empty lines.
using Record = std::map<std::string, std::string>;
std::vector<Record> readRecords(const std::string& file);
/// "4,2 0,1" and the like, as lists of numbers.
std::vector<Numbers> numberLists(const std::string& text);

ITensor typeOf(const std::string& text);
Numbers shapeOf(const std::string& text);

}  // namespace sluice::testing_support
