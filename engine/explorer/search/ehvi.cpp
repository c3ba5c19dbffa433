// Search by a model, for few evaluations: a Gaussian process of each objective, and the points that are
// expected to add most hypervolume (EHVI: Emmerich et al., 2006; its exact form for two objectives is a sum
// over the stripes between the points of the frontier). One objective, or three, go by the expected
// improvement of one weighted value (ParEGO: Knowles, 2006): the augmented Tchebycheff norm with weights
// drawn anew for each point.
//
// Objectives are seen as logarithms, as they span orders of magnitude. Inputs are the numbers of the knobs'
// values, 0 to 1, and for a category one column a value (one-hot) with a common length scale. Another
// process, of which points keep the constraints, gives the probability that counts for a point; while none
// does, the violation itself is brought down. In a batch the points chosen before are taken to be where the
// model expects them.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "engine/explorer/search/history.h"
#include "engine/explorer/search/improvement.h"
#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

/// Columns of the model's inputs.
Inputs columnsOf(const SearchContext& context) {
  Inputs inputs;
  for (std::size_t k = 0; k < context.radices().size(); ++k)
    inputs.group_of.insert(inputs.group_of.end(), context.isCategory(k) ? context.radices()[k] : 1, k);
  return inputs;
}

void addRow(const SearchContext& context, std::uint64_t point, std::vector<double>& rows) {
  const std::vector<std::uint64_t> digits = digitsOf(point, context.radices());
  for (std::size_t k = 0; k < digits.size(); ++k) {
    const std::uint64_t values = context.radices()[k];
    if (context.isCategory(k)) {
      for (std::uint64_t value = 0; value < values; ++value) rows.push_back(value == digits[k] ? 1 : 0);
    } else {
      rows.push_back(values > 1 ? static_cast<double>(digits[k]) / static_cast<double>(values - 1) : 0);
    }
  }
}

std::vector<double> rowsOf(const SearchContext& context, std::span<const std::uint64_t> points) {
  std::vector<double> rows;
  for (const std::uint64_t point : points) addRow(context, point, rows);
  return rows;
}

/// Objectives of the points that keep the constraints, each from 0 (the best) to 1 (the worst).
struct Known {
  std::vector<std::uint64_t> points;
  std::vector<std::vector<double>> values;  ///< of each objective
};

Known knownOf(const History& history, std::size_t objectives) {
  Known known{{}, std::vector<std::vector<double>>(objectives)};
  for (const std::size_t i : history.feasiblePoints()) {
    known.points.push_back(history.point(i));
    for (std::size_t k = 0; k < objectives; ++k) known.values[k].push_back(compressed(history.values(i)[k]));
  }
  for (std::vector<double>& values : known.values) {
    if (values.empty()) continue;
    const auto [low, high] = std::ranges::minmax(values);
    for (double& value : values) value = high > low ? (value - low) / (high - low) : 0;
  }
  return known;
}

/// Points that the search has seen.
Inputs inputsOf(const SearchContext& context, std::span<const std::uint64_t> points) {
  Inputs inputs = columnsOf(context);
  inputs.rows = rowsOf(context, points);
  return inputs;
}

/// Processes of the same quantity, step after step. To find scales takes a hundred times as long as to use
/// them, so they are looked for when there are a tenth more points, from those that were found last.
class Quantity {
 public:
  GaussianProcess process(const SearchContext& context, std::span<const std::uint64_t> points,
                          std::vector<double> values) {
    const std::size_t count = points.size();
    Inputs inputs = inputsOf(context, points);
    if (!scales_) {
      GaussianProcess process(std::move(inputs), std::move(values));
      keep(process, count);
      return process;
    }
    GaussianProcess process(std::move(inputs), std::move(values), *scales_);
    if (10 * count < 11 * points_) return process;
    process.improveScales();
    keep(process, count);
    return process;
  }

 private:
  void keep(const GaussianProcess& process, std::size_t points) {
    scales_ = process.scales();
    points_ = points;
  }
  std::optional<KernelScales> scales_;
  std::size_t points_ = 0;  ///< there were when they were found
};

/// What the model of a search tells.
struct Quantities {
  std::vector<Quantity> objectives;
  Quantity feasibility, violation;
};

std::vector<double> improvements(const GaussianProcess& process, std::span<const double> rows, double best) {
  std::vector<double> gains;
  for (const Gaussian& value : process.at(rows)) gains.push_back(expectedImprovement(value, best));
  return gains;
}

/// What points are worth asking for. It is told of each that was chosen.
class Acquisition {
 public:
  virtual ~Acquisition() = default;
  virtual std::vector<double> worth(std::span<const double> rows) = 0;
  virtual void chose(std::span<const double> row) = 0;
};

class HypervolumeImprovement : public Acquisition {
 public:
  HypervolumeImprovement(const SearchContext& context, Known known, std::vector<Quantity>& objectives)
      : values_(std::move(known.values)) {
    for (std::size_t k = 0; k < values_.size(); ++k)
      processes_.push_back(objectives[k].process(context, known.points, values_[k]));
    setFront();
  }
  std::vector<double> worth(std::span<const double> rows) override {
    constexpr double reference[] = {1.1, 1.1};  // a tenth beyond the worst
    const std::vector<Gaussian> first = processes_[0].at(rows), second = processes_[1].at(rows);
    std::vector<double> gains;
    for (std::size_t i = 0; i < first.size(); ++i)
      gains.push_back(expectedHypervolumeImprovement(first[i], second[i], front_, reference));
    return gains;
  }
  void chose(std::span<const double> row) override {
    for (std::size_t k = 0; k < processes_.size(); ++k) {
      values_[k].push_back(processes_[k].at(row).front().mean);
      processes_[k].add(row, values_[k].back());
    }
    setFront();
  }

 private:
  void setFront() {
    std::vector<double> rows;
    for (std::size_t i = 0; i < values_[0].size(); ++i)
      rows.insert(rows.end(), {values_[0][i], values_[1][i]});
    front_.clear();
    for (const std::size_t i : paretoFrontier(rows, 2))
      front_.insert(front_.end(), {rows[2 * i], rows[2 * i + 1]});
  }

  std::vector<std::vector<double>> values_;
  std::vector<GaussianProcess> processes_;
  std::vector<double> front_;
};

/// Weights that sum to one, every direction as likely as any other.
std::vector<double> randomWeights(std::size_t count, SplitMix64& random) {
  std::vector<double> weights;
  for (std::size_t k = 0; k < count; ++k) weights.push_back(-std::log(1 - uniform(random)) + 1e-12);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

class WeightedImprovement : public Acquisition {
 public:
  WeightedImprovement(const SearchContext& context, Known known, SplitMix64& random)
      : context_(context), known_(std::move(known)), random_(random) {
    drawWeights();
  }
  std::vector<double> worth(std::span<const double> rows) override {
    return improvements(*process_, rows, best_);
  }
  void chose(std::span<const double> row) override {
    chosen_.insert(chosen_.end(), row.begin(), row.end());
    drawWeights();
  }

 private:
  void drawWeights() {
    constexpr double augmentation = 0.05;
    const std::vector<double> weights = randomWeights(known_.values.size(), random_);
    std::vector<double> values;
    for (std::size_t i = 0; i < known_.points.size(); ++i) {
      double largest = 0, sum = 0;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        largest = std::max(largest, weights[k] * known_.values[k][i]);
        sum += weights[k] * known_.values[k][i];
      }
      values.push_back(largest + augmentation * sum);
    }
    best_ = std::ranges::min(values);
    process_.emplace(inputsOf(context_, known_.points), std::move(values));
    const std::size_t columns = columnsOf(context_).columns();
    for (std::size_t at = 0; at < chosen_.size(); at += columns) {
      const std::span<const double> row = std::span(chosen_).subspan(at, columns);
      const double expected = process_->at(row).front().mean;
      process_->add(row, expected);
      best_ = std::min(best_, expected);
    }
  }

  const SearchContext& context_;
  Known known_;
  SplitMix64& random_;
  std::optional<GaussianProcess> process_;
  std::vector<double> chosen_;
  double best_ = 0;
};

/// While no point keeps the constraints: by how much they are broken, and where not done, as badly as
/// anywhere.
class ViolationImprovement : public Acquisition {
 public:
  ViolationImprovement(const SearchContext& context, const History& history, Quantity& violation) {
    std::vector<double> violations;
    double worst = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
      if (std::isfinite(history.violation(i))) worst = std::max(worst, history.violation(i));
    }
    for (std::size_t i = 0; i < history.size(); ++i)
      violations.push_back(std::log1p(std::min(history.violation(i), worst + 1)));
    best_ = std::ranges::min(violations);
    process_.emplace(violation.process(context, history.points(), std::move(violations)));
  }
  std::vector<double> worth(std::span<const double> rows) override {
    return improvements(*process_, rows, best_);
  }
  void chose(std::span<const double> row) override { process_->add(row, process_->at(row).front().mean); }

 private:
  double best_ = 0;
  std::optional<GaussianProcess> process_;
};

/// Which points keep the constraints, if there are such and such.
std::optional<GaussianProcess> feasibilityOf(const SearchContext& context, const History& history,
                                             Quantity& feasibility) {
  const std::size_t feasible = history.feasiblePoints().size();
  if (feasible == 0 || feasible == history.size()) return {};
  std::vector<double> marks;
  for (std::size_t i = 0; i < history.size(); ++i) marks.push_back(history.feasible(i) ? 1 : -1);
  return feasibility.process(context, history.points(), std::move(marks));
}

std::unique_ptr<Acquisition> acquisitionOf(const SearchContext& context, const History& history,
                                           Quantities& quantities, SplitMix64& random) {
  Known known = knownOf(history, context.objectives());
  if (known.points.empty())
    return std::make_unique<ViolationImprovement>(context, history, quantities.violation);
  if (context.objectives() == 2)
    return std::make_unique<HypervolumeImprovement>(context, std::move(known), quantities.objectives);
  return std::make_unique<WeightedImprovement>(context, std::move(known), random);
}

/// Points that differ from one of the best in one knob; of an ordered knob, by the nearest values.
std::vector<std::uint64_t> neighboursOf(const SearchContext& context, const History& history) {
  std::vector<std::uint64_t> found;
  const std::vector<std::size_t> feasible = history.feasiblePoints();
  for (const std::size_t member : paretoFrontier(history.values(feasible), context.objectives())) {
    const std::vector<std::uint64_t> digits = digitsOf(history.point(feasible[member]), context.radices());
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const std::uint64_t reach = context.isCategory(k) ? context.radices()[k] : 2;
      const std::uint64_t low = digits[k] - std::min(reach, digits[k]);
      const std::uint64_t high = std::min(context.radices()[k] - 1, digits[k] + reach);
      for (std::uint64_t value = low; value <= high; ++value) {
        std::vector<std::uint64_t> other = digits;
        other[k] = value;
        const std::uint64_t point = indexOfDigits(other, context.radices());
        if (!context.known(point)) found.push_back(point);
      }
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::uint64_t> mostWorth(const SearchContext& context, const History& history,
                                     Quantities& quantities, SplitMix64& random) {
  constexpr std::size_t batch = 4, near = 256, candidates = 512;
  std::vector<std::uint64_t> points;
  if (context.size() - context.visited() > candidates) {
    points = neighboursOf(context, history);
    random.shuffle(std::span(points));
    points.resize(std::min(points.size(), near));
  }
  const std::vector<std::uint64_t> others = history.untried(points, candidates - points.size(), random);
  points.insert(points.end(), others.begin(), others.end());
  const Inputs columns = columnsOf(context);
  const std::unique_ptr<Acquisition> acquisition = acquisitionOf(context, history, quantities, random);
  const std::optional<GaussianProcess> feasibility = feasibilityOf(context, history, quantities.feasibility);
  std::vector<std::uint64_t> chosen;
  while (chosen.size() < batch && !points.empty()) {
    const std::vector<double> rows = rowsOf(context, points);
    std::vector<double> worth = acquisition->worth(rows);
    if (feasibility) {
      const std::vector<Gaussian> marks = feasibility->at(rows);
      for (std::size_t i = 0; i < worth.size(); ++i)
        worth[i] *= normalDistribution(marks[i].mean / std::max(marks[i].deviation, 1e-9));
    }
    const auto best = std::ranges::max_element(worth) - worth.begin();
    const std::size_t place = static_cast<std::size_t>(best) * columns.columns();
    if (chosen.size() + 1 < batch) acquisition->chose(std::span(rows).subspan(place, columns.columns()));
    chosen.push_back(points[static_cast<std::size_t>(best)]);
    points.erase(points.begin() + best);
  }
  return chosen;
}

}  // namespace

double expectedImprovement(const Gaussian& value, double best) {
  if (value.deviation <= 0) return std::max(0.0, best - value.mean);
  const double z = (best - value.mean) / value.deviation;
  return value.deviation * (z * normalDistribution(z) + normalDensity(z));
}

// The area that a point adds is the area that it dominates and the frontier does not; the chance that a place
// (u, v) is dominated is P(first <= u) P(second <= v). Between neighbours of the frontier the places that are
// not dominated already lie below the left one, so that both integrals are those of expectedImprovement().
double expectedHypervolumeImprovement(const Gaussian& first, const Gaussian& second,
                                      std::span<const double> front, std::span<const double> reference) {
  double sum = 0, left = 0, height = expectedImprovement(second, reference[1]);
  for (std::size_t i = 0; i < front.size() && front[i] < reference[0]; i += 2) {
    const double right = expectedImprovement(first, front[i]);
    sum += (right - left) * height;
    left = right;
    height = expectedImprovement(second, std::min(front[i + 1], reference[1]));
  }
  return sum + (expectedImprovement(first, reference[0]) - left) * height;
}

void searchByEhvi(SearchContext& context) {
  SplitMix64 random(context.seed());
  History history(context);
  const std::uint64_t first =
      std::min(context.left(), std::max<std::uint64_t>(8, 2 * (context.radices().size() + 1)));
  if (history.size() < first) history.ask(latinHypercube(context.radices(), first, random));
  Quantities quantities{std::vector<Quantity>(context.objectives()), {}, {}};
  while (!context.over()) history.ask(mostWorth(context, history, quantities, random));
}

}  // namespace sluice::inline explorer
