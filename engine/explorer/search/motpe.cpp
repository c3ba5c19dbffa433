// Multi-objective tree-structured Parzen estimator (Ozaki et al., GECCO 2020, JAIR 2022) by the densities of
// parzen.h: what is asked for next promises most among points drawn from the density of the good ones. Of a
// batch, a point that was chosen counts as a bad one for the next, so that they are not all the same.

#include <algorithm>
#include <limits>

#include "engine/explorer/search/history.h"
#include "engine/explorer/search/parzen.h"
#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

GoodAndBad modelOf(const SearchContext& context, const History& history) {
  std::vector<ParzenAxis> axes;
  for (std::size_t k = 0; k < context.radices().size(); ++k)
    axes.push_back({context.radices()[k], context.isCategory(k)});
  std::vector<Digits> points;
  for (const std::uint64_t point : history.points()) points.push_back(digitsOf(point, context.radices()));
  return goodAndBad(axes, points, {context.objectives(), history.values(), history.violations()});
}

std::vector<std::uint64_t> likelyGood(const SearchContext& context, const History& history,
                                      SplitMix64& random) {
  constexpr std::size_t batch = 4, drawn = 32, candidates = 48;
  GoodAndBad model = modelOf(context, history);
  std::vector<std::uint64_t> chosen;
  while (chosen.size() < batch) {
    std::vector<std::uint64_t> points;
    for (std::size_t i = 0; i < drawn; ++i) {
      const std::uint64_t point = indexOfDigits(model.good.draw(random), context.radices());
      if (!context.known(point) && std::ranges::find(chosen, point) == chosen.end()) points.push_back(point);
    }
    // Near its end, a small space has few that are near the good ones.
    const std::vector<std::uint64_t> others = history.untried(chosen, candidates - points.size(), random);
    points.insert(points.end(), others.begin(), others.end());
    if (points.empty()) break;
    double highest = -std::numeric_limits<double>::infinity();
    std::uint64_t best = points.front();
    for (const std::uint64_t point : points) {
      const Digits x = digitsOf(point, context.radices());
      const double promise = model.promise(x);
      if (promise > highest) highest = promise, best = point;
    }
    chosen.push_back(best);
    model.bad.add(digitsOf(best, context.radices()));
  }
  return chosen;
}

}  // namespace

void searchByMotpe(SearchContext& context) {
  SplitMix64 random(context.seed());
  History history(context);
  const std::uint64_t first = std::min(context.left(), std::max<std::uint64_t>(8, context.left() / 10));
  if (history.size() < first) history.ask(latinHypercube(context.radices(), first, random));
  while (!context.over()) history.ask(likelyGood(context, history, random));
}

}  // namespace sluice::inline explorer
