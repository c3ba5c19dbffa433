#include "engine/explorer/decision.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace sluice::inline explorer {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct Group {
  double sum = 0;
  std::size_t count = 0;
  void add(double value) {
    sum += value;
    ++count;
  }
  double mean() const { return sum / static_cast<double>(count); }
};

/// 0 at `best`, 1 at `worst`; 0 where they are the same.
double between(double value, double best, double worst) {
  return best == worst ? 0 : (value - best) / (worst - best);
}

}  // namespace

std::optional<std::size_t> kneePoint(std::span<const double> frontier) {
  const std::size_t count = frontier.size() / 2;
  if (count < 3) return std::nullopt;
  const double x0 = frontier[0], y0 = frontier[1];
  const double x1 = frontier[2 * (count - 1)], y1 = frontier[2 * (count - 1) + 1];
  if (x0 == x1 || y0 == y1) return std::nullopt;
  std::optional<std::size_t> knee;
  double deepest = 1e-12;
  for (std::size_t i = 1; i + 1 < count; ++i) {
    // Scaled, the ends are (0, 1) and (1, 0); below their line x + y < 1.
    const double x = (frontier[2 * i] - x0) / (x1 - x0), y = (frontier[2 * i + 1] - y1) / (y0 - y1);
    if (1 - x - y <= deepest) continue;
    deepest = 1 - x - y;
    knee = i;
  }
  return knee;
}

KnobLevels knobLevels(std::span<const double> of_points) {
  KnobLevels levels;
  std::map<double, std::uint32_t> known;
  for (const double value : of_points) known.try_emplace(value, 0);
  for (auto& [value, number] : known) {
    number = static_cast<std::uint32_t>(levels.values.size());
    levels.values.push_back(value);
  }
  levels.index.reserve(of_points.size());
  for (const double value : of_points) levels.index.push_back(known.at(value));
  return levels;
}

KnobEffect knobEffect(const KnobLevels& levels, std::span<const double> values) {
  if (levels.index.size() != values.size()) throw std::logic_error("knobEffect: a level for every value");
  std::vector<Group> groups(levels.values.size());
  Group all;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    groups[levels.index[i]].add(values[i]);
    all.add(values[i]);
  }
  KnobEffect effect{unknown, unknown, {}};
  if (all.count == 0) return effect;
  double total = 0, explained = 0, mean_rank = 0, rank_spread = 0, together = 0;
  for (const double value : values)
    if (!std::isnan(value)) total += (value - all.mean()) * (value - all.mean());
  const auto rank_of = [](std::size_t level) { return static_cast<double>(level); };
  const auto count_of = [&groups](std::size_t level) { return static_cast<double>(groups[level].count); };
  for (std::size_t level = 0; level < groups.size(); ++level)
    mean_rank += rank_of(level) * count_of(level) / static_cast<double>(all.count);
  for (std::size_t level = 0; level < groups.size(); ++level) {
    if (groups[level].count == 0) continue;
    const double apart = groups[level].mean() - all.mean(), along = rank_of(level) - mean_rank;
    effect.means[std::llround(levels.values[level])] = groups[level].mean();
    explained += count_of(level) * apart * apart;
    together += count_of(level) * apart * along;
    rank_spread += count_of(level) * along * along;
  }
  if (total > 0) effect.share = std::min(1.0, explained / total);
  if (total > 0 && rank_spread > 0) effect.trend = together / std::sqrt(total * rank_spread);
  return effect;
}

std::optional<Choice> bestPoint(std::span<const DesignPoint> points, std::span<const std::size_t> candidates,
                                const Weights& weights) {
  struct Spread {
    const MetricSpec* metric;
    double best, worst, weight;
    double lost(const DesignPoint& point) const {
      return between(metric->number(point.metrics), best, worst);
    }
  };
  std::vector<Spread> spreads;
  std::vector<std::size_t> done;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(done),
               [&](std::size_t i) { return points[i].state == PointState::Done; });
  for (const auto& [name, weight] : weights) {
    const MetricSpec* const metric = findMetric(name);
    if (!metric || !(weight > 0) || done.empty()) continue;
    const auto number = [&](std::size_t i) { return metric->number(points[i].metrics); };
    const auto [low, high] = std::minmax_element(
        done.begin(), done.end(), [&](std::size_t a, std::size_t b) { return number(a) < number(b); });
    if (std::ranges::any_of(done, [&](std::size_t i) { return std::isnan(number(i)); })) continue;
    const double least = number(*low), most = number(*high);
    spreads.push_back(metric->smaller_is_better ? Spread{metric, least, most, weight}
                                                : Spread{metric, most, least, weight});
  }
  std::optional<Choice> best;
  if (spreads.empty()) return best;
  for (const std::size_t i : done) {
    double score = 0, sum = 0;
    for (const Spread& spread : spreads) {
      score += spread.weight * spread.lost(points[i]);
      sum += spread.weight;
    }
    if (!best || score / sum < best->score) best = Choice{i, score / sum, {}};
  }
  for (const Spread& spread : spreads) best->given_up[spread.metric->name] = spread.lost(points[best->point]);
  return best;
}

}  // namespace sluice::inline explorer
