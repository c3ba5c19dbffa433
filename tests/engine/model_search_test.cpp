// Searches by models: the Gaussian process against dense formulas, the expected hypervolume improvement
// against Monte Carlo, and what motpe, ehvi and auto find in small spaces beside random search.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "engine/explorer/search/history.h"
#include "engine/explorer/search/improvement.h"
#include "engine/explorer/search/strategies.h"
#include "tests/engine/support/documents.h"

namespace sluice::model_search_test {

using namespace testing_support;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

/// Solves a x = b by Gauss and Jordan; returns x, and the determinant's logarithm.
std::pair<std::vector<double>, double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  double log_determinant = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    const double pivot = a[k][k];
    log_determinant += std::log(pivot);
    for (double& each : a[k]) each /= pivot;
    b[k] /= pivot;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (i == k) continue;
      const double factor = a[i][k];
      for (std::size_t j = 0; j < b.size(); ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  return {b, log_determinant};
}

TEST(GaussianProcess, IsWhatTheFormulasSay) {
  const Inputs inputs{{0, 1, 1}, {0, 0, 1, 0.2, 1, 0, 0.5, 0, 1, 0.9, 1, 0, 1, 0, 1}};
  const std::vector<double> values = {1, 3, 2, -1, 0.5};
  const KernelScales scales{{0.4, 1.5}, 1e-3};
  const GaussianProcess process(inputs, values, scales);
  const auto kernel = [&](std::span<const double> a, std::span<const double> b) {
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) squared += std::pow((a[k] - b[k]) / (k == 0 ? 0.4 : 1.5), 2);
    const double r = std::sqrt(squared);
    return (1 + std::sqrt(5) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5) * r);
  };
  std::vector<std::vector<double>> covariance(5, std::vector<double>(5));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j)
      covariance[i][j] = kernel(inputs.row(i), inputs.row(j)) + (i == j ? 1e-3 : 0);
  }
  const double mean = 5.5 / 5;
  std::vector<double> centred = values;
  for (double& value : centred) value -= mean;
  const auto [weights, log_determinant] = solved(covariance, centred);
  double variance = 0;
  for (std::size_t i = 0; i < 5; ++i) variance += centred[i] * weights[i] / 5;
  EXPECT_NEAR(process.logLikelihood(), -2.5 * std::log(variance) - 0.5 * log_determinant, 1e-9);
  const std::vector<double> places = {0.3, 0, 1, 0.2, 1, 0};
  const std::vector<Gaussian> found = process.at(places);
  for (std::size_t p = 0; p < 2; ++p) {
    const std::span<const double> place = std::span(places).subspan(3 * p, 3);
    std::vector<double> cross;
    for (std::size_t i = 0; i < 5; ++i) cross.push_back(kernel(place, inputs.row(i)));
    const std::vector<double> reduced = solved(covariance, cross).first;
    double expected = mean, rest = 1;
    for (std::size_t i = 0; i < 5; ++i) expected += cross[i] * weights[i], rest -= cross[i] * reduced[i];
    EXPECT_NEAR(found[p].mean, expected, 1e-9);
    EXPECT_NEAR(found[p].deviation, std::sqrt(variance * rest), 1e-9);
  }
}

TEST(GaussianProcess, FindsScalesThatAreLikelier) {
  Inputs inputs{{0, 1}, {}};
  std::vector<double> values;
  SplitMix64 random(3);
  for (int i = 0; i < 40; ++i) {
    const double x = uniform(random), idle = uniform(random);
    inputs.rows.insert(inputs.rows.end(), {x, idle});
    values.push_back(std::sin(6 * x));
  }
  const GaussianProcess fitted(inputs, values);
  EXPECT_GT(fitted.logLikelihood(), GaussianProcess(inputs, values, {{0.5, 0.5}, 1e-4}).logLikelihood());
  EXPECT_GT(fitted.scales().lengths[1], 2 * fitted.scales().lengths[0]) << "the second input does nothing";
  const std::vector<double> place = {0.37, 0.5};
  EXPECT_NEAR(fitted.at(place).front().mean, std::sin(6 * 0.37), 0.02);
}

TEST(GaussianProcess, AddingAPointIsSolvingWithIt) {
  const KernelScales scales{{0.4, 0.8}, 1e-3};
  Inputs inputs{{0, 1}, {}};
  std::vector<double> values;
  SplitMix64 random(5);
  GaussianProcess grown({{0, 1}, {0.1, 0.9}}, {2}, scales);
  inputs.rows = {0.1, 0.9};
  values = {2};
  for (int i = 0; i < 20; ++i) {
    const std::vector<double> row = {uniform(random), uniform(random)};
    inputs.rows.insert(inputs.rows.end(), row.begin(), row.end());
    values.push_back(row[0] - 3 * row[1]);
    grown.add(row, values.back());
  }
  const GaussianProcess solved(inputs, values, scales);
  EXPECT_NEAR(grown.logLikelihood(), solved.logLikelihood(), 1e-9);
  const std::vector<double> places = {0.3, 0.2, 0.1, 0.9, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(grown.at(places)[i].mean, solved.at(places)[i].mean, 1e-9);
    EXPECT_NEAR(grown.at(places)[i].deviation, solved.at(places)[i].deviation, 1e-9);
  }
}

TEST(GaussianProcess, EqualPointsAndEqualValuesDoNotStopIt) {
  const Inputs twins{{0}, std::vector<double>(30, 0.5)};
  std::vector<double> values(30, 4);
  const std::vector<double> place = {0.5};
  EXPECT_EQ(GaussianProcess(twins, values).at(place).front().mean, 4);
  EXPECT_EQ(GaussianProcess(twins, values).at(place).front().deviation, 0);
  for (std::size_t i = 0; i < values.size(); i += 2) values[i] = 6;
  EXPECT_NEAR(GaussianProcess(twins, values).at(place).front().mean, 5, 1e-6);
  EXPECT_NEAR(GaussianProcess(twins, values, {{1}, 0}).at(place).front().mean, 5, 1e-3) << "no noise";
  GaussianProcess one(Inputs{{0}, {0.1}}, {7});
  one.add(place, 7);
  EXPECT_EQ(one.at(place).front().mean, 7);
}

double normal(SplitMix64& random) {
  return std::sqrt(-2 * std::log(1 - uniform(random))) * std::cos(2 * std::numbers::pi * uniform(random));
}

TEST(ExpectedImprovement, IsThatOfMonteCarlo) {
  SplitMix64 random(9);
  const std::vector<double> reference = {1.1, 1.1};
  const std::vector<std::vector<double>> fronts = {
      {}, {0.4, 0.6}, {0.1, 0.9, 0.3, 0.5, 0.8, 0.05}, {0.2, 1.3, 0.5, 0.5, 1.2, 0.1}};
  for (const std::vector<double>& front : fronts) {
    const double before = front.empty() ? 0 : hypervolume(front, 2, reference);
    for (int trial = 0; trial < 6; ++trial) {
      const Gaussian first{uniform(random) * 1.2, 0.05 + 0.4 * uniform(random)};
      const Gaussian second{uniform(random) * 1.2, 0.05 + 0.4 * uniform(random)};
      constexpr int draws = 20000;
      double sum = 0, squares = 0;
      for (int i = 0; i < draws; ++i) {
        std::vector<double> rows = front;
        rows.push_back(first.mean + first.deviation * normal(random));
        rows.push_back(second.mean + second.deviation * normal(random));
        const double gain = hypervolume(rows, 2, reference) - before;
        sum += gain;
        squares += gain * gain;
      }
      const double mean = sum / draws, error = std::sqrt((squares / draws - mean * mean) / draws);
      EXPECT_NEAR(expectedHypervolumeImprovement(first, second, front, reference), mean, 5 * error + 1e-9);
    }
  }
  EXPECT_NEAR(expectedHypervolumeImprovement({0.2, 0}, {0.3, 0}, fronts[1], reference),
              hypervolume(std::vector<double>{0.4, 0.6, 0.2, 0.3}, 2, reference) -
                  hypervolume(fronts[1], 2, reference),
              1e-12)
      << "what is certain";
}

/// Keeps what was evaluated, so that many searches of one space run each point once.
class Memory : public PointStore {
 public:
  Result<Done> known(std::span<const KnobValues> points, Fidelity,
                     const std::function<void(std::size_t, DesignPoint)>& found) override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto at = points_.find(points[i]);
      if (at != points_.end()) found(i, at->second);
    }
    return Done{};
  }
  void add(std::uint64_t, const DesignPoint& point, bool) override { points_.emplace(point.knobs, point); }
  void addAside(const DesignPoint&) override {}
  Result<std::vector<DesignPoint>> others() override { return std::vector<DesignPoint>(); }

 private:
  std::map<KnobValues, DesignPoint> points_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(ModelSearch, FindsMoreThanRandomPointsDo) {
  for (const char* name : {"simple_moe", "gnn"}) {
    const auto workload = sampleWorkload(samples / (std::string(name) + ".sluice"));
    const std::unique_ptr<Executor> executor = makeExecutor(2);
    Memory memory;
    ExploreOptions options;
    options.store = &memory;
    std::vector<Exploration> all;
    all.push_back(explore(*workload, *executor, options).operator*());
    const std::vector<double> reference = commonReference(all, {});
    const auto reached = [&](const char* strategy) {
      std::vector<double> volumes;
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        options.strategy = strategy;
        options.seed = seed;
        options.budget = 24;
        const Result<Exploration> result = explore(*workload, *executor, options);
        EXPECT_EQ(result->points.size(), 24u);
        volumes.push_back(hypervolumeByVisit(*result, {}, reference).back());
      }
      return median(volumes);
    };
    const double by_chance = reached("random");
    for (const char* strategy : {"motpe", "ehvi", "auto", "nsga2"})
      EXPECT_GT(reached(strategy), by_chance) << name << " " << strategy;
  }
}

/// Points whose metrics are a formula of their knobs.
class Formula : public PointEvaluator {
 public:
  using Rule = std::function<void(const KnobValues&, DesignPoint&)>;
  explicit Formula(Rule rule) : rule_(std::move(rule)) {}
  void evaluate(std::span<const PointTask> tasks, const Finished& finished, const std::stop_token&) override {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      PointOutcome outcome;
      outcome.point.knobs = tasks[i].knobs;
      outcome.point.state = PointState::Done;
      rule_(tasks[i].knobs, outcome.point);
      finished(i, std::move(outcome));
    }
  }
  unsigned concurrency() const override { return 1; }

 private:
  Rule rule_;
};

Knob knob(const std::string& name, std::int64_t maximum) {
  Knob made;
  made.name = name;
  made.minimum = 0;
  made.maximum = maximum;
  return made;
}

const std::vector<std::string> not_whole = {"motpe", "ehvi", "auto", "nsga2", "moead", "nspso"};

TEST(ModelSearch, OddSpacesAreSearchedToTheirEnds) {
  Knob method;
  method.name = "method";
  method.kind = KnobKind::Choice;
  method.choices = {"a", "b", "c"};
  Knob unsorted;
  unsorted.name = "unsorted";
  unsorted.kind = KnobKind::List;
  unsorted.list = {4, 1, 9};
  const std::vector<std::vector<Knob>> spaces = {
      {}, {knob("x", 0)}, {knob("x", 30)}, {method}, {unsorted}, {knob("x", 6), method, knob("y", 0)}};
  const std::vector<Formula::Rule> rules = {
      [](const KnobValues&, DesignPoint& point) { point.metrics.cycles = point.metrics.on_chip_bytes = 7; },
      [](const KnobValues&, DesignPoint& point) { point.state = PointState::Deadlocked; },
      [](const KnobValues& knobs, DesignPoint& point) {
        for (const auto& [name, value] : knobs) point.metrics.cycles += static_cast<std::uint64_t>(value);
        point.metrics.on_chip_bytes = 100 - point.metrics.cycles;
      }};
  for (std::size_t s = 0; s < spaces.size(); ++s) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
      for (const std::string& strategy : not_whole) {
        SCOPED_TRACE(strategy + " " + std::to_string(s) + " " + std::to_string(r));
        Workload workload;
        workload.document.knobs = spaces[s];
        Formula formula(rules[r]);
        ExploreOptions options;
        options.strategy = strategy;
        options.fidelity = Fidelity::Record;
        options.budget = 40;
        const Result<Exploration> result = explore(workload, formula, options);
        ASSERT_TRUE(result);
        const std::set<std::uint64_t> seen(result->indices.begin(), result->indices.end());
        EXPECT_EQ(seen.size(), result->points.size());
        if (strategy == "motpe" || strategy == "ehvi") {
          EXPECT_EQ(seen.size(), designSpace(workload.document).size());
        }
        EXPECT_EQ(result->frontier.empty(), r == 1);
      }
    }
  }
}

/// Cycles and bytes pull x and y apart; what keeps the constraint on FLOPs is a corner that few points reach.
void narrowCorner(const KnobValues& knobs, DesignPoint& point) {
  const auto x = static_cast<std::uint64_t>(knobs.at("x")), y = static_cast<std::uint64_t>(knobs.at("y"));
  point.metrics.cycles = 1000 - 10 * x + y;
  point.metrics.on_chip_bytes = 100 + 10 * x + 3 * y;
  point.metrics.flops = 80 - x - y;
}

TEST(ModelSearch, ViolationsLeadToWhatKeepsTheConstraints) {
  Workload workload;
  workload.document.knobs = {knob("x", 39), knob("y", 39)};
  ExploreOptions options;
  options.budget = 60;
  options.constraints = {{"flops", true, 6}};  // 15 of 1600 points
  for (const char* strategy : {"motpe", "ehvi"}) {
    std::uint64_t found = 0;
    for (options.seed = 1; options.seed <= 5; ++options.seed) {
      options.strategy = strategy;
      Formula formula(narrowCorner);
      const Result<Exploration> result = explore(workload, formula, options);
      ASSERT_TRUE(result);
      EXPECT_EQ(result->points.size(), options.budget);
      for (const std::size_t i : result->frontier) EXPECT_LE(result->points[i].metrics.flops, 6u);
      if (!result->frontier.empty()) ++found;
    }
    EXPECT_EQ(found, 5u) << strategy;
  }
}

TEST(ModelSearch, OneAndThreeObjectivesGoByWeights) {
  Workload workload;
  workload.document.knobs = {knob("x", 39), knob("y", 39)};
  for (const char* strategy : {"motpe", "ehvi"}) {
    ExploreOptions options;
    options.strategy = strategy;
    options.budget = 40;
    options.objectives = {"cycles"};
    Formula formula(narrowCorner);
    const Result<Exploration> one = explore(workload, formula, options);
    ASSERT_TRUE(one && one->frontier.size() == 1);
    EXPECT_LE(one->points[one->frontier.front()].metrics.cycles, 640u) << strategy << ": the least is 610";
    options.objectives = {"cycles", "on_chip_bytes", "flops"};
    const Result<Exploration> three = explore(workload, formula, options);
    ASSERT_TRUE(three);
    EXPECT_EQ(three->points.size(), options.budget);
    EXPECT_GT(three->frontier.size(), 5u);
  }
}

TEST(ModelSearch, AutoSaysWhatItPicks) {
  Workload workload;
  workload.document.knobs = {knob("x", 99), knob("y", 99)};
  const auto picked = [&](std::uint64_t budget, std::vector<std::string> objectives, Fidelity fidelity) {
    ExploreOptions options;
    options.strategy = "auto";
    options.budget = budget;
    options.objectives = std::move(objectives);
    options.fidelity = fidelity;
    Formula formula(narrowCorner);
    const Result<Exploration> result = explore(workload, formula, options);
    EXPECT_LE(result->points.size(), budget);
    return result->strategy;
  };
  EXPECT_EQ(picked(12, {"cycles", "on_chip_bytes"}, Fidelity::Count), "ehvi");
  const std::uint64_t most = findStrategy("ehvi")->most_evaluations;
  EXPECT_EQ(picked(most + 1, {"cycles", "on_chip_bytes"}, Fidelity::Count), "motpe");
  EXPECT_EQ(picked(5000, {"cycles", "on_chip_bytes"}, Fidelity::Count), "nsga2");
  EXPECT_EQ(picked(10000, {"cycles", "on_chip_bytes"}, Fidelity::Count), "pruned");
  EXPECT_EQ(picked(10000, {"cycles", "compute_utilization"}, Fidelity::Count), "exhaustive");
  EXPECT_EQ(picked(10000, {"cycles"}, Fidelity::Symbolic), "exhaustive")
      << "bounds are all that is evaluated";
}

}  // namespace sluice::model_search_test
