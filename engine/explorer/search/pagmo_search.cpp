// NSGA-II, MOEA/D and NSPSO by pagmo2; the only file that includes it. They hand over whole generations
// (MOEA/D single points), which the exploration evaluates on its threads; points met before cost nothing.
// When a population brings nothing new for a while, a fresh one begins.
//
// To NSGA-II every knob is an integer, the number of its value (pagmo's integer part): crossing exchanges the
// numbers of two parents and mutation draws any, so that the order of a category's values means nothing.
// MOEA/D and NSPSO add and scale differences, which pagmo does with real numbers alone: an ordered knob is
// one, whose whole part is the number of the value; a category is one for each of its values, and the largest
// counts.

#include <algorithm>
#include <cmath>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/moead.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/algorithms/nspso.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "engine/explorer/search/history.h"
#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

using pagmo::vector_double;

/// The algorithms are for two objectives and more; a single one is given twice.
std::size_t objectivesOf(const SearchContext& context) {
  return std::max<std::size_t>(2, context.objectives());
}

/// How a point of the space is written as pagmo's numbers; a knob with a single value is none of them.
class Encoding {
 public:
  Encoding(const SearchContext& context, bool integers) : radices_(context.radices()), integers_(integers) {
    for (std::size_t k = 0; k < radices_.size(); ++k)
      widths_.push_back(radices_[k] == 1 ? 0 : !integers && context.isCategory(k) ? radices_[k] : 1);
  }

  std::pair<vector_double, vector_double> bounds() const {
    vector_double high;
    for (std::size_t k = 0; k < radices_.size(); ++k) {
      const auto radix = static_cast<double>(radices_[k]);
      high.insert(high.end(), widths_[k], integers_ ? radix - 1 : widths_[k] > 1 ? 1.0 : radix);
    }
    return {vector_double(high.size(), 0.0), high};
  }
  std::size_t integers() const { return integers_ ? bounds().first.size() : 0; }

  std::uint64_t indexOf(const double* x) const {
    std::vector<std::uint64_t> digits;
    for (std::size_t k = 0; k < radices_.size(); x += widths_[k++]) {
      if (widths_[k] == 0) {
        digits.push_back(0);
      } else if (widths_[k] > 1) {
        digits.push_back(static_cast<std::uint64_t>(std::max_element(x, x + widths_[k]) - x));
      } else {
        const double place = std::clamp(*x, 0.0, static_cast<double>(radices_[k]));
        digits.push_back(std::min(static_cast<std::uint64_t>(place), radices_[k] - 1));
      }
    }
    return indexOfDigits(digits, radices_);
  }

  /// The middle of what stands for the point.
  vector_double placeOf(std::uint64_t index) const {
    vector_double x;
    const std::vector<std::uint64_t> digits = digitsOf(index, radices_);
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const auto digit = static_cast<double>(digits[k]);
      if (widths_[k] == 1) {
        x.push_back(integers_ ? digit : digit + 0.5);
      } else if (widths_[k] > 1) {
        x.insert(x.end(), widths_[k], 0.25);
        x[x.size() - widths_[k] + digits[k]] = 0.75;
      }
    }
    return x;
  }

 private:
  std::vector<std::uint64_t> radices_, widths_;  ///< of each knob: its values, its numbers
  bool integers_;
};

/// What compares objectives by weights (MOEA/D) sees their logarithms. The order of points in each objective,
/// all that the others look at, stays.
vector_double fitnessOf(SearchContext& context, std::span<const std::uint64_t> indices) {
  const std::vector<double> values = context.evaluate(indices);
  const std::size_t own = context.objectives();
  vector_double fitness;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    for (std::size_t k = 0; k < objectivesOf(context); ++k)
      fitness.push_back(compressed(values[i * own + std::min(k, own - 1)]));
  }
  return fitness;
}

/// The design space as pagmo sees it.
struct SpaceProblem {
  SearchContext* context = nullptr;
  const Encoding* encoding = nullptr;

  vector_double fitness(const vector_double& x) const {
    const std::uint64_t index = encoding->indexOf(x.data());
    return fitnessOf(*context, std::span(&index, 1));
  }
  std::pair<vector_double, vector_double> get_bounds() const { return encoding->bounds(); }
  vector_double::size_type get_nix() const { return encoding->integers(); }
  vector_double::size_type get_nobj() const { return objectivesOf(*context); }
  template <class Archive>
  void serialize(Archive&, unsigned) {}  // pagmo asks for it; a search is never archived
};

/// A generation at once.
struct SpaceBatch {
  SearchContext* context = nullptr;
  const Encoding* encoding = nullptr;

  vector_double operator()(const pagmo::problem& problem, const vector_double& points) const {
    const std::size_t dimensions = problem.get_nx();
    std::vector<std::uint64_t> indices;
    for (std::size_t at = 0; at < points.size(); at += dimensions)
      indices.push_back(encoding->indexOf(points.data() + at));
    problem.increment_fevals(indices.size());
    return fitnessOf(*context, indices);
  }
  template <class Archive>
  void serialize(Archive&, unsigned) {}
};

pagmo::population populationOf(SearchContext& context, const Encoding& encoding,
                               const pagmo::problem& problem, std::size_t size, bool first,
                               SplitMix64& random) {
  std::vector<std::uint64_t> members;
  if (first)
    members.assign(context.start().begin(), context.start().begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                          size, context.start().size())));
  // A small space has not as many points as a population has members.
  const std::vector<std::uint64_t> sample = distinctPoints(context.size(), size, random);
  for (std::size_t i = 0; members.size() < size; ++i) members.push_back(sample[i % sample.size()]);
  const vector_double fitness = fitnessOf(context, members);
  const std::size_t objectives = objectivesOf(context);
  pagmo::population population(problem, 0, static_cast<unsigned>(random.next()));
  for (std::size_t i = 0; i < size; ++i) {
    const auto at = fitness.begin() + static_cast<std::ptrdiff_t>(i * objectives);
    population.push_back(encoding.placeOf(members[i]),
                         vector_double(at, at + static_cast<std::ptrdiff_t>(objectives)));
  }
  return population;
}

/// A sixth of the budget, so that there are generations to learn from; whole tournaments.
std::size_t populationSize(const SearchContext& context) {
  const std::uint64_t size = std::clamp<std::uint64_t>(context.left() / 6, 8, 64);
  return static_cast<std::size_t>(size - size % 4);
}

template <class MakeAlgorithm>
void evolve(SearchContext& context, const Encoding& encoding, MakeAlgorithm&& make) {
  if (context.size() == 1) {  // no knobs, or none with a choice
    const std::uint64_t only = 0;
    context.evaluate(std::span(&only, 1));
    return;
  }
  constexpr int patience = 8, most_fruitless = 20;
  SplitMix64 random(context.seed());
  const pagmo::problem problem(SpaceProblem{&context, &encoding});
  const std::size_t size = populationSize(context);
  bool first = true;
  for (int fruitless = 0; fruitless < most_fruitless && !context.over();) {
    const std::uint64_t before = context.visited();
    pagmo::population population =
        populationOf(context, encoding, problem, size, std::exchange(first, false), random);
    const pagmo::algorithm algorithm(make(static_cast<unsigned>(random.next())));
    for (int stale = 0; stale < patience && !context.over();) {
      const std::uint64_t seen = context.visited();
      population = algorithm.evolve(population);
      stale = context.visited() == seen ? stale + 1 : 0;
    }
    fruitless = context.visited() == before ? fruitless + 1 : 0;
  }
}

}  // namespace

void searchNsga2(SearchContext& context) {
  const double one_knob =
      std::clamp(1.0 / static_cast<double>(std::max<std::size_t>(1, context.radices().size())), 0.1, 1.0);
  const Encoding encoding(context, true);
  evolve(context, encoding, [&](unsigned seed) {
    pagmo::nsga2 algorithm(1, 0.9, 10, one_knob, 5, seed);
    algorithm.set_bfe(pagmo::bfe(SpaceBatch{&context, &encoding}));
    return algorithm;
  });
}

void searchMoead(SearchContext& context) {
  const auto neighbours = static_cast<unsigned>(std::min<std::size_t>(20, populationSize(context) / 2));
  const char* const weights = objectivesOf(context) == 2 ? "grid" : "low discrepancy";
  const Encoding encoding(context, false);
  evolve(context, encoding, [&](unsigned seed) {
    return pagmo::moead(1, weights, "tchebycheff", neighbours, 1.0, 0.5, 5, 0.9, 2, true, seed);
  });
}

void searchNspso(SearchContext& context) {
  const Encoding encoding(context, false);
  evolve(context, encoding, [&](unsigned seed) {
    pagmo::nspso algorithm(1, 0.6, 2.0, 2.0, 1.0, 0.5, 20, "crowding distance", true, seed);
    algorithm.set_bfe(pagmo::bfe(SpaceBatch{&context, &encoding}));
    return algorithm;
  });
}

}  // namespace sluice::inline explorer
