#include "engine/tensor/placement/memory_allocation.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/core/units.h"
#include "engine/tensor/sizing/fifo_blocks.h"

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t largest_number = std::int64_t{1} << 40;
constexpr std::int64_t largest_bits = std::int64_t{1} << 50;  ///< so that no product of blocks overflows

std::int64_t blocks(std::int64_t amount, std::int64_t of_a_block) {
  return static_cast<std::int64_t>(
      ceilDiv(static_cast<std::uint64_t>(amount), static_cast<std::uint64_t>(of_a_block)));
}

Diagnostics checkBuffers(std::span<const MemoryBuffer> buffers) {
  Diagnostics found;
  for (const MemoryBuffer& buffer : buffers) {
    const auto fits = [](std::int64_t number) { return number >= 1 && number <= largest_number; };
    const bool counted = fits(buffer.word_bits) && fits(buffer.depth) && fits(buffer.banks);
    if (counted && buffer.word_bits <= largest_bits / std::max(buffer.depth, buffer.banks)) continue;
    found.push_back(error("out-of-range", Location(Where::Buffer, buffer.name),
                          std::to_string(buffer.depth) + " words of " + std::to_string(buffer.word_bits) +
                              " bits in " + std::to_string(buffer.banks) + " banks is no size for a memory",
                          "give words, bits and banks of at least 1 and at most 2^50 bits"));
  }
  return found;
}

/// The kinds to try, the best first. The larger of the two others comes before the smaller one.
std::array<Resource, 3> choices(Resource preferred) {
  switch (preferred) {
    case Resource::Uram:
      return {Resource::Uram, Resource::Bram, Resource::LutRam};
    case Resource::Bram:
      return {Resource::Bram, Resource::Uram, Resource::LutRam};
    default:
      return {Resource::LutRam, Resource::Bram, Resource::Uram};
  }
}

std::string kibibytes(std::int64_t bytes) {
  return std::to_string(blocks(bytes, 1024)) + " KiB";
}

/// "4426 BRAM18 (3225 may be used), 1056 URAM (768 may be used)": kinds of memory that do not suffice when
/// every buffer lies where it suits best. If all did, every buffer would have found its place.
std::string shortage(std::span<const MemoryBuffer> buffers, const Resources& available,
                     const MemoryThresholds& thresholds, const Resources& logic) {
  Resources wanted = logic;
  for (const MemoryBuffer& buffer : buffers) {
    const Resource memory = preferredMemory(buffer, thresholds);
    wanted[memory] += blocksOf(buffer, memory);
  }
  std::string missing;
  for (const Resource memory : {Resource::Uram, Resource::Bram, Resource::LutRam}) {
    if (wanted[memory] <= available[memory]) continue;
    missing += (missing.empty() ? "" : ", ") + std::to_string(wanted[memory]) + " " +
               std::string(text(memory)) + " (" + std::to_string(available[memory]) + " may be used)";
  }
  return missing;
}

Diagnostic nothingFits(std::span<const MemoryBuffer> buffers, std::span<const std::size_t> left,
                       const std::string& shortage) {
  constexpr std::size_t most_named = 4;
  std::string names;
  std::int64_t bytes = 0;
  for (std::size_t at = 0; at < left.size(); ++at) {
    bytes += bytesOf(buffers[left[at]]);
    if (at < most_named) names += (at == 0 ? "'" : ", '") + buffers[left[at]].name + "'";
  }
  if (left.size() > most_named) names += " and " + std::to_string(left.size() - most_named) + " more";
  Diagnostic problem =
      error("does-not-fit", "on-chip memory",
            "no memory has room for " + names + " (" + kibibytes(bytes) +
                "); with every buffer where it suits best, the design needs " + shortage,
            "use smaller tiles, let fusion open more groups (a smaller on-chip capacity), or take a platform "
            "with more memory");
  for (const std::size_t at : left.first(std::min(most_named, left.size())))
    problem.related.emplace_back(Where::Buffer, buffers[at].name);
  return problem;
}

}  // namespace

std::int64_t bytesOf(const MemoryBuffer& buffer) {
  return blocks(buffer.word_bits * buffer.depth, 8);
}

std::int64_t blocksOf(const MemoryBuffer& buffer, Resource memory) {
  const std::int64_t depth = blocks(buffer.depth, buffer.banks);
  if (memory == Resource::LutRam) return buffer.banks * buffer.word_bits * blocks(depth, 64);
  if (memory == Resource::Uram) return buffer.banks * blocks(buffer.word_bits, 72) * blocks(depth, 4096);
  return buffer.banks * bramBlocks(buffer.word_bits, depth);
}

Resource preferredMemory(const MemoryBuffer& buffer, const MemoryThresholds& thresholds) {
  const std::int64_t depth = blocks(buffer.depth, buffer.banks);
  if (depth < thresholds.lutram_depth) return Resource::LutRam;
  const bool shaped = depth >= thresholds.uram_depth && buffer.word_bits >= thresholds.uram_bits;
  const bool large = blocks(buffer.word_bits * depth, 8) >= thresholds.uram_bytes;
  return shaped || large ? Resource::Uram : Resource::Bram;
}

double MemoryAllocation::utilisation(Resource resource) const {
  return available[resource] == 0
             ? 0
             : static_cast<double>(used[resource]) / static_cast<double>(available[resource]);
}

Result<MemoryAllocation> allocateMemory(std::span<const MemoryBuffer> buffers, const Resources& available,
                                        const MemoryThresholds& thresholds, const Resources& logic) {
  Diagnostics found = checkBuffers(buffers);
  if (!found.empty()) return found;
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bytesOf(buffers[a]) > bytesOf(buffers[b]); });
  MemoryAllocation allocation{std::vector<PlacedBuffer>(buffers.size()), {}, available};
  const auto place = [&](std::size_t at) {
    for (const Resource memory : choices(preferredMemory(buffers[at], thresholds))) {
      const std::int64_t needed = blocksOf(buffers[at], memory);
      if (needed > available[memory] - logic[memory] - allocation.used[memory]) continue;
      allocation.buffers[at] = {memory, needed};
      allocation.used[memory] += needed;
      return true;
    }
    return false;
  };
  std::vector<std::size_t> left;
  for (const std::size_t at : order)
    if (!place(at)) left.push_back(at);
  if (!left.empty()) return nothingFits(buffers, left, shortage(buffers, available, thresholds, logic));
  allocation.used[Resource::Lut] = allocation.used[Resource::LutRam];
  return allocation;
}

}  // namespace sluice::inline tensor
