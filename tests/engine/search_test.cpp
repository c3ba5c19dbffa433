// The search strategies: within budget, the same at any number of threads, pruning that loses nothing, and
// bounds that no run breaks.

#include "engine/explorer/search/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "engine/explorer/bounds.h"
#include "engine/explorer/search/sampling.h"
#include "tests/engine/support/documents.h"

namespace sluice::search_test {

using namespace testing_support;
using testing::HasSubstr;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

std::shared_ptr<const Workload> sample(const std::string& name) {
  return sampleWorkload(samples / (name + ".sluice"));
}

Exploration searched(const Workload& workload, const ExploreOptions& options, unsigned threads = 2) {
  Result<Exploration> result = explore(workload, *makeExecutor(threads), options);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return *std::move(result);
}

std::vector<KnobValues> frontierOf(const Exploration& exploration) {
  std::vector<KnobValues> knobs;
  for (const std::size_t i : exploration.frontier) knobs.push_back(exploration.points[i].knobs);
  return knobs;
}

TEST(Search, EveryStrategyKeepsItsBudgetAndVisitsNoPointTwice) {
  const auto workload = sample("simple_moe");
  const std::uint64_t size = designSpace(workload->document).size();
  for (const Strategy& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    ExploreOptions options;
    options.strategy = strategy.name;
    options.budget = strategy.whole_space ? size : 30;
    std::mutex mutex;
    std::multiset<std::uint64_t> seen;
    options.on_point = [&](std::uint64_t index, const DesignPoint&, const ExploreProgress& progress) {
      const std::lock_guard lock(mutex);
      seen.insert(index);
      EXPECT_LE(progress.evaluated, progress.total);
    };
    const Exploration result = searched(*workload, options);
    EXPECT_LE(result.points.size(), options.budget);
    EXPECT_GE(result.points.size(), strategy.name == std::string("halving") ? 10u
                                    : strategy.whole_space                  ? 1u
                                                                            : 30u);
    EXPECT_EQ(seen.size(), result.points.size());
    EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), seen.size()) << "a point came twice";
    EXPECT_FALSE(result.frontier.empty());
    EXPECT_GT(result.hypervolume, 0);
    EXPECT_FALSE(result.cancelled);
    ASSERT_EQ(result.order.size(), result.points.size());
    for (std::size_t i = 0; i < result.points.size(); ++i)
      EXPECT_EQ(designSpace(workload->document).point(result.indices[i]), result.points[i].knobs);
  }
}

TEST(Search, OneSeedIsOneResultAtAnyNumberOfThreads) {
  const auto workload = sample("simple_moe");
  for (const Strategy& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    ExploreOptions options;
    options.strategy = strategy.name;
    options.budget = strategy.whole_space ? 1000 : 24;
    options.seed = 11;
    const Exploration one = searched(*workload, options, 1), four = searched(*workload, options, 4);
    EXPECT_EQ(one.indices, four.indices);
    EXPECT_EQ(one.order, four.order);
    EXPECT_EQ(one.frontier, four.frontier);
    EXPECT_EQ(one.hypervolume, four.hypervolume);
    if (strategy.whole_space) continue;
    options.seed = 12;
    EXPECT_NE(searched(*workload, options, 2).indices, one.indices) << "the seed does nothing";
  }
}

TEST(Search, PruningFindsTheExhaustiveFrontier) {
  std::uint64_t pruned = 0;
  for (const char* name : {"simple_moe", "swiglu", "gnn", "deadlock_fork_join", "moe_mixtral"}) {
    const auto workload = sample(name);
    for (const std::vector<std::string>& objectives : {std::vector<std::string>{"cycles", "on_chip_bytes"},
                                                       {"cycles", "off_chip_bytes", "on_chip_bytes"},
                                                       {"off_chip_bytes"}}) {
      SCOPED_TRACE(name + std::string(" ") + objectives.back());
      ExploreOptions options;
      options.objectives = objectives;
      const Exploration all = searched(*workload, options);
      options.strategy = "pruned";
      const Exploration some = searched(*workload, options);
      EXPECT_EQ(frontierOf(some), frontierOf(all));
      EXPECT_EQ(some.points.size() + some.pruned, all.points.size());
      pruned += some.pruned;
    }
  }
  EXPECT_GT(pruned, 50u) << "nothing was ruled out anywhere";
}

/// Points with random metrics behind random bounds.
class RandomSpace : public PointEvaluator {
 public:
  RandomSpace(std::uint64_t points, std::uint64_t values, SplitMix64& random) {
    for (std::uint64_t i = 0; i < points; ++i) {
      const std::uint64_t cycles = 1 + random.below(values), bytes = 1 + random.below(values);
      runs_.push_back(point(cycles, bytes, random.below(8) == 0 ? PointState::Deadlocked : PointState::Done));
      bounds_.push_back(point(cycles - random.below(cycles),
                              bytes - (random.below(2) ? 0 : random.below(bytes)), PointState::Done));
      bounds_.back().fidelity = Fidelity::Symbolic;
    }
  }
  void evaluate(std::span<const PointTask> tasks, const Finished& finished, const std::stop_token&) override {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto at = static_cast<std::size_t>(tasks[i].knobs.at("x"));
      PointOutcome outcome{(tasks[i].fidelity == Fidelity::Symbolic ? bounds_ : runs_)[at], {}, false};
      outcome.point.knobs = tasks[i].knobs;
      finished(i, std::move(outcome));
    }
  }
  unsigned concurrency() const override { return 1; }

 private:
  static DesignPoint point(std::uint64_t cycles, std::uint64_t bytes, PointState state) {
    DesignPoint made;
    made.metrics.cycles = cycles;
    made.metrics.on_chip_bytes = bytes;
    made.state = state;
    return made;
  }
  std::vector<DesignPoint> runs_, bounds_;
};

TEST(Search, PruningIsExactForAnyBounds) {
  std::uint64_t pruned = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SplitMix64 random(seed);
    Workload workload;
    Knob knob;
    knob.name = "x";
    knob.minimum = 0;
    knob.maximum = static_cast<std::int64_t>(random.below(60));
    workload.document.knobs = {knob};
    RandomSpace space(61, 2 + random.below(40), random);
    ExploreOptions options;
    if (random.below(3) == 0) options.constraints = {{"on_chip_bytes", true, 10}};
    const Result<Exploration> all = explore(workload, space, options);
    options.strategy = "pruned";
    const Result<Exploration> some = explore(workload, space, options);
    ASSERT_TRUE(all && some);
    ASSERT_EQ(frontierOf(*some), frontierOf(*all)) << "seed " << seed;
    pruned += some->pruned;
  }
  EXPECT_GT(pruned, 1000u);
}

TEST(Search, NoRunBreaksItsBounds) {
  int runs = 0, useful = 0;
  for (const auto& entry : std::filesystem::directory_iterator(samples)) {
    if (entry.path().extension() != ".sluice" || entry.path().stem() == "gpt2_block") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const auto workload = sampleWorkload(entry.path());
    const DesignSpace space = designSpace(workload->document);
    SplitMix64 random(5);
    for (const std::uint64_t index : distinctPoints(space.size(), 12, random)) {
      const KnobValues knobs = space.point(index);
      const Result<DesignPoint> bounds = boundsOf(*workload, knobs);
      const Result<PointResult> run = evaluate(*workload, knobs, RecordMode::Count);
      ASSERT_TRUE(bounds && run);
      if (run->point.state != PointState::Done) continue;
      const Metrics &low = bounds->metrics, &real = run->point.metrics;
      ++runs;
      if (low.cycles > real.cycles / 10) ++useful;
      EXPECT_LE(low.cycles, real.cycles);
      EXPECT_TRUE(low.off_chip_bytes == real.off_chip_bytes || low.off_chip_bytes == 0);
      EXPECT_TRUE(low.on_chip_bytes == real.on_chip_bytes || low.on_chip_bytes == 0);
    }
  }
  EXPECT_GT(2 * useful, runs) << "the bounds say nothing";
}

TEST(Search, ConstraintsKeepPointsOffTheFrontier) {
  const auto workload = sample("simple_moe");
  ExploreOptions options;
  const Exploration free = searched(*workload, options);
  ASSERT_GE(free.frontier.size(), 3u);
  const double middle = metric(free.points[free.frontier[1]], "on_chip_bytes");
  options.constraints = {parseConstraint("on_chip_bytes <= " + std::to_string(middle)).operator*()};
  for (const Strategy& strategy : strategies()) {
    SCOPED_TRACE(strategy.name);
    options.strategy = strategy.name;
    const Exploration bound = searched(*workload, options);
    ASSERT_FALSE(bound.frontier.empty());
    for (const std::size_t i : bound.frontier) EXPECT_LE(metric(bound.points[i], "on_chip_bytes"), middle);
  }
  for (const char* wrong :
       {"on_chip_bytes", "on_chip_bytes<4", "on_chip_bytes<=", "on_chip_bytes<=4x", "<=4", "nonsense>=1"}) {
    const Result<Constraint> parsed = parseConstraint(wrong);
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_FALSE(parsed.diagnostics().front().fix.empty());
  }
}

TEST(Search, LatinHypercubeSpreadsEveryKnob) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SplitMix64 random(seed);
    const std::vector<std::uint64_t> radices = {7, 1, 5, 100, 3};
    const std::uint64_t count = 35;
    const std::vector<std::uint64_t> points = latinHypercube(radices, count, random);
    ASSERT_EQ(points.size(), count);
    EXPECT_EQ(std::set<std::uint64_t>(points.begin(), points.end()).size(), count);
    std::uint64_t rest = 1;
    for (std::size_t k = radices.size(); k-- > 0; rest *= radices[k]) {
      std::map<std::uint64_t, std::uint64_t> drawn;
      for (const std::uint64_t point : points) ++drawn[point / rest % radices[k]];
      EXPECT_EQ(drawn.size(), std::min(radices[k], count)) << "knob " << k;
      for (const auto& [value, times] : drawn) EXPECT_LE(times, count / radices[k] + 1) << "knob " << k;
    }
  }
}

TEST(Search, ShardsTogetherAreTheWhole) {
  const auto workload = sample("swiglu");
  ExploreOptions options;
  const Exploration all = searched(*workload, options);
  std::set<std::uint64_t> seen;
  for (std::uint64_t number = 0; number < 4; ++number) {
    options.shard = {number, 4};
    for (const std::uint64_t index : searched(*workload, options).indices)
      EXPECT_TRUE(seen.insert(index).second);
  }
  EXPECT_EQ(seen.size(), all.points.size());
  options.shard = {4, 4};
  EXPECT_FALSE(explore(*workload, *makeExecutor(1), options));
  options.shard = {0, 4};
  options.strategy = "nsga2";
  EXPECT_FALSE(explore(*workload, *makeExecutor(1), options));
}

TEST(Search, LevelsKnowMoreAndMore) {
  const auto workload = sample("simple_moe");
  ExploreOptions options;
  std::vector<Exploration> results;
  for (const Fidelity fidelity : {Fidelity::Symbolic, Fidelity::Count, Fidelity::Record}) {
    options.fidelity = fidelity;
    results.push_back(searched(*workload, options));
    for (const DesignPoint& point : results.back().points) EXPECT_EQ(point.fidelity, fidelity);
  }
  for (std::size_t i = 0; i < results[0].points.size(); ++i) {
    const DesignPoint &symbolic = results[0].points[i], &count = results[1].points[i],
                      &record = results[2].points[i];
    if (count.state != PointState::Done) continue;
    EXPECT_LE(symbolic.metrics.cycles, count.metrics.cycles);
    EXPECT_TRUE(std::isnan(metric(symbolic, "compute_utilization")));
    EXPECT_EQ(count.metrics.cycles, record.metrics.cycles);
    EXPECT_FALSE(count.peak_fifo_tokens);
    ASSERT_TRUE(record.peak_fifo_tokens);
    EXPECT_GT(*record.peak_fifo_tokens, 0u);
  }
  options.fidelity = Fidelity::Symbolic;
  options.objectives = {"compute_utilization"};
  const Result<Exploration> refused = explore(*workload, *makeExecutor(1), options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(text(refused.diagnostics()), HasSubstr("symbolic level"));
}

TEST(Search, ShortRunsAreShortAndRepeatable) {
  const auto workload = sample("moe_mixtral");
  const KnobValues knobs = defaultKnobs(workload->document);
  const PointOutcome whole = evaluateTask(*workload, {knobs, Fidelity::Count, 1}, {});
  const PointOutcome cut = evaluateTask(*workload, {knobs, Fidelity::Count, 0.1}, {});
  ASSERT_EQ(whole.point.state, PointState::Done);
  EXPECT_TRUE(cut.estimated);
  EXPECT_EQ(cut.point.metrics.cycles,
            evaluateTask(*workload, {knobs, Fidelity::Count, 0.1}, {}).point.metrics.cycles);
  const double ratio =
      static_cast<double>(cut.point.metrics.cycles) / static_cast<double>(whole.point.metrics.cycles);
  EXPECT_GT(ratio, 0.3);
  EXPECT_LT(ratio, 3);
}

TEST(Search, MorePointsThanFitInMemoryAreRefused) {
  Document document = sample("simple_moe")->document;
  document.knobs[0].kind = document.knobs[1].kind = KnobKind::Range;
  for (int k = 0; k < 2; ++k) document.knobs[static_cast<std::size_t>(k)].maximum = 1'000'000;
  ExploreOptions options;
  options.strategy = "random";
  options.budget = ExploreOptions::most_points;
  EXPECT_TRUE(checkExploration(document, options).empty());
  ++options.budget;
  EXPECT_THAT(text(checkExploration(document, options)), HasSubstr("fit in memory"));
  EXPECT_TRUE(checkExploration(sample("simple_moe")->document, options).empty()) << "that one is small";
}

TEST(Search, HalvingSpendsSmallBudgetsOnPoints) {
  const auto workload = sample("simple_moe");
  for (std::uint64_t budget = 1; budget <= 9; ++budget) {
    ExploreOptions options;
    options.strategy = "halving";
    options.budget = budget;
    const Exploration result = searched(*workload, options);
    EXPECT_GE(result.points.size(), 1u) << budget;
    EXPECT_LE(result.points.size(), budget);
    EXPECT_FALSE(result.frontier.empty());
  }
}

TEST(Search, HalvingJudgesByWhatShortRunsTell) {
  const auto workload = sample("simple_moe");
  ExploreOptions options;
  options.strategy = "halving";
  options.budget = 30;
  options.objectives = {"compute_utilization"};
  const auto refused = explore(*workload, *makeExecutor(1), options);
  ASSERT_FALSE(refused) << "its ranking would be by chance";
  EXPECT_THAT(text(refused.diagnostics()), HasSubstr("short runs"));
  // What only a whole run tells keeps no point from being tried, and none on the frontier that breaks it.
  options.objectives = {"cycles"};
  const Exploration free = searched(*workload, options);
  options.constraints = {{"token_hops", true, 1e18}};
  EXPECT_EQ(searched(*workload, options).indices, free.indices);
  options.constraints = {{"token_hops", true, 1}};
  EXPECT_TRUE(searched(*workload, options).frontier.empty());
}

TEST(Search, PruningSaysWhyNothingIsLeft) {
  const auto workload = sample("simple_moe");
  ExploreOptions options;
  options.strategy = "pruned";
  options.constraints = {{"on_chip_bytes", true, 10}};
  const Exploration none = searched(*workload, options);
  EXPECT_TRUE(none.points.empty());
  EXPECT_EQ(none.pruned, designSpace(workload->document).size());
  ASSERT_TRUE(none.ruled_out);
  EXPECT_THAT(none.ruled_out->cause, HasSubstr("on_chip_bytes is at least"));
  EXPECT_EQ(none.ruled_out->knobs, designSpace(workload->document).point(0));
  options.constraints.clear();
  EXPECT_FALSE(searched(*workload, options).ruled_out);
}

TEST(Search, SpacesThatAreTooLargeNameAWayOut) {
  Document document = chainDocument(2, 4, 0);
  document.knobs[0].maximum = 1000;
  const auto workload = workloadOf(document);
  ExploreOptions options;
  options.budget = 100;
  const Result<Exploration> refused = explore(*workload, *makeExecutor(1), options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(text(refused.diagnostics()), HasSubstr("nsga2"));
  options.strategy = "nsga2";
  EXPECT_EQ(searched(*workload, options).points.size(), 100u);
  options.strategy = "nsga3";
  EXPECT_THAT(text(explore(*workload, *makeExecutor(1), options).diagnostics()), HasSubstr("nsga2"));
}

}  // namespace sluice::search_test
