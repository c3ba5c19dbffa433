// NSGA-II, MOEA/D and NSPSO by pagmo2; the only file that includes it. The algorithms move in a box with one
// real number per knob, whose whole part is the number of the knob's value. They hand over whole generations
// (MOEA/D single points), which the exploration evaluates on its threads; points met before cost nothing.
// When a population brings nothing new for a while, a fresh one begins.

#include <algorithm>
#include <cmath>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/moead.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/algorithms/nspso.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "engine/explorer/search/sampling.h"
#include "engine/explorer/search/strategies.h"

namespace sluice::inline explorer {
namespace {

using pagmo::vector_double;

/// The algorithms are for two objectives and more; a single one is given twice.
std::size_t objectivesOf(const Trials& trials) {
  return std::max<std::size_t>(2, trials.objectives());
}

std::uint64_t indexOf(const Trials& trials, const double* x) {
  std::uint64_t index = 0;
  for (const std::uint64_t radix : trials.radices()) {
    const double place = std::clamp(*x++, 0.0, static_cast<double>(radix));
    index = index * radix + std::min(static_cast<std::uint64_t>(place), radix - 1);
  }
  return index;
}

/// Objectives span orders of magnitude; what compares them by weights (MOEA/D) sees their logarithms. The
/// order of points in each objective, all that the others look at, stays.
double compressed(double value) {
  return std::copysign(std::log1p(std::abs(value)), value);
}

vector_double fitnessOf(Trials& trials, std::span<const std::uint64_t> indices) {
  const std::vector<double> values = trials.evaluate(indices);
  const std::size_t own = trials.objectives();
  vector_double fitness;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    for (std::size_t k = 0; k < objectivesOf(trials); ++k)
      fitness.push_back(compressed(values[i * own + std::min(k, own - 1)]));
  }
  return fitness;
}

/// The design space as pagmo sees it.
struct SpaceProblem {
  Trials* trials = nullptr;

  vector_double fitness(const vector_double& x) const {
    const std::uint64_t index = indexOf(*trials, x.data());
    return fitnessOf(*trials, std::span(&index, 1));
  }
  std::pair<vector_double, vector_double> get_bounds() const {
    vector_double high;
    for (const std::uint64_t radix : trials->radices()) high.push_back(static_cast<double>(radix));
    return {vector_double(high.size(), 0.0), high};
  }
  vector_double::size_type get_nobj() const { return objectivesOf(*trials); }
  template <class Archive>
  void serialize(Archive&, unsigned) {}  // pagmo asks for it; a search is never archived
};

/// A generation at once.
struct SpaceBatch {
  Trials* trials = nullptr;

  vector_double operator()(const pagmo::problem& problem, const vector_double& points) const {
    const std::size_t dimensions = problem.get_nx();
    std::vector<std::uint64_t> indices;
    for (std::size_t at = 0; at < points.size(); at += dimensions)
      indices.push_back(indexOf(*trials, points.data() + at));
    problem.increment_fevals(indices.size());
    return fitnessOf(*trials, indices);
  }
  template <class Archive>
  void serialize(Archive&, unsigned) {}
};

/// The middle of the value's interval in each dimension.
vector_double placeOf(const Trials& trials, std::uint64_t index) {
  vector_double x(trials.radices().size());
  for (std::size_t k = x.size(); k-- > 0; index /= trials.radices()[k])
    x[k] = static_cast<double>(index % trials.radices()[k]) + 0.5;
  return x;
}

pagmo::population populationOf(Trials& trials, const pagmo::problem& problem, std::size_t size, bool first,
                               SplitMix64& random) {
  std::vector<std::uint64_t> members;
  if (first)
    members.assign(trials.start().begin(), trials.start().begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                        size, trials.start().size())));
  // A small space has not as many points as a population has members.
  const std::vector<std::uint64_t> sample = distinctPoints(trials.size(), size, random);
  for (std::size_t i = 0; members.size() < size; ++i) members.push_back(sample[i % sample.size()]);
  const vector_double fitness = fitnessOf(trials, members);
  const std::size_t objectives = objectivesOf(trials);
  pagmo::population population(problem, 0, static_cast<unsigned>(random.next()));
  for (std::size_t i = 0; i < size; ++i) {
    const auto at = fitness.begin() + static_cast<std::ptrdiff_t>(i * objectives);
    population.push_back(placeOf(trials, members[i]),
                         vector_double(at, at + static_cast<std::ptrdiff_t>(objectives)));
  }
  return population;
}

/// A sixth of the budget, so that there are generations to learn from; whole tournaments.
std::size_t populationSize(const Trials& trials) {
  const std::uint64_t size = std::clamp<std::uint64_t>(trials.left() / 6, 8, 64);
  return static_cast<std::size_t>(size - size % 4);
}

template <class MakeAlgorithm>
void evolve(Trials& trials, MakeAlgorithm&& make) {
  if (trials.radices().empty()) {  // no knobs: a single point
    const std::uint64_t only = 0;
    trials.evaluate(std::span(&only, 1));
    return;
  }
  constexpr int patience = 8, most_fruitless = 20;
  SplitMix64 random(trials.seed());
  const pagmo::problem problem(SpaceProblem{&trials});
  const std::size_t size = populationSize(trials);
  bool first = true;
  for (int fruitless = 0; fruitless < most_fruitless && !trials.over();) {
    const std::uint64_t before = trials.visited();
    pagmo::population population = populationOf(trials, problem, size, std::exchange(first, false), random);
    const pagmo::algorithm algorithm(make(static_cast<unsigned>(random.next())));
    for (int stale = 0; stale < patience && !trials.over();) {
      const std::uint64_t seen = trials.visited();
      population = algorithm.evolve(population);
      stale = trials.visited() == seen ? stale + 1 : 0;
    }
    fruitless = trials.visited() == before ? fruitless + 1 : 0;
  }
}

}  // namespace

void searchNsga2(Trials& trials) {
  const double one_knob =
      std::clamp(1.0 / static_cast<double>(std::max<std::size_t>(1, trials.radices().size())), 0.1, 1.0);
  evolve(trials, [&](unsigned seed) {
    pagmo::nsga2 algorithm(1, 0.9, 10, one_knob, 5, seed);
    algorithm.set_bfe(pagmo::bfe(SpaceBatch{&trials}));
    return algorithm;
  });
}

void searchMoead(Trials& trials) {
  const auto neighbours = static_cast<unsigned>(std::min<std::size_t>(20, populationSize(trials) / 2));
  const char* const weights = objectivesOf(trials) == 2 ? "grid" : "low discrepancy";
  evolve(trials, [&](unsigned seed) {
    return pagmo::moead(1, weights, "tchebycheff", neighbours, 1.0, 0.5, 5, 0.9, 2, true, seed);
  });
}

void searchNspso(Trials& trials) {
  evolve(trials, [&](unsigned seed) {
    pagmo::nspso algorithm(1, 0.6, 2.0, 2.0, 1.0, 0.5, 20, "crowding distance", true, seed);
    algorithm.set_bfe(pagmo::bfe(SpaceBatch{&trials}));
    return algorithm;
  });
}

}  // namespace sluice::inline explorer
