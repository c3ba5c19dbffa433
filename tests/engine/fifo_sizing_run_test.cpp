// Sized FIFOs in a cycle-by-cycle run, deadlocks, and what a user is told about mistakes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tensor/fifo_sizing.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice {
namespace {

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

/// In the specification's recurrence, at any depths: full rate exactly where the check says so.
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

TEST(SizedFifos, ZZProbe) {
  SplitMix64 random(26);
  for (const SizingMethod method :
       {SizingMethod::PathProgram, SizingMethod::StartTime, SizingMethod::AsSoonAsPossible})
    for (const Equalisation eq : {Equalisation::Normal, Equalisation::Conservative}) {
      int later = 0, dead = 0, deadsaid = 0;
      double worst = 0, sum = 0;
      SplitMix64 random(26);
      for (int trial = 0; trial < 2000; ++trial) {
        TimedGraph graph = randomGraph(random, 3 + random.below(6), 60, 12, 4);
        for (TimedKernel& kernel : graph.kernels) kernel.flushable = random.below(3) > 0;
        SizingOptions o = registered;
        o.equalisation = eq;
        const FifoSizing sized = sizing(graph, method, o);
        const TokenRun run = runCycles(graph, depthsOf(sized));
        const TokenRun endless = runCycles(graph, std::vector<std::int64_t>(sized.fifos.size(), 1000));
        dead += run.deadlock;
        deadsaid += sized.verdict.deadlock.has_value();
        if (run.deadlock) continue;
        const double r = double(run.end) / double(endless.end) - 1;
        later += r > 0;
        worst = std::max(worst, r);
        sum += r;
      }
      std::cout << nameOf(method) << ' ' << int(eq) << " later " << later << " dead " << dead << " said "
                << deadsaid << " worst " << worst << " mean " << sum / 2000 << "\n";
    }
}

}  // namespace
}  // namespace sluice
