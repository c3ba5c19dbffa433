#include "engine/distributions/frontier_shares.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/explorer/pareto.h"

namespace sluice::inline distributions {
namespace {

/// Objectives of the points under one trace, to be minimised; NaN, which no frontier takes, where there is no
/// run that ended within its memory.
std::vector<double> objectivesUnder(std::size_t trace, const std::vector<const PointSamples*>& points,
                                    const std::vector<const MetricSpec*>& objectives) {
  std::vector<double> values;
  for (const PointSamples* point : points) {
    const bool done = point && point->state(trace) == PointState::Done;
    for (const MetricSpec* metric : objectives)
      values.push_back(done ? metric->minimised(point->value(trace, *metric)) : std::nan(""));
  }
  return values;
}

}  // namespace

std::vector<FrontierShare> frontierShares(const std::vector<const PointSamples*>& points,
                                          const std::vector<const MetricSpec*>& objectives) {
  std::vector<FrontierShare> shares(points.size());
  const auto any = std::ranges::find_if(points, [](const PointSamples* point) { return point != nullptr; });
  const std::size_t traces = any == points.end() ? 0 : (*any)->traces();
  for (std::size_t trace = 0; trace < traces; ++trace) {
    if (!std::ranges::all_of(points,
                             [&](const PointSamples* point) { return !point || point->state(trace); }))
      continue;
    const std::vector<double> values = objectivesUnder(trace, points, objectives);
    const auto row = [&](std::size_t point) {
      return std::span(values).subspan(point * objectives.size(), objectives.size());
    };
    std::vector<bool> best(points.size());
    for (const std::size_t one : paretoFrontier(values, objectives.size()))
      for (std::size_t i = 0; i < points.size(); ++i)  // of equal ones it gives the first only
        if (std::ranges::equal(row(i), row(one))) best[i] = true;
    for (std::size_t i = 0; i < points.size(); ++i) (best[i] ? shares[i].on : shares[i].off).push_back(trace);
  }
  for (FrontierShare& share : shares) {
    const std::size_t all = share.on.size() + share.off.size();
    if (all > 0) share.share = static_cast<double>(share.on.size()) / static_cast<double>(all);
  }
  return shares;
}

}  // namespace sluice::inline distributions
