// Sized FIFOs in a cycle-by-cycle run, deadlocks, and what a user is told about mistakes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/tensor/sizing/fifo_sizing.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::fifo_sizing_run_test {

using namespace testing_support;
using testing::HasSubstr;

const SizingOptions registered{.fifo = {.hop_latency = 1}};

std::vector<std::int64_t> depthsOf(const FifoSizing& sizing) {
  std::vector<std::int64_t> depths;
  for (const SizedFifo& fifo : sizing.fifos) depths.push_back(fifo.depth);
  return depths;
}

FifoSizing sizing(const TimedGraph& graph, SizingMethod method, const SizingOptions& options = registered) {
  Result<FifoSizing> result = sizeFifos(graph, method, options);
  EXPECT_TRUE(result) << text(result.diagnostics());
  return result ? *result : FifoSizing{};
}

/// Random graphs of one rate, some kernels standing still without input.
TimedGraph oneRate(SplitMix64& random, std::uint64_t most_interval) {
  TimedGraph graph = randomGraph(random, 3 + random.below(6), 60, 12, 1);
  const auto interval = static_cast<std::int64_t>(1 + random.below(most_interval));
  for (TimedKernel& kernel : graph.kernels) {
    kernel.curve.interval.cycles = interval;
    kernel.flushable = random.below(3) > 0;
  }
  return graph;
}

/// No kernel is later than the start times say, for any token.
TEST(SizedFifos, RunOnTheSchedule) {
  SplitMix64 random(21);
  for (int trial = 0; trial < 400; ++trial) {
    const TimedGraph graph = oneRate(random, 3);
    for (const SizingMethod method : {SizingMethod::StartTime, SizingMethod::AsSoonAsPossible}) {
      const FifoSizing sized = sizing(graph, method);
      ASSERT_FALSE(sized.delay_conflict || sized.verdict.stall || sized.verdict.deadlock);
      const TokenRun run = runCycles(graph, depthsOf(sized));
      ASSERT_FALSE(run.deadlock);
      for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
        const TokenCurve accepts{sized.start[kernel], graph.kernels[kernel].curve.interval, 60};
        for (std::size_t token = 0; token < 60; ++token)
          ASSERT_LE(run.accepted[kernel][token], timeOfToken(accepts, static_cast<std::int64_t>(token)));
      }
    }
  }
}

/// From reset every kernel starts as soon as it can: those FIFOs never stall anybody and fill to the exact
/// peak; one token less in any of them stalls, where the producer still pushes when the consumer starts.
TEST(SizedFifos, AsSoonAsPossibleIsTight) {
  SplitMix64 random(22);
  int tightened = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const TimedGraph graph = oneRate(random, 1);
    const FifoSizing sized = sizing(graph, SizingMethod::AsSoonAsPossible);
    const std::vector<std::int64_t> depths = depthsOf(sized);
    const TokenRun run = runCycles(graph, depths);
    for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
      EXPECT_EQ(run.stalls[kernel], 0);
      EXPECT_EQ(run.accepted[kernel].front(), sized.start[kernel]);
    }
    for (std::size_t stream = 0; stream < depths.size(); ++stream) {
      EXPECT_EQ(run.peak[stream], sized.fifos[stream].peak);
      if (sized.fifos[stream].peak >= 60) continue;
      std::vector<std::int64_t> less = depths;
      less[stream] = sized.fifos[stream].peak;
      EXPECT_EQ(less[stream], depths[stream] - 1);
      const TokenRun stalled = runCycles(graph, less);
      EXPECT_TRUE(stalled.deadlock || stalled.stalls[graph.streams[stream].producer] > 0);
      ++tightened;
    }
  }
  EXPECT_GT(tightened, 500);
}

/// Where the check of the depths promises full rate, the run ends as if FIFOs were endless; where it does
/// not, it mostly ends later.
TEST(SizedFifos, FullRateCheckOfHandEditsHolds) {
  SplitMix64 random(23);
  int promised = 0, later = 0, refused = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const TimedGraph graph = oneRate(random, 1);
    std::vector<std::int64_t> depths;
    for (const SizedFifo& fifo : sizing(graph, SizingMethod::StartTime).fifos)
      depths.push_back(fifo.depth + static_cast<std::int64_t>(random.below(3)));
    std::int64_t& edited = depths[random.below(depths.size())];
    edited = std::max<std::int64_t>(1, edited - static_cast<std::int64_t>(random.below(6)));
    const Result<FifoVerdict> verdict = checkDepths(graph, depths, {.fifo = registered.fifo});
    ASSERT_TRUE(verdict);
    const TokenRun run = runCycles(graph, depths);
    const TokenRun endless = runCycles(graph, std::vector<std::int64_t>(depths.size(), 1000));
    std::int64_t longest_start = 0;
    for (const auto& accepted : endless.accepted) longest_start = std::max(longest_start, accepted.front());
    if (!verdict->stall) {
      ++promised;
      EXPECT_FALSE(run.deadlock);
      // Full rate from some start on, which may be later than without FIFOs, but never by more than the
      // delays together.
      EXPECT_LE(run.end, endless.end + 12 * 9);
      for (const auto& accepted : run.accepted) EXPECT_LE(accepted.back() - accepted[40], 19 + 12);
    } else {
      ++refused;
      later += run.deadlock || run.end > endless.end ? 1 : 0;
    }
  }
  EXPECT_GT(promised, 200);
  EXPECT_GT(refused, 200);
  EXPECT_GT(later, refused * 9 / 10);
}

/// What is called a deadlock is one, and every deadlock is at least called possible; where no kernel drains,
/// the check is exact.
TEST(SizedFifos, DeadlockCheckAgreesWithTheRun) {
  SplitMix64 random(24);
  int locked = 0, free = 0, possible = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    TimedGraph graph = randomGraph(random, 3 + random.below(4), 40, 6, 1);
    const bool all_stand = random.below(2) == 0;
    for (TimedKernel& kernel : graph.kernels) kernel.flushable = !all_stand && random.below(2) == 0;
    std::vector<std::int64_t> depths;
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream)
      depths.push_back(static_cast<std::int64_t>(1 + random.below(12)));
    const std::optional<FifoConflict> conflict = findDeadlock(graph, depths);
    const bool deadlock = runCycles(graph, depths).deadlock;
    ASSERT_TRUE(!all_stand || conflict.has_value() == deadlock);
    ASSERT_TRUE(!deadlock || conflict);
    ASSERT_TRUE(!conflict || conflict->kind == FifoConflictKind::PossibleDeadlock || deadlock);
    possible += conflict && conflict->kind == FifoConflictKind::PossibleDeadlock ? 1 : 0;
    ++(deadlock ? locked : free);
  }
  EXPECT_GT(locked, 300);
  EXPECT_GT(free, 300);
  EXPECT_LT(possible, 300);
}

/// By the max-plus recurrence (support/token_simulation.h), at any depths: full rate exactly where the check
/// says so.
TEST(SizedFifos, FullRateCheckIsExactForBypassFifos) {
  SplitMix64 random(25);
  const FifoBehaviour bypass{.push_while_popped = true};
  int full = 0, slow = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const TimedGraph graph = randomGraph(random, 3 + random.below(4), 1000, 6, 1);
    std::vector<std::int64_t> depths;
    for (const SizedFifo& fifo : sizing(graph, SizingMethod::AsSoonAsPossible, {}).fifos)
      depths.push_back(
          std::max<std::int64_t>(0, fifo.published.tokens + static_cast<std::int64_t>(random.below(4)) - 1));
    const Result<FifoVerdict> verdict = checkDepths(graph, depths, {.fifo = bypass});
    ASSERT_TRUE(verdict);
    const bool full_rate = cyclesPerToken(graph, depths) == 1.0;
    ASSERT_EQ(full_rate, !verdict->stall);
    ++(full_rate ? full : slow);
  }
  EXPECT_GT(full, 50);
  EXPECT_GT(slow, 50);
}

/// How much later a run ends than with endless FIFOs; -1 for a deadlock.
std::int64_t cyclesLost(const TimedGraph& graph, const std::vector<std::int64_t>& depths) {
  const TokenRun run = runCycles(graph, depths);
  return run.deadlock ? -1
                      : run.end - runCycles(graph, std::vector<std::int64_t>(depths.size(), 100'000)).end;
}

/// At unequal rates the equations do not know that a kernel starved on one input lets the others wait. Sized
/// FIFOs never deadlock there either, and rarely cost a cycle against endless ones; stretched curves cost
/// some more often.
TEST(SizedFifos, UnequalRatesRarelyCostACycle) {
  for (const SizingMethod method : {SizingMethod::StartTime, SizingMethod::AsSoonAsPossible}) {
    for (const Equalisation strategy : {Equalisation::Normal, Equalisation::Conservative}) {
      SplitMix64 random(26);
      SizingOptions options = registered;
      options.equalisation = strategy;
      int later = 0;
      for (int trial = 0; trial < 1000; ++trial) {
        TimedGraph graph = randomGraph(random, 3 + random.below(6), 60, 12, 4);
        for (TimedKernel& kernel : graph.kernels) kernel.flushable = random.below(3) > 0;
        const FifoSizing sized = sizing(graph, method, options);
        ASSERT_FALSE(sized.delay_conflict || sized.verdict.stall);
        if (sized.verdict.deadlock) {
          EXPECT_EQ(sized.verdict.deadlock->kind, FifoConflictKind::PossibleDeadlock);
        }
        const std::int64_t lost = cyclesLost(graph, depthsOf(sized));
        ASSERT_GE(lost, 0);
        EXPECT_LE(lost, 60);
        later += lost > 0 ? 1 : 0;
        if (lost == 0 || strategy == Equalisation::Conservative) continue;
        for (TimedKernel& kernel : graph.kernels) kernel.curve.tokens *= 10;
        for (TimedStream& stream : graph.streams) stream.tokens *= 10;
        EXPECT_EQ(cyclesLost(graph, depthsOf(sizing(graph, method, options))), lost) << "once, not per token";
      }
      EXPECT_LE(later, strategy == Equalisation::Normal ? 10 : 80);
    }
  }
}

/// A kernel that stands still and gets its tokens slowly lets the FIFO beside it fill for longer than its own
/// delay.
TEST(SizedFifos, StandingKernelsWaitForTheirInputs) {
  for (const bool flushable : {true, false}) {
    TimedGraph graph = graphOf("0>1 1>2 0>2", {1, 24, 0}, 40);
    graph.kernels[0].curve.interval.cycles = 10;
    graph.kernels[1].curve.interval.cycles = 4;
    graph.kernels[1].flushable = flushable;
    const FifoSizing sized = sizing(graph, SizingMethod::StartTime);
    EXPECT_EQ(sized.fifos[2].delay, flushable ? 2 + 25 : 2 + 61);
    const TokenRun run = runCycles(graph, depthsOf(sized));
    EXPECT_FALSE(run.deadlock);
    EXPECT_EQ(run.stalls[0], 0);
    const Result<FifoVerdict> shallow =
        checkDepths(graph, std::vector<std::int64_t>{2, 2, 4}, {.fifo = registered.fifo});
    ASSERT_TRUE(shallow);
    EXPECT_EQ(shallow->deadlock.has_value(), !flushable);
    EXPECT_EQ(runCycles(graph, {2, 2, 4}).deadlock, !flushable);
  }
}

TEST(SizedFifos, BytesAddUp) {
  TimedGraph graph = graphOf("0>1 1>2 0>2", {3, 5, 0}, 100);
  graph.streams[0].token_bits = 4;
  graph.streams[1].token_bits = 12;
  graph.streams[2].token_bits = 256;
  const FifoSizing sized = sizing(graph, SizingMethod::StartTime, {});
  EXPECT_EQ(depthsOf(sized), (std::vector<std::int64_t>{2, 2, 6}));
  EXPECT_EQ(sized.fifos[0].bytes, 1u);
  EXPECT_EQ(sized.fifos[1].bytes, 3u);
  EXPECT_EQ(sized.fifos[2].bytes, 192u);
  EXPECT_EQ(sized.total_bytes, 196u);
}

TEST(SizedFifos, ConflictsNameTheTwoPathsAndWhatIsMissing) {
  TimedGraph graph = graphOf("0>1 1>2 0>2", {1, 6, 0}, 32);
  const char* const names[] = {"split", "norm", "add"};
  for (std::size_t kernel = 0; kernel < 3; ++kernel) graph.kernels[kernel].name = names[kernel];
  graph.kernels[1].flushable = false;
  const Result<FifoVerdict> verdict =
      checkDepths(graph, std::vector<std::int64_t>{4, 4, 6}, {.fifo = registered.fifo});
  ASSERT_TRUE(verdict && verdict->stall && verdict->deadlock);
  EXPECT_EQ(
      text(describe(*verdict->stall, graph)),
      "warning: FIFOs on split > add: they let data wait for 6 cycles in all, but split > norm > add "
      "takes 9: the design cannot run at full rate (deepen one of them by what passes in 3 more cycles)");
  EXPECT_EQ(
      text(describe(*verdict->deadlock, graph)),
      "error: FIFOs on split > add: there is room for 6 tokens, but split > norm > add needs 7 before it "
      "gives the first one: the design deadlocks (deepen one of them by at least 1)");
}

/// A conflict with two forks and two joins names all four paths.
TEST(SizedFifos, ConflictsOfSeveralForks) {
  const TimedGraph graph = graphOf("0>3 0>4 1>2 1>4 2>3", {1, 4, 2, 2, 2});
  const std::vector<std::optional<std::int64_t>> delays{1, 1, 4, 4, 2};
  const std::optional<FifoConflict> conflict = findStall(graph, delays, {});
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->fifo_paths.size(), 2u);
  EXPECT_EQ(conflict->slow_paths.size(), 2u);
  EXPECT_THAT(text(describe(*conflict, graph).place), testing::AllOf(HasSubstr("0 > 3"), HasSubstr("1 > 4")));
  EXPECT_THAT(describe(*conflict, graph).cause, testing::AllOf(HasSubstr("0 > 4"), HasSubstr("1 > 2 > 3")));
}

/// Seventy diamonds in a row: more paths than 64 bits count, yet few constraints matter.
TEST(SizedFifos, PathsThatExplodeNeedFewRows) {
  TimedGraph graph;
  graph.kernels.push_back({"0", {3, {1, 1}, 1000}});
  for (std::size_t diamond = 0; diamond < 70; ++diamond) {
    const std::size_t fork = graph.kernels.size() - 1;
    for (const std::int64_t delay : {2, 7, 4}) {
      const std::size_t kernel = graph.kernels.size();
      graph.kernels.push_back({std::to_string(kernel), {delay, {1, 1}, 1000}});
      if (kernel < fork + 3)
        graph.streams.push_back({fork, kernel, 1000});
      else
        graph.streams.insert(graph.streams.end(), {{fork + 1, kernel, 1000}, {fork + 2, kernel, 1000}});
    }
  }
  const FifoSizing paths = sizing(graph, SizingMethod::PathProgram);
  EXPECT_EQ(paths.printed_constraints, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(paths.total_delay, sizing(graph, SizingMethod::StartTime).total_delay);
  EXPECT_FALSE(paths.delay_conflict);

  SizingOptions few = registered;
  few.path_row_limit = 10;
  const Result<FifoSizing> refused = sizeFifos(graph, SizingMethod::PathProgram, few);
  ASSERT_FALSE(refused);
  EXPECT_THAT(text(refused.diagnostics()), HasSubstr("more than 10 path constraints"));
  EXPECT_THAT(text(refused.diagnostics()), HasSubstr("start-time sizing"));
}

std::string refusal(const TimedGraph& graph) {
  const Result<FifoSizing> result = sizeFifos(graph, SizingMethod::StartTime, {});
  return result ? "accepted" : text(result.diagnostics());
}

TEST(SizedFifos, MistakesAreExplained) {
  EXPECT_EQ(refusal(graphOf("0>1", {1, 1})), "accepted");
  EXPECT_EQ(refusal(TimedGraph{}), "accepted");
  EXPECT_THAT(refusal(graphOf("0>1 1>2 2>3 3>1 2>4", {1, 1, 1, 1, 1})),
              testing::AnyOf(HasSubstr("a cycle: 1 > 2 > 3 > 1"), HasSubstr("a cycle: 2 > 3 > 1 > 2"),
                             HasSubstr("a cycle: 3 > 1 > 2 > 3")));
  EXPECT_THAT(refusal(graphOf("0>0", {1})), HasSubstr("a cycle: 0 > 0"));
  EXPECT_THAT(refusal(graphOf("0>7", {1, 1})), HasSubstr("a kernel that does not exist"));
  const Diagnostics circle = check(graphOf("0>1 1>0", {1, 1}));
  ASSERT_EQ(circle.size(), 1u);
  EXPECT_EQ(circle[0].code, "cyclic-graph");
  EXPECT_THAT(circle[0].related,
              testing::UnorderedElementsAre(Location(Where::Kernel, "0"), Location(Where::Kernel, "1")));

  TimedGraph graph = graphOf("0>1", {1, 1}, 64);
  graph.streams[0].tokens = 32;
  EXPECT_THAT(refusal(graph),
              HasSubstr("stream '0 > 1': it carries 32 tokens per execution, but its producer makes 64"));
  graph = graphOf("0>1", {1, 1});
  graph.kernels[1].curve.interval.cycles = 0;
  EXPECT_THAT(refusal(graph), HasSubstr("kernel '1': its initiation interval is not positive"));
  graph = graphOf("0>1", {-1, 1});
  EXPECT_THAT(refusal(graph), HasSubstr("its initial delay is negative"));
  graph = graphOf("0>1", {1, 1}, 0);
  EXPECT_THAT(refusal(graph), HasSubstr("it produces 0 tokens per execution"));
  graph = graphOf("0>1", {1, 1});
  graph.streams[0].token_bits = 0;
  EXPECT_THAT(refusal(graph), HasSubstr("a token of 0 bits"));
}

TEST(SizedFifos, CountsThatOverflowAreRefused) {
  const std::int64_t large = std::int64_t{1} << 40;
  TimedGraph graph = graphOf("0>1", {large, 1}, 1);
  EXPECT_THAT(refusal(graph), HasSubstr("too many for exact arithmetic"));  // the sum of both delays
  graph.kernels[1].curve.initial_delay = 0;
  EXPECT_EQ(refusal(graph), "accepted");
  graph = graphOf("0>1", {2, 1}, large);
  EXPECT_THAT(refusal(graph), HasSubstr("kernel '0': it runs for more than 2^40 cycles"));
  graph = graphOf("0>1", {1, 1}, large / 2);
  graph.kernels[1].curve.interval.cycles = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(refusal(graph), HasSubstr("kernel '1': it runs for more than 2^40 cycles"));
  graph = graphOf("0>1", {1, 0}, large / 2);
  graph.kernels[1].curve.interval.cycles = 2;
  graph.streams[0].token_bits = large;
  EXPECT_THAT(refusal(graph), HasSubstr("more than 2^62 bytes"));
}

TEST(SizedFifos, HandEditsAreChecked) {
  const TimedGraph graph = graphOf("0>1 1>2", {1, 1, 1});
  const auto answer = [&](const std::vector<std::int64_t>& depths) {
    const Result<FifoVerdict> verdict = checkDepths(graph, depths, {});
    return verdict ? "accepted" : text(verdict.diagnostics());
  };
  EXPECT_EQ(answer({2, 2}), "accepted");
  EXPECT_THAT(answer({2}), HasSubstr("1 depths for 2 streams"));
  EXPECT_THAT(answer({2, -1}), HasSubstr("FIFO '1 > 2': its depth is -1"));
}

}  // namespace sluice::fifo_sizing_run_test
