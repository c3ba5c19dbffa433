// Throughput and storage of SDF and CSDF graphs: Kiter's answers on its own graphs, graphs that can be worked
// out by hand, and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/csdf/sdf3.h"
#include "engine/csdf/self_timed.h"
#include "engine/csdf/storage.h"

namespace sluice::csdf_test {

using testing::ElementsAre;

CsdfGraph given(const std::string& name) {
  const Result<ReadCsdf> read = loadSdf3(SLUICE_SOURCE_DIR "/tests/data/sdf3/" + name + ".xml");
  EXPECT_TRUE(read) << name << (read ? "" : text(read.diagnostics()));
  return read ? read->graph : CsdfGraph{};
}

CsdfThroughput answerOf(const CsdfGraph& graph) {
  const Result<CsdfThroughput> answer = csdfThroughput(graph);
  EXPECT_TRUE(answer) << (answer ? "" : text(answer.diagnostics()));
  return answer ? *answer : CsdfThroughput{};
}

CsdfActor actor(const std::string& name, std::vector<std::int64_t> times) {
  return {name, std::move(times), {}};
}

CsdfChannel channel(std::size_t from, std::size_t to, std::vector<std::int64_t> production,
                    std::vector<std::int64_t> consumption, std::int64_t tokens = 0) {
  return {"c", from, to, std::move(production), std::move(consumption), {}, {}, tokens};
}

TEST(CsdfThroughput, IsKitersOnItsGraphs) {
  const std::pair<const char*, std::int64_t> periods[] = {{"sample", 23},
                                                          {"tiny", 1},
                                                          {"slides", 26},
                                                          {"mp3_csdf", 120000},
                                                          {"init_sample", 23},
                                                          {"new_benchmark", 13},
                                                          {"BlackScholes", 42053349},
                                                          {"BlackScholes_sized", 64471849}};
  for (const auto& [name, period] : periods) {
    const CsdfThroughput answer = answerOf(given(name));
    EXPECT_TRUE(answer.repetition.consistent && answer.live) << name;
    EXPECT_EQ(answer.period, (Rational{period, 1})) << name;
    EXPECT_FALSE(answer.critical.empty()) << name;
  }
}

/// Kiter says that nothing bounds this one. But all rates are 1, and its only cycles are the channels from
/// each actor to itself, with one token: the longest time of an actor, 14, is the period.
TEST(CsdfThroughput, IsBoundByAnActorThatDoesNotOverlapWithItself) {
  const CsdfGraph graph = given("faustExample");
  EXPECT_EQ(answerOf(graph).period, (Rational{14, 1}));
  std::vector<std::int64_t> roomy;
  for (const CsdfChannel& each : graph.channels) roomy.push_back(serialises(each) ? -1 : each.tokens + 4);
  EXPECT_EQ(*selfTimedPeriod(withCapacities(graph, roomy)), (Rational{14, 1}));
}

/// A fast part fills the channel to a slow one for ever, so that the whole never comes back to a state.
TEST(CsdfThroughput, OfPartsThatWaitForNoneOfTheOthersIsThatOfTheSlowest) {
  for (const bool slow_first : {false, true}) {
    const std::int64_t first = slow_first ? 7 : 2, second = slow_first ? 2 : 7;
    const CsdfGraph graph{"g",
                          {actor("a", {first}), actor("b", {second}), actor("c", {100})},
                          {channel(0, 0, {1}, {1}, 1), channel(1, 1, {1}, {1}, 1), channel(0, 1, {3}, {2}),
                           channel(1, 2, {1}, {1})},
                          1};
    // Two firings of a to three of b; c may overlap with itself.
    const Rational period{std::max(2 * first, 3 * second), 1};
    EXPECT_EQ(answerOf(graph).period, period);
    EXPECT_EQ(*selfTimedPeriod(graph), period);
  }
}

TEST(CsdfThroughput, TellsTheRepetitionVector) {
  EXPECT_THAT(answerOf(given("mp3_csdf")).repetition.of_actor, ElementsAre(5, 12, 5292, 5292));
  // In a part that nothing connects to the others, the first actor fires as often as those of the others.
  const CsdfGraph parts{"parts",
                        {actor("a", {1}), actor("b", {1}), actor("c", {1}), actor("d", {1})},
                        {channel(0, 1, {1}, {2}), channel(2, 3, {1}, {3})},
                        1};
  EXPECT_THAT(answerOf(parts).repetition.of_actor, ElementsAre(6, 3, 6, 2));
  EXPECT_EQ(answerOf(parts).period, Rational{});
}

TEST(CsdfThroughput, NeedsMoreThanOneRoundForSomeGraphs) {
  // 2 firings of b make a round of a; with 3 tokens they alternate between one and two at a time.
  const CsdfGraph graph{
      "g", {actor("a", {1}), actor("b", {1})}, {channel(0, 1, {2}, {1}), channel(1, 0, {1}, {2}, 3)}, 1};
  const CsdfThroughput answer = answerOf(graph);
  EXPECT_EQ(answer.period, *selfTimedPeriod(graph));
  EXPECT_GT(answer.solved, 1u);
}

TEST(CsdfThroughput, KnowsDeadlockAndWhatWaitsInIt) {
  for (const std::int64_t time : {0, 1}) {
    const CsdfGraph graph{"g",
                          {actor("a", {time}), actor("b", {time})},
                          {channel(0, 1, {2}, {3}), channel(1, 0, {3}, {2}, 3)},
                          1};
    const CsdfThroughput answer = answerOf(graph);
    EXPECT_TRUE(answer.repetition.consistent);
    EXPECT_FALSE(answer.live) << time;
    EXPECT_EQ(answer.period, std::nullopt);
    EXPECT_EQ(throughputOf(answer.period), Rational{});
    EXPECT_GE(answer.critical.size(), 2u);
    EXPECT_EQ(*selfTimedPeriod(graph), std::nullopt);
  }
}

TEST(CsdfThroughput, KnowsWhatIsNotConsistent) {
  const CsdfGraph graph{
      "g", {actor("a", {1}), actor("b", {1})}, {channel(0, 1, {2}, {1}), channel(0, 1, {1}, {1})}, 1};
  const CsdfThroughput answer = answerOf(graph);
  EXPECT_FALSE(answer.repetition.consistent);
  EXPECT_EQ(answer.repetition.conflict, 1u);
  const CsdfGraph starved{"g", {actor("a", {1}), actor("b", {1})}, {channel(0, 1, {0}, {1}, 5)}, 1};
  EXPECT_FALSE(answerOf(starved).repetition.consistent);
}

/// More tokens than two phases take, however the phases are named; decimals are exact.
TEST(CsdfThroughput, CountsTimesInPartsOfAUnit) {
  CsdfGraph graph{"g", {actor("a", {15, 7})}, {channel(0, 0, {1, 1}, {1, 1}, 1)}, 10};
  EXPECT_EQ(answerOf(graph).period, (Rational{11, 5}));
  EXPECT_EQ(*selfTimedPeriod(graph), (Rational{11, 5}));
  graph.channels[0].tokens = 2;
  EXPECT_EQ(answerOf(graph).period, *selfTimedPeriod(graph));
}

TEST(CsdfThroughput, TellsWhenNumbersAreTooLarge) {
  CsdfGraph chain{"chain", {actor("a0", {1})}, {}, 1};
  for (std::size_t i = 1; i < 9; ++i) {
    chain.actors.push_back(actor("a" + std::to_string(i), {1}));
    chain.channels.push_back(channel(i - 1, i, {999'983}, {999'979}));
  }
  const Result<CsdfThroughput> answer = csdfThroughput(chain);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.diagnostics()[0].code, "overflow");
  // Rounds that have nothing in common, on a cycle that can only be computed exactly with all of them.
  const CsdfGraph large{
      "large",
      {actor("a", {1}), actor("b", {1})},
      {channel(0, 1, {99'999'989}, {99'999'971}), channel(1, 0, {99'999'971}, {99'999'989}, 199'999'960)},
      1};
  const Result<CsdfThroughput> many = csdfThroughput(large);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.diagnostics()[0].code, "too-many");
}

TEST(CsdfThroughput, Stops) {
  std::stop_source stop;
  stop.request_stop();
  const Result<CsdfThroughput> answer = csdfThroughput(given("sample"), stop.get_token());
  ASSERT_FALSE(answer);
  EXPECT_TRUE(isCancelled(answer.diagnostics()));
}

using Frontier = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< storage and period

Frontier frontierOf(const CsdfGraph& graph) {
  const Result<StorageFrontier> frontier = storageFrontier(graph);
  Frontier points;
  if (!frontier) return points;
  EXPECT_TRUE(frontier->complete);
  for (const StoragePoint& point : frontier->points) {
    EXPECT_EQ(point.period.denominator, 1);
    points.emplace_back(point.storage, point.period.numerator);
    EXPECT_EQ(*selfTimedPeriod(withCapacities(graph, point.capacities)), point.period) << point.storage;
  }
  return points;
}

TEST(CsdfStorage, IsKitersOnItsGraphs) {
  EXPECT_EQ(frontierOf(given("sample")), (Frontier{{21, 25}, {22, 24}, {23, 23}}));
  EXPECT_EQ(frontierOf(given("slides")), (Frontier{{21, 29}, {22, 28}, {23, 27}, {24, 26}}));
  EXPECT_EQ(frontierOf(given("BlackScholes")), (Frontier{{16250, 64471849},
                                                         {16874, 63761919},
                                                         {17498, 57098691},
                                                         {18122, 55110536},
                                                         {18746, 52703716},
                                                         {19370, 52503165},
                                                         {19994, 52316147},
                                                         {20618, 51114856},
                                                         {21242, 47604843},
                                                         {21866, 46841834},
                                                         {22490, 42053349}}));
}

/// Kiter begins one channel at 25 tokens where 24 do, and keeps a point of 85 tokens that another of 85
/// beats.
TEST(CsdfStorage, HasOneTokenLessThanKiterWhereItsBoundIsTooHigh) {
  EXPECT_EQ(frontierOf(given("new_benchmark")), (Frontier{{81, 18}, {82, 16}, {84, 14}, {86, 13}}));
}

/// Kiter's channels back know nothing of phases that happen once, so that its channels hold more than their
/// capacity. With such channels its answers are ours.
TEST(CsdfStorage, CountsWhatInitialPhasesLeave) {
  const CsdfGraph graph = given("init_sample");
  EXPECT_EQ(frontierOf(graph), (Frontier{{21, 25}, {22, 24}, {23, 23}}));
  const std::pair<std::vector<std::int64_t>, std::int64_t> kiters[] = {
      {{5, 9, 4}, 26}, {{6, 9, 4}, 24}, {{5, 11, 5}, 23}};
  for (const auto& [room, period] : kiters) {
    std::vector<std::int64_t> capacities(3, -1);  // of the channels that serialise
    capacities.insert(capacities.end(), room.begin(), room.end());
    CsdfGraph bounded = withCapacities(graph, capacities);
    for (std::size_t i = graph.channels.size(); i < bounded.channels.size(); ++i)
      for (auto* once : {&bounded.channels[i].initial_production, &bounded.channels[i].initial_consumption})
        std::ranges::fill(*once, 0);
    EXPECT_EQ(answerOf(bounded).period, (Rational{period, 1}));
    // The first phase of A puts 3 tokens into channel_1 and takes no room for them.
    EXPECT_EQ(bounded.channels[graph.channels.size()].tokens, room[0]);
    EXPECT_EQ(steadyTokens(bounded.channels[graph.channels.size()]) + steadyTokens(graph.channels[3]),
              room[0] + 3);
  }
}

TEST(CsdfStorage, EndsWithItsBudget) {
  StorageBudget budget;
  budget.evaluations = 3;
  const Result<StorageFrontier> frontier = storageFrontier(given("BlackScholes"), budget);
  ASSERT_TRUE(frontier);
  EXPECT_FALSE(frontier->complete);
  EXPECT_EQ(frontier->points.size(), 3u);
  budget = {};
  budget.go_on = [](const StorageProgress&) { return false; };
  EXPECT_FALSE(storageFrontier(given("mp3_csdf"), budget)->complete);
}

/// A stop within an evaluation keeps what was found.
TEST(CsdfStorage, KeepsItsPointsWhenItIsStopped) {
  std::stop_source stop;
  StorageBudget budget;
  budget.stop = stop.get_token();
  budget.go_on = [&](const StorageProgress& progress) {
    if (progress.points == 4) stop.request_stop();
    return true;
  };
  const Result<StorageFrontier> frontier = storageFrontier(given("BlackScholes"), budget);
  ASSERT_TRUE(frontier);
  EXPECT_FALSE(frontier->complete);
  ASSERT_EQ(frontier->points.size(), 4u);
  EXPECT_EQ(frontier->points[3].storage, 18122);
  EXPECT_GE(frontier->searched_below, 18122);
}

/// Answers that begin with the rounds and times of others are the same; so is the frontier that they make.
TEST(CsdfStorage, AnswersDoNotDependOnThoseBefore) {
  const CsdfGraph graph = given("sample");
  const std::vector<std::int64_t> least{-1, -1, -1, 8, 9, 4};
  const CsdfGraph bounded = withCapacities(graph, least);
  CsdfSolver solver(bounded);
  for (const std::int64_t more : {0, 3, 1, 7, 0, 2, 5}) {
    for (std::size_t i = graph.channels.size(); i < bounded.channels.size(); ++i)
      solver.setTokens(i, bounded.channels[i].tokens + more * static_cast<std::int64_t>(i % 2));
    EXPECT_EQ(solver.solve()->period, answerOf(solver.graph()).period) << more;
  }
}

}  // namespace sluice::csdf_test
