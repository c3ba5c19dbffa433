// Random points, none twice.

#include <numeric>
#include <unordered_set>

#include "engine/core/random.h"
#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {

std::vector<std::uint64_t> distinctPoints(std::uint64_t size, std::uint64_t count, SplitMix64& random) {
  std::vector<std::uint64_t> points;
  if (count >= size / 2) {  // most of them: shuffle all
    points.resize(size);
    std::iota(points.begin(), points.end(), std::uint64_t{0});
    random.shuffle(std::span(points));
    points.resize(std::min(count, size));
    return points;
  }
  std::unordered_set<std::uint64_t> seen;
  while (points.size() < count) {
    const std::uint64_t index = random.below(size);
    if (seen.insert(index).second) points.push_back(index);
  }
  return points;
}

void searchRandomly(SearchContext& context) {
  SplitMix64 random(context.seed());
  while (!context.over())  // once, unless points turn out to be the same
    context.evaluate(distinctPoints(context.size(), context.left() + context.visited(), random));
}

}  // namespace sluice::inline explorer
