#pragma once
// HIDA's example and random loop nests for tests.

#include <filesystem>

#include "engine/core/random.h"
#include "engine/tensor/loop_nests/loop_nest.h"

namespace sluice::testing_support {

std::filesystem::path hidaListingFile();
LoopProgram hidaListing();

/// A producer and a consumer of one array of rank 1 to 3, whose extents are powers of two; the consumer may
/// transpose, stride, and have a loop that the array does not know.
LoopProgram randomPair(SplitMix64& random);

/// A chain of two to five nests, each reading what earlier ones wrote, with extents of all kinds.
LoopProgram randomChain(SplitMix64& random);

}  // namespace sluice::testing_support
