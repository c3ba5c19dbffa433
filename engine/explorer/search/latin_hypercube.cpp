// Latin hypercube: n points such that every knob takes each of its values n / size times, rounded either way.

#include <algorithm>
#include <unordered_set>

#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {

std::vector<std::uint64_t> latinHypercube(std::span<const std::uint64_t> radices, std::uint64_t count,
                                          SplitMix64& random) {
  std::uint64_t size = 1;
  for (const std::uint64_t radix : radices) size *= radix;
  count = std::min(count, size);
  std::vector<std::uint64_t> points(count, 0);
  std::vector<std::uint64_t> digits(count);
  for (const std::uint64_t radix : radices) {
    // Value i * radix / count for the i-th stratum; where values are left over, random ones get one more.
    const std::uint64_t shift = random.below(radix);
    for (std::uint64_t i = 0; i < count; ++i) {
      digits[i] = (i * radix / count + shift) % radix;
    }
    random.shuffle(std::span(digits));
    for (std::uint64_t i = 0; i < count; ++i) points[i] = points[i] * radix + digits[i];
  }
  std::unordered_set<std::uint64_t> seen;
  std::erase_if(points, [&](std::uint64_t point) { return !seen.insert(point).second; });
  // Small spaces give some points twice; others take their place.
  while (points.size() < count) {
    std::uint64_t point = random.below(size);
    while (!seen.insert(point).second) point = (point + 1) % size;
    points.push_back(point);
  }
  return points;
}

void searchLatinHypercube(SearchContext& context) {
  SplitMix64 random(context.seed());
  context.evaluate(latinHypercube(context.radices(), context.left(), random));
}

}  // namespace sluice::inline explorer
