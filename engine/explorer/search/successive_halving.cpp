// Successive halving: many points get a short run, the better third of them a longer one, and the best a
// whole one. "Better" is by rank of non-domination, then spread along the first objective.

#include <algorithm>
#include <cmath>

#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

/// The `count` best rows, front after front; of a front that does not fit whole, evenly spaced ones.
std::vector<std::size_t> bestOf(std::span<const double> values, std::size_t objectives, std::size_t count) {
  std::vector<std::size_t> best;
  for (const std::vector<std::size_t>& front : paretoFronts(values, objectives)) {
    const std::size_t taken = std::min(front.size(), count - best.size());
    for (std::size_t k = 0; k < taken; ++k) best.push_back(front[k * front.size() / taken]);
  }
  return best;
}

}  // namespace

void searchByHalving(SearchContext& context) {
  constexpr std::size_t keep = 3;  // one in three goes on, with a run three times as long
  SplitMix64 random(context.seed());
  if (context.left() < keep) {  // less than an evaluation for each rung
    context.evaluate(latinHypercube(context.radices(), context.left(), random));
    return;
  }
  // Three rungs of equal cost: 9n short runs of 1/9, 3n of 1/3, n whole ones.
  std::uint64_t whole = std::max<std::uint64_t>(1, context.left() / keep);
  std::vector<std::uint64_t> points = latinHypercube(context.radices(), whole * keep * keep, random);
  // A space smaller than that leaves more for the later rungs.
  const std::uint64_t first = (points.size() + keep * keep - 1) / (keep * keep);
  whole = std::max<std::uint64_t>(1, (context.left() - std::min(context.left(), first)) / 2);
  for (const std::size_t left : {keep, std::size_t{1}}) {
    const double share = 1.0 / static_cast<double>(left * keep);
    const std::vector<double> values = context.estimate(points, share);
    if (context.over()) return;
    std::vector<std::uint64_t> chosen;
    for (const std::size_t i : bestOf(values, context.objectives(), whole * left))
      chosen.push_back(points[i]);
    points = std::move(chosen);
  }
  context.evaluate(points);
}

}  // namespace sluice::inline explorer
