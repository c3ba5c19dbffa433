// Multi-objective tree-structured Parzen estimator (Ozaki et al., GECCO 2020, JAIR 2022). The points seen so
// far are divided into few good ones and the rest; a density is estimated over each, and what is asked for
// next has the highest ratio of the two among points drawn from the good one.
//
// Good are the first fronts, and of a front that does not fit whole those that add most hypervolume; a good
// point weighs by the hypervolume that it alone contributes. Points that break a constraint come behind all
// that keep them, the least violation first, those that were not done last (as in c-TPE's ranking when few
// are feasible): so they are good only while there is nothing better, and lead towards what is feasible.
//
// Densities are joint over the knobs, a product of kernels at each point: of a knob with ordered values a
// normal distribution over their numbers, cut off at both ends; of a category its own value with most of the
// weight and the others with the same share each. Of a batch, a point that was chosen counts as a bad one for
// the next, so that they are not all the same.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/explorer/search/history.h"
#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

using Digits = std::vector<std::uint64_t>;

/// A mixture over the points of a space: one component at each of some points, and a uniform one.
class Parzen {
 public:
  /// `weights` of the points; the uniform component weighs as much as a mean one.
  Parzen(const Trials& trials, std::vector<Digits> centres, std::vector<double> weights)
      : trials_(&trials), centres_(std::move(centres)), weights_(std::move(weights)) {
    total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    uniform_weight_ = centres_.empty() ? 1 : total_ / static_cast<double>(centres_.size());
    total_ += uniform_weight_;
    setWidths();
    for (const std::uint64_t radix : trials.radices()) log_size_ += std::log(static_cast<double>(radix));
  }

  /// One more point, of the weight of a mean one.
  void add(Digits centre) {
    centres_.push_back(std::move(centre));
    weights_.push_back(uniform_weight_);
    total_ += uniform_weight_;
  }

  double logDensity(const Digits& x) const {
    double sum = uniform_weight_ * std::exp(-log_size_);
    for (std::size_t i = 0; i < centres_.size(); ++i) {
      double product = weights_[i];
      for (std::size_t k = 0; k < x.size(); ++k) product *= kernel(k, centres_[i][k], x[k]);
      sum += product;
    }
    return std::log(sum / total_);
  }

  Digits draw(SplitMix64& random) const {
    double place = uniform(random) * total_;
    std::size_t i = 0;
    while (i < centres_.size() && place >= weights_[i]) place -= weights_[i++];
    Digits x;
    for (std::size_t k = 0; k < trials_->radices().size(); ++k) {
      const std::uint64_t radix = trials_->radices()[k];
      x.push_back(i < centres_.size() ? drawNear(k, centres_[i][k], random) : random.below(radix));
    }
    return x;
  }

 private:
  /// The fewer the points and the more the knobs, the wider: Scott's rule, from a fifth of the range of a
  /// knob.
  void setWidths() {
    constexpr double widest = 0.2, narrowest = 0.3;  // of the range; of the distance of two values
    const double knobs = static_cast<double>(trials_->radices().size());
    const double shrink =
        std::pow(static_cast<double>(std::max<std::size_t>(1, centres_.size())), -1 / (knobs + 4));
    for (std::size_t k = 0; k < trials_->radices().size(); ++k) {
      const auto values = static_cast<double>(trials_->radices()[k]);
      widths_.push_back(trials_->isCategory(k) ? 0.5 * shrink
                                               : std::max(narrowest, widest * (values - 1) * shrink));
    }
  }

  /// Of an ordered knob: the share of the normal distribution from below to above.
  double mass(std::size_t k, double centre, double below, double above) const {
    return normalDistribution((above - centre) / widths_[k]) -
           normalDistribution((below - centre) / widths_[k]);
  }

  double kernel(std::size_t k, std::uint64_t centre, std::uint64_t value) const {
    const auto values = static_cast<double>(trials_->radices()[k]);
    if (trials_->isCategory(k)) return (centre == value ? 1 - widths_[k] : 0) + widths_[k] / values;
    const auto c = static_cast<double>(centre), v = static_cast<double>(value);
    return mass(k, c, v - 0.5, v + 0.5) / mass(k, c, -0.5, values - 0.5);
  }

  std::uint64_t drawNear(std::size_t k, std::uint64_t centre, SplitMix64& random) const {
    const std::uint64_t radix = trials_->radices()[k];
    if (trials_->isCategory(k)) return uniform(random) < widths_[k] ? random.below(radix) : centre;
    for (;;) {  // at least half of the distribution is near enough, whatever the centre
      const double radius = std::sqrt(-2 * std::log(1 - uniform(random)));
      const double z = radius * std::cos(2 * std::numbers::pi * uniform(random));
      const double value = std::round(static_cast<double>(centre) + z * widths_[k]);
      if (value >= 0 && value < static_cast<double>(radix)) return static_cast<std::uint64_t>(value);
    }
  }

  const Trials* trials_;
  std::vector<Digits> centres_;
  std::vector<double> weights_, widths_;
  double uniform_weight_ = 1, total_ = 0, log_size_ = 0;
};

/// The `count` points of a front that together dominate most, one at a time.
std::vector<std::size_t> spreadOf(const History& history, std::vector<std::size_t> front, std::size_t count,
                                  std::span<const double> reference) {
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < front.size(); ++i) {
      chosen.push_back(front[i]);
      const double volume = hypervolume(history.values(chosen), reference.size(), reference);
      chosen.pop_back();
      if (volume > most) most = volume, best = i;
    }
    chosen.push_back(front[best]);
    front.erase(front.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chosen;
}

/// The good points, the best front first.
std::vector<std::size_t> goodOf(const History& history, std::size_t count,
                                std::span<const std::size_t> feasible, std::span<const double> reference) {
  std::vector<std::size_t> good;
  if (!feasible.empty()) {
    for (const std::vector<std::size_t>& front : paretoFronts(history.values(feasible), reference.size())) {
      std::vector<std::size_t> members;
      for (const std::size_t i : front) members.push_back(feasible[i]);
      if (good.size() + members.size() > count)
        members = spreadOf(history, std::move(members), count - good.size(), reference);
      good.insert(good.end(), members.begin(), members.end());
    }
  }
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!history.feasible(i)) others.push_back(i);
  }
  std::ranges::stable_sort(others, {}, [&](std::size_t i) { return history.violation(i); });
  for (std::size_t i = 0; i < others.size() && good.size() < count; ++i) good.push_back(others[i]);
  return good;
}

/// What each good point alone dominates, relative to the mean; at least a little. All the same for points
/// that break a constraint.
std::vector<double> weightsOf(const History& history, const std::vector<std::size_t>& good,
                              std::span<const double> reference) {
  constexpr double least = 0.1;  // of the largest: a twin of another point contributes nothing
  std::vector<double> weights(good.size(), 0);
  if (!history.feasible(good.front())) return std::vector<double>(good.size(), 1);
  const double all = hypervolume(history.values(good), reference.size(), reference);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::size_t> others = good;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    weights[i] = all - hypervolume(history.values(others), reference.size(), reference);
  }
  const double largest = std::ranges::max(weights);
  if (largest <= 0) return std::vector<double>(good.size(), 1);
  for (double& weight : weights) weight = std::max(weight / largest, least);
  return weights;
}

struct Model {
  Parzen good, bad;
};

Model modelOf(const Trials& trials, const History& history) {
  // A tenth is good, but not so few that one point is all that is known of it.
  const std::size_t count =
      std::min(history.size(), std::clamp<std::size_t>((history.size() + 9) / 10, 4, 25));
  const std::vector<std::size_t> feasible = history.feasiblePoints();
  const std::vector<double> reference =
      relativeHypervolume(history.values(feasible), trials.objectives()).reference;
  const std::vector<std::size_t> good = goodOf(history, count, feasible, reference);
  std::vector<bool> is_good(history.size());
  std::vector<Digits> near, far;
  for (const std::size_t i : good) {
    is_good[i] = true;
    near.push_back(digitsOf(history.point(i), trials.radices()));
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!is_good[i]) far.push_back(digitsOf(history.point(i), trials.radices()));
  }
  std::vector<double> ones(far.size(), 1);
  return {Parzen(trials, std::move(near), weightsOf(history, good, reference)),
          Parzen(trials, std::move(far), std::move(ones))};
}

std::vector<std::uint64_t> proposed(const Trials& trials, const History& history, SplitMix64& random) {
  constexpr std::size_t batch = 4, drawn = 32, candidates = 48;
  Model model = modelOf(trials, history);
  std::vector<std::uint64_t> chosen;
  while (chosen.size() < batch) {
    std::vector<std::uint64_t> points;
    for (std::size_t i = 0; i < drawn; ++i) {
      const std::uint64_t point = indexOfDigits(model.good.draw(random), trials.radices());
      if (!trials.known(point) && std::ranges::find(chosen, point) == chosen.end()) points.push_back(point);
    }
    // Near its end, a small space has few that are near the good ones.
    const std::vector<std::uint64_t> others = history.untried(chosen, candidates - points.size(), random);
    points.insert(points.end(), others.begin(), others.end());
    if (points.empty()) break;
    double highest = -std::numeric_limits<double>::infinity();
    std::uint64_t best = points.front();
    for (const std::uint64_t point : points) {
      const Digits x = digitsOf(point, trials.radices());
      const double ratio = model.good.logDensity(x) - model.bad.logDensity(x);
      if (ratio > highest) highest = ratio, best = point;
    }
    chosen.push_back(best);
    model.bad.add(digitsOf(best, trials.radices()));
  }
  return chosen;
}

}  // namespace

void searchByMotpe(Trials& trials) {
  SplitMix64 random(trials.seed());
  History history(trials);
  const std::uint64_t first = std::min(trials.left(), std::max<std::uint64_t>(8, trials.left() / 10));
  if (history.size() < first) history.ask(latinHypercube(trials.radices(), first, random));
  while (!trials.over()) history.ask(proposed(trials, history, random));
}

}  // namespace sluice::inline explorer
