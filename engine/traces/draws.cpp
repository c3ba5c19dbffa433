#include "engine/traces/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace sluice::inline traces {

SplitMix64 streamOf(std::uint64_t seed, std::uint64_t number) {
  return SplitMix64(SplitMix64(seed).next() ^ SplitMix64(number + 0x5851f42d4c957f2du).next());
}

double uniformDraw(SplitMix64& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

double normalDraw(SplitMix64& random) {
  const double radius = std::sqrt(-2 * std::log(uniformDraw(random)));
  return radius * std::cos(2 * std::numbers::pi * uniformDraw(random));
}

double logGammaDraw(SplitMix64& random, double shape) {
  // A shape below 1 by one that is larger by 1, and a power of a uniform number.
  const double lift = shape < 1 ? std::log(uniformDraw(random)) / shape : 0;
  const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normalDraw(random), v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(uniformDraw(random)) < 0.5 * x * x + d - d * v + d * std::log(v))
      return std::log(d * v) + lift;
  }
}

IntTensor drawRouting(std::size_t tokens, std::size_t top_k, std::span<const double> log_popularity,
                      SplitMix64& random) {
  // Exponential clocks that tick at the rate of the popularity: the first top_k that ring are such a draw.
  IntTensor routing{{tokens, top_k}, {}};
  routing.data.reserve(tokens * top_k);
  std::vector<std::pair<double, std::int64_t>> clocks(log_popularity.size());
  for (std::size_t token = 0; token < tokens; ++token) {
    for (std::size_t expert = 0; expert < clocks.size(); ++expert)
      clocks[expert] = {std::log(-std::log(uniformDraw(random))) - log_popularity[expert],
                        static_cast<std::int64_t>(expert)};
    std::partial_sort(clocks.begin(), clocks.begin() + static_cast<std::ptrdiff_t>(top_k), clocks.end());
    for (std::size_t i = 0; i < top_k; ++i) routing.data.push_back(clocks[i].second);
  }
  return routing;
}

}  // namespace sluice::inline traces
