#include "engine/explorer/search/parzen.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/explorer/pareto.h"
#include "engine/explorer/search/history.h"

namespace sluice::inline explorer {
namespace {

std::vector<double> rowsOf(const RatedPoints& rated, std::span<const std::size_t> points) {
  std::vector<double> rows;
  for (const std::size_t i : points) {
    const auto row = rated.values.subspan(i * rated.objectives, rated.objectives);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

/// The `count` points of a front that together dominate most, one at a time.
std::vector<std::size_t> spreadOf(const RatedPoints& rated, std::vector<std::size_t> front, std::size_t count,
                                  std::span<const double> reference) {
  std::vector<std::size_t> chosen;
  while (chosen.size() < count) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < front.size(); ++i) {
      chosen.push_back(front[i]);
      const double volume = hypervolume(rowsOf(rated, chosen), reference.size(), reference);
      chosen.pop_back();
      if (volume > most) most = volume, best = i;
    }
    chosen.push_back(front[best]);
    front.erase(front.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return chosen;
}

/// The good points, the best front first.
std::vector<std::size_t> goodOf(const RatedPoints& rated, std::size_t count,
                                std::span<const std::size_t> feasible, std::span<const double> reference) {
  std::vector<std::size_t> good;
  if (!feasible.empty()) {
    for (const std::vector<std::size_t>& front : paretoFronts(rowsOf(rated, feasible), reference.size())) {
      std::vector<std::size_t> members;
      for (const std::size_t i : front) members.push_back(feasible[i]);
      if (good.size() + members.size() > count)
        members = spreadOf(rated, std::move(members), count - good.size(), reference);
      good.insert(good.end(), members.begin(), members.end());
    }
  }
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < rated.size(); ++i) {
    if (rated.violations[i] != 0) others.push_back(i);
  }
  std::ranges::stable_sort(others, {}, [&](std::size_t i) { return rated.violations[i]; });
  for (std::size_t i = 0; i < others.size() && good.size() < count; ++i) good.push_back(others[i]);
  return good;
}

/// What each good point alone dominates, relative to the mean; at least a little. All the same for points
/// that break a constraint.
std::vector<double> weightsOf(const RatedPoints& rated, const std::vector<std::size_t>& good,
                              std::span<const double> reference) {
  constexpr double least = 0.1;  // of the largest: a twin of another point contributes nothing
  std::vector<double> weights(good.size(), 0);
  if (rated.violations[good.front()] != 0) return std::vector<double>(good.size(), 1);
  const double all = hypervolume(rowsOf(rated, good), reference.size(), reference);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::size_t> others = good;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    weights[i] = all - hypervolume(rowsOf(rated, others), reference.size(), reference);
  }
  const double largest = std::ranges::max(weights);
  if (largest <= 0) return std::vector<double>(good.size(), 1);
  for (double& weight : weights) weight = std::max(weight / largest, least);
  return weights;
}

}  // namespace

Parzen::Parzen(std::vector<ParzenAxis> axes, std::vector<Digits> centres, std::vector<double> weights)
    : axes_(std::move(axes)), centres_(std::move(centres)), weights_(std::move(weights)) {
  total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  uniform_weight_ = centres_.empty() ? 1 : total_ / static_cast<double>(centres_.size());
  total_ += uniform_weight_;
  setWidths();
}

/// The fewer the points and the more the axes, the wider: Scott's rule, from a fifth of the range of an axis.
void Parzen::setWidths() {
  constexpr double widest = 0.2, narrowest = 0.3;  // of the range; of the distance of two values
  const double shrink = std::pow(static_cast<double>(std::max<std::size_t>(1, centres_.size())),
                                 -1 / (static_cast<double>(axes_.size()) + 4));
  for (const ParzenAxis& axis : axes_) {
    const auto values = static_cast<double>(axis.values);
    widths_.push_back(axis.category ? 0.5 * shrink : std::max(narrowest, widest * (values - 1) * shrink));
  }
}

void Parzen::add(Digits centre) {
  centres_.push_back(std::move(centre));
  weights_.push_back(uniform_weight_);
  total_ += uniform_weight_;
}

double Parzen::logDensity(const Digits& x) const {
  double log_size = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k] != no_digit) log_size += std::log(static_cast<double>(axes_[k].values));
  // There are many centres, but few different digits of them on an axis.
  std::vector<std::vector<double>> kernels(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    if (x[k] != no_digit && axes_[k].values < centres_.size())
      for (std::uint64_t centre = 0; centre < axes_[k].values; ++centre)
        kernels[k].push_back(kernel(k, centre, x[k]));
  double sum = uniform_weight_ * std::exp(-log_size);
  for (std::size_t i = 0; i < centres_.size(); ++i) {
    double product = weights_[i];
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k] == no_digit) continue;
      const std::uint64_t centre = centres_[i][k];
      product *= centre < kernels[k].size() ? kernels[k][centre] : kernel(k, centre, x[k]);
    }
    sum += product;
  }
  return std::log(sum / total_);
}

Digits Parzen::draw(SplitMix64& random) const {
  double place = uniform(random) * total_;
  std::size_t i = 0;
  while (i < centres_.size() && place >= weights_[i]) place -= weights_[i++];
  Digits x;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    const bool near = i < centres_.size() && centres_[i][k] != no_digit;
    x.push_back(near ? drawNear(k, centres_[i][k], random) : random.below(axes_[k].values));
  }
  return x;
}

/// Of an ordered axis: the share of the normal distribution from below to above.
double Parzen::mass(std::size_t k, double centre, double below, double above) const {
  return normalDistribution((above - centre) / widths_[k]) -
         normalDistribution((below - centre) / widths_[k]);
}

double Parzen::kernel(std::size_t k, std::uint64_t centre, std::uint64_t value) const {
  const auto values = static_cast<double>(axes_[k].values);
  if (centre == no_digit) return 1 / values;
  if (axes_[k].category) return (centre == value ? 1 - widths_[k] : 0) + widths_[k] / values;
  const auto c = static_cast<double>(centre), v = static_cast<double>(value);
  return mass(k, c, v - 0.5, v + 0.5) / mass(k, c, -0.5, values - 0.5);
}

std::uint64_t Parzen::drawNear(std::size_t k, std::uint64_t centre, SplitMix64& random) const {
  const std::uint64_t values = axes_[k].values;
  if (axes_[k].category) return uniform(random) < widths_[k] ? random.below(values) : centre;
  for (;;) {  // at least half of the distribution is near enough, whatever the centre
    const double radius = std::sqrt(-2 * std::log(1 - uniform(random)));
    const double z = radius * std::cos(2 * std::numbers::pi * uniform(random));
    const double value = std::round(static_cast<double>(centre) + z * widths_[k]);
    if (value >= 0 && value < static_cast<double>(values)) return static_cast<std::uint64_t>(value);
  }
}

GoodAndBad goodAndBad(const std::vector<ParzenAxis>& axes, std::span<const Digits> points,
                      const RatedPoints& rated) {
  // A tenth is good, but not so few that one point is all that is known of it.
  const std::size_t count = std::min(rated.size(), std::clamp<std::size_t>((rated.size() + 9) / 10, 4, 25));
  std::vector<std::size_t> feasible;
  for (std::size_t i = 0; i < rated.size(); ++i)
    if (rated.violations[i] == 0) feasible.push_back(i);
  const std::vector<double> reference =
      relativeHypervolume(rowsOf(rated, feasible), rated.objectives).reference;
  const std::vector<std::size_t> good = goodOf(rated, count, feasible, reference);
  std::vector<bool> is_good(rated.size());
  std::vector<Digits> near, far;
  for (const std::size_t i : good) {
    is_good[i] = true;
    near.push_back(points[i]);
  }
  for (std::size_t i = 0; i < rated.size(); ++i)
    if (!is_good[i]) far.push_back(points[i]);
  std::vector<double> ones(far.size(), 1);
  return {Parzen(axes, std::move(near), weightsOf(rated, good, reference)),
          Parzen(axes, std::move(far), std::move(ones))};
}

}  // namespace sluice::inline explorer
