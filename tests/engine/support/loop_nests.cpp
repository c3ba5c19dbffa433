#include "tests/engine/support/loop_nests.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "engine/tensor/loop_nests/loop_nest_file.h"

namespace sluice::testing_support {
namespace {

std::string loopName(std::size_t loop) {
  return "l" + std::to_string(loop);
}

/// A nest over all dimensions of `written`, which it writes, in a random loop order.
LoopNest writerOf(const LoopProgram& program, std::size_t written, SplitMix64& random) {
  const std::vector<std::int64_t>& shape = program.arrays[written].shape;
  std::vector<std::size_t> dimension(shape.size());
  std::iota(dimension.begin(), dimension.end(), std::size_t{0});
  random.shuffle(std::span(dimension));
  LoopNest nest{"n" + std::to_string(program.nests.size()), {}, {{written, true, {}}}, 1};
  nest.accesses[0].indices.resize(shape.size());
  for (const std::size_t k : dimension) {
    nest.accesses[0].indices[k].loop = nest.loops.size();
    nest.loops.push_back({loopName(nest.loops.size()), shape[k], LoopKind::Parallel});
  }
  return nest;
}

/// Lets the nest read an array: each dimension by a loop of its own extent, over every scale-th element where
/// that is possible, or by a new reduction.
void addRead(LoopNest& nest, const LoopProgram& program, std::size_t array, SplitMix64& random) {
  ArrayAccess access{array, false, {}};
  for (const std::int64_t extent : program.arrays[array].shape) {
    AccessIndex index;
    for (std::size_t loop = 0; loop < nest.loops.size() && !index.loop; ++loop) {
      const std::int64_t trips = nest.loops[loop].extent;
      const auto used = [&](const AccessIndex& other) { return other.loop == loop; };
      if (std::any_of(access.indices.begin(), access.indices.end(), used)) continue;
      if (extent % trips == 0 && random.below(3) > 0) index = {loop, extent / trips, 0};
    }
    if (!index.loop) {
      index.loop = nest.loops.size();
      nest.loops.push_back({loopName(nest.loops.size()), extent, LoopKind::Reduction});
    }
    access.indices.push_back(index);
  }
  nest.accesses.push_back(std::move(access));
}

}  // namespace

std::filesystem::path hidaListingFile() {
  return std::filesystem::path(SLUICE_SOURCE_DIR) / "tests" / "data" / "streamtensor" / "hida_listing.json";
}

LoopProgram hidaListing() {
  Result<LoopProgram> program = loadLoopProgram(hidaListingFile());
  if (!program) throw std::runtime_error(text(program.diagnostics()));
  return *std::move(program);
}

LoopProgram randomPair(SplitMix64& random) {
  LoopProgram program;
  const auto shape = [&](std::size_t rank) {
    std::vector<std::int64_t> extents;
    for (std::size_t k = 0; k < rank; ++k) extents.push_back(std::int64_t{1} << random.below(5));
    return extents;
  };
  program.arrays = {{"shared", shape(1 + random.below(3)), 32}, {"result", shape(1 + random.below(2)), 32}};
  program.nests.push_back(writerOf(program, 0, random));
  LoopNest reader = writerOf(program, 1, random);
  addRead(reader, program, 0, random);
  program.nests.push_back(std::move(reader));
  return program;
}

LoopProgram randomChain(SplitMix64& random) {
  static constexpr std::int64_t extents[] = {1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32};
  LoopProgram program;
  const std::size_t nests = 2 + random.below(4);
  for (std::size_t n = 0; n < nests; ++n) {
    NestArray array{"a" + std::to_string(n), {}, 32};
    const std::size_t rank = 1 + random.below(3);
    for (std::size_t k = 0; k < rank; ++k) array.shape.push_back(extents[random.below(std::size(extents))]);
    program.arrays.push_back(std::move(array));
    LoopNest nest = writerOf(program, n, random);
    nest.operations = 1 + static_cast<std::int64_t>(random.below(4));
    for (std::size_t reads = n > 0 ? 1 + random.below(2) : 0; reads > 0; --reads)
      addRead(nest, program, random.below(n), random);
    program.nests.push_back(std::move(nest));
  }
  return program;
}

}  // namespace sluice::testing_support
