// Sizings (engine/tensor/sizing/README.md) against worked examples, exhaustive search, and simulations of
// kernels and FIFOs that know no formula.

#include "engine/tensor/sizing/fifo_sizing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "engine/tensor/sizing/linear_programs.h"
#include "engine/tensor/sizing/path_constraints.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::fifo_sizing_test {

using namespace testing_support;
using testing::HasSubstr;

FifoSizing sizing(const TimedGraph& graph, SizingMethod method, const SizingOptions& options = {}) {
  Result<FifoSizing> result = sizeFifos(graph, method, options);
  EXPECT_TRUE(result) << text(result.diagnostics());
  return result ? *result : FifoSizing{};
}

std::vector<std::int64_t> depthsOf(const FifoSizing& sizing) {
  std::vector<std::int64_t> depths;
  for (const SizedFifo& fifo : sizing.fifos) depths.push_back(fifo.depth);
  return depths;
}

/// What Equation 2 says for these delays at an interval of 1.
std::vector<std::int64_t> publishedDepths(const TimedGraph& graph, const std::vector<std::int64_t>& delays) {
  std::vector<std::int64_t> depths;
  for (std::size_t index = 0; index < delays.size(); ++index)
    depths.push_back(delays[index] - graph.kernels[graph.streams[index].producer].curve.initial_delay);
  return depths;
}

std::vector<std::optional<std::int64_t>> offered(const std::vector<std::int64_t>& delays) {
  return {delays.begin(), delays.end()};
}

struct LpVector {
  const char* name;
  const char* edges;
  std::vector<std::int64_t> initial_delays;
  std::uint64_t paths;
  double path_program, start_time;
  std::int64_t asap;
  std::vector<std::int64_t> one_optimum;   ///< of the path program: one of several
  std::optional<double> cycles_per_token;  ///< with the depths of that optimum
};

/// Worked examples: optima by exact arithmetic, rates by the max-plus recurrence.
const std::vector<LpVector> vectors{
    {"Figure 8(f)", "0>1 1>2 0>2", {3, 5, 0}, 4, 16, 16, 16, {3, 5, 8}, 1.0},
    {"diamond of the slides", "0>1 0>2 1>3 2>3", {3, 5, 2, 0}, 6, 16, 16, 16, {3, 6, 5, 2}, 1.0},
    {"two diamonds",
     "0>1 0>2 1>3 2>3 3>4 3>5 4>6 5>6",
     {1, 4, 2, 1, 1, 6, 0},
     28,
     24,
     24,
     24,
     {1, 3, 4, 2, 6, 1, 1, 6},
     1.0},
    {"residual skip", "0>1 1>2 2>3 3>4 0>4", {2, 3, 4, 5, 0}, 11, 28, 28, 28, {2, 3, 4, 5, 14}, 1.0},
    {"nested skips", "0>1 1>2 1>3 2>3 3>4 0>4", {2, 3, 4, 5, 0}, 15, 35, 35, 35, {2, 3, 7, 4, 5, 14}, 1.0},
    {"one source",
     "0>1 0>2 0>5 1>3 1>4 2>4 3>4 3>5",
     {2, 1, 3, 1, 4, 2},
     15,
     17,
     18,
     18,
     {3, 2, 4, 1, 2, 3, 1, 1},
     1.497},
    {"two sources", "0>3 0>4 1>2 1>4 2>3", {1, 4, 2, 2, 2}, 6, 12, 14, 20, {1, 1, 4, 4, 2}, std::nullopt},
};

TEST(FifoSizing, OptimaOfTheSpecification) {
  for (const LpVector& vector : vectors) {
    SCOPED_TRACE(vector.name);
    const TimedGraph graph = graphOf(vector.edges, vector.initial_delays);
    const FifoSizing paths = sizing(graph, SizingMethod::PathProgram);
    const FifoSizing starts = sizing(graph, SizingMethod::StartTime);
    const FifoSizing asap = sizing(graph, SizingMethod::AsSoonAsPossible);
    EXPECT_EQ(paths.printed_constraints, vector.paths);
    EXPECT_NEAR(paths.objective, vector.path_program, 1e-6);
    EXPECT_EQ(starts.total_delay, static_cast<std::int64_t>(vector.start_time));
    EXPECT_EQ(asap.total_delay, vector.asap);
    EXPECT_FALSE(starts.delay_conflict || starts.verdict.stall || starts.verdict.deadlock);
    EXPECT_FALSE(asap.delay_conflict || asap.verdict.stall || asap.verdict.deadlock);
  }
}

/// Depths straight from Equation 2 keep full rate for the optimum over start times; those of the path program
/// need not.
TEST(FifoSizing, RatesOfTheSpecification) {
  for (const LpVector& vector : vectors) {
    SCOPED_TRACE(vector.name);
    const TimedGraph graph = graphOf(vector.edges, vector.initial_delays);
    const std::optional<double> given = cyclesPerToken(graph, publishedDepths(graph, vector.one_optimum));
    ASSERT_EQ(given.has_value(), vector.cycles_per_token.has_value());
    if (given) {
      EXPECT_NEAR(*given, *vector.cycles_per_token, 0.01);
    }
    EXPECT_EQ(findStall(graph, offered(vector.one_optimum), {}).has_value(), vector.cycles_per_token != 1.0);
    for (const SizingMethod method : {SizingMethod::StartTime, SizingMethod::AsSoonAsPossible}) {
      std::vector<std::int64_t> depths;
      for (const SizedFifo& fifo : sizing(graph, method).fifos) depths.push_back(fifo.published.tokens);
      EXPECT_EQ(cyclesPerToken(graph, depths), 1.0);
    }
  }
}

/// Every optimum of the path program falls short on the two counter-examples, whichever the solver returns,
/// and padding does not help once delays are long.
TEST(FifoSizing, PathProgramFallsShortOnTheCounterexamples) {
  for (const std::size_t which : {5u, 6u}) {
    SCOPED_TRACE(vectors[which].name);
    std::vector<std::int64_t> tenfold = vectors[which].initial_delays;
    for (std::int64_t& delay : tenfold) delay *= 10;
    const TimedGraph graph = graphOf(vectors[which].edges, vectors[which].initial_delays);
    const TimedGraph long_delays = graphOf(vectors[which].edges, tenfold);
    const FifoSizing paths = sizing(graph, SizingMethod::PathProgram);
    ASSERT_TRUE(paths.delay_conflict);
    EXPECT_LT(paths.delay_conflict->offered, paths.delay_conflict->needed);
    EXPECT_EQ(cyclesPerToken(graph, depthsOf(paths)), 1.0) << "one spare token hides it here";
    const FifoSizing long_paths = sizing(long_delays, SizingMethod::PathProgram);
    EXPECT_TRUE(long_paths.verdict.stall);
    EXPECT_GT(cyclesPerToken(long_delays, depthsOf(long_paths)), 1.1);
    EXPECT_EQ(cyclesPerToken(long_delays, depthsOf(sizing(long_delays, SizingMethod::StartTime))), 1.0);
  }
}

/// Figure 8(f) at D = 3, 5: the depth of the skipping FIFO against the rate (limits of finite cycle-by-cycle
/// runs).
TEST(FifoSizing, DepthSweepOfFigure8) {
  const TimedGraph graph = graphOf("0>1 1>2 0>2", {3, 5, 0});
  const std::vector<std::optional<double>> published{std::nullopt, 5.0, 2.5, 5.0 / 3, 1.25, 1, 1, 1};
  for (std::int64_t depth = 0; depth < 8; ++depth) {
    const std::optional<double> rate = cyclesPerToken(graph, {0, 0, depth});
    const std::optional<double>& expected = published[static_cast<std::size_t>(depth)];
    ASSERT_EQ(rate.has_value(), expected.has_value()) << depth;
    if (rate) {
      EXPECT_NEAR(*rate, *expected, 0.02) << depth;
    }
    const bool full_rate = !findStall(graph, offered({3, 5, 3 + depth}), {});
    EXPECT_EQ(full_rate, depth >= 5) << depth;
  }
}

/// Fork and join around a long kernel: 32 tokens, registered FIFOs, the others 4 deep.
TimedGraph forkJoin(bool flushable) {
  TimedGraph graph = graphOf("0>1 1>2 0>2", {1, 6, 0}, 32);
  graph.kernels[1].flushable = flushable;
  return graph;
}

TEST(FifoSizing, ForkJoinOfTheSpecification) {
  struct Row {
    std::int64_t end, peak, stalls;
  };
  const std::vector<Row> drains{{288, 1, 248}, {145, 2, 105}, {100, 3, 60}, {75, 4, 35}, {64, 5, 24},
                                {55, 6, 15},   {48, 7, 8},    {43, 8, 3},   {40, 8, 0},  {40, 8, 0}};
  const std::vector<Row> stands{{90, 7, 50}, {52, 8, 12}, {40, 8, 0}, {40, 8, 0}};  // depth 7 and more
  for (std::int64_t depth = 1; depth <= 10; ++depth) {
    for (const bool flushable : {true, false}) {
      SCOPED_TRACE(std::to_string(depth) + (flushable ? " drains" : " stands"));
      const TimedGraph graph = forkJoin(flushable);
      const std::vector<std::int64_t> depths{4, 4, depth};
      const TokenRun run = runCycles(graph, depths);
      const Result<FifoVerdict> verdict = checkDepths(graph, depths, {.fifo = {.hop_latency = 1}});
      ASSERT_TRUE(verdict);
      EXPECT_EQ(verdict->stall.has_value(), depth < 9);
      EXPECT_EQ(verdict->deadlock.has_value(), !flushable && depth < 7);
      ASSERT_EQ(run.deadlock, !flushable && depth < 7);
      if (run.deadlock) continue;
      const Row& row = flushable ? drains[static_cast<std::size_t>(depth - 1)]
                                 : stands[static_cast<std::size_t>(depth - 7)];
      EXPECT_EQ(run.end, row.end);
      EXPECT_EQ(run.peak[2], row.peak);
      EXPECT_EQ(run.stalls[0], row.stalls);
    }
  }
}

/// With a cycle per hop, the recommended depth is the first that never stalls; Equation 2 without it is one
/// that deadlocks.
TEST(FifoSizing, ForkJoinNeedsTheHop) {
  for (const bool flushable : {true, false}) {
    const TimedGraph graph = forkJoin(flushable);
    const FifoSizing registered = sizing(graph, SizingMethod::StartTime, {.fifo = {.hop_latency = 1}});
    EXPECT_EQ(registered.fifos[2].delay, 9);
    EXPECT_EQ(registered.fifos[2].peak, 8);
    EXPECT_EQ(registered.fifos[2].depth, 9);
    EXPECT_EQ(sizing(graph, SizingMethod::StartTime).fifos[2].published.tokens, 6);
  }
}

/// All FIFO conflicts are certificates: paths that begin and end where the next ones do, and sums that
/// contradict each other.
void expectCertificate(const TimedGraph& graph, const FifoConflict& conflict,
                       const std::function<std::int64_t(std::size_t)>& offer,
                       const std::function<std::int64_t(std::size_t)>& need) {
  ASSERT_EQ(conflict.fifo_paths.size(), conflict.slow_paths.size());
  ASSERT_FALSE(conflict.fifo_paths.empty());
  std::int64_t offers = 0, needs = 0;
  const auto ends = [&](const std::vector<std::size_t>& path) {
    for (std::size_t step = 1; step < path.size(); ++step)
      EXPECT_EQ(graph.streams[path[step - 1]].consumer, graph.streams[path[step]].producer);
    return std::pair(graph.streams[path.front()].producer, graph.streams[path.back()].consumer);
  };
  std::multiset<std::size_t> fifo_forks, slow_forks, fifo_joins, slow_joins;
  for (const auto& path : conflict.fifo_paths) {
    for (const std::size_t stream : path) offers += offer(stream);
    fifo_forks.insert(ends(path).first);
    fifo_joins.insert(ends(path).second);
  }
  for (const auto& path : conflict.slow_paths) {
    for (const std::size_t stream : path) needs += need(stream);
    slow_forks.insert(ends(path).first);
    slow_joins.insert(ends(path).second);
  }
  EXPECT_EQ(fifo_forks, slow_forks);
  EXPECT_EQ(fifo_joins, slow_joins);
  EXPECT_EQ(offers, conflict.offered);
  EXPECT_EQ(needs, conflict.needed);
  EXPECT_LT(offers, needs);
}

/// Calls `visit` with every choice of starts from 0 to `most`; stops where it says so.
bool anyStarts(std::size_t kernels, std::int64_t most,
               const std::function<bool(const std::vector<std::int64_t>&)>& visit) {
  std::vector<std::int64_t> start(kernels, 0);
  while (true) {
    if (visit(start)) return true;
    std::size_t digit = 0;
    while (digit < kernels && ++start[digit] > most) start[digit++] = 0;
    if (digit == kernels) return false;
  }
}

TEST(FifoSizing, FullRateCheckAgreesWithExhaustiveSearch) {
  SplitMix64 random(11);
  int feasible = 0, infeasible = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const TimedGraph graph = randomGraph(random, 2 + random.below(3), 100, 3, 1);
    std::vector<std::int64_t> delays;
    const auto needed = [&](std::size_t stream) {
      return graph.kernels[graph.streams[stream].producer].curve.initial_delay;
    };
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream)
      delays.push_back(needed(stream) + static_cast<std::int64_t>(random.below(4)) -
                       (random.below(12) == 0 ? 1 : 0));
    const bool exists = anyStarts(graph.kernels.size(), 12, [&](const std::vector<std::int64_t>& start) {
      for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) {
        const std::int64_t between =
            start[graph.streams[stream].consumer] - start[graph.streams[stream].producer];
        if (between < needed(stream) || between > delays[stream]) return false;
      }
      return true;
    });
    const std::optional<FifoConflict> conflict = findStall(graph, offered(delays), {});
    ASSERT_EQ(conflict.has_value(), !exists);
    ++(exists ? feasible : infeasible);
    if (conflict)
      expectCertificate(
          graph, *conflict, [&](auto stream) { return delays[stream]; }, needed);
  }
  EXPECT_GT(feasible, 200);
  EXPECT_GT(infeasible, 200);
}

TEST(FifoSizing, StartTimesAreOptimal) {
  SplitMix64 random(12);
  for (int trial = 0; trial < 150; ++trial) {
    TimedGraph graph = randomGraph(random, 5, 100, 2, 2);
    for (TimedStream& stream : graph.streams) stream.token_bits = 8 << random.below(4);
    for (const SizingObjective objective : {SizingObjective::TotalDelay, SizingObjective::TotalBytes}) {
      double best = 1e300;
      anyStarts(5, 8, [&](const std::vector<std::int64_t>& start) {
        double sum = 0;
        for (const TimedStream& stream : graph.streams) {
          const std::int64_t between = start[stream.consumer] - start[stream.producer];
          if (between < graph.kernels[stream.producer].curve.initial_delay) return false;
          const auto interval = std::max(graph.kernels[stream.producer].curve.interval.cycles,
                                         graph.kernels[stream.consumer].curve.interval.cycles);
          const double weight =
              objective == SizingObjective::TotalDelay
                  ? 1
                  : static_cast<double>(stream.token_bits) / 8 / static_cast<double>(interval);
          sum += weight * static_cast<double>(between);
        }
        best = std::min(best, sum);
        return false;
      });
      EXPECT_NEAR(sizing(graph, SizingMethod::StartTime, {Equalisation::Normal, objective, {}}).objective,
                  best, 1e-6);
    }
  }
}

/// Thirds and sevenths of a byte a cycle: sums of them are whole only but for rounding.
TEST(FifoSizing, FractionalWeightsHaveAnOptimum) {
  SplitMix64 random(14);
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t kernels = 3 + random.below(6);
    std::vector<PotentialArc> whole, parts;
    std::vector<double> start(kernels, 0);
    std::vector<std::size_t> tight(kernels, std::size_t{0} - 1);
    for (std::size_t head = 1; head < kernels; ++head) {
      for (std::size_t tail = 0; tail < head; ++tail) {
        if (random.below(2) == 0) continue;
        const auto length = static_cast<double>(random.below(70)),
                   weight = static_cast<double>(1 + random.below(64));
        if (tight[head] > whole.size() || start[tail] + length > start[head])
          tight[head] = whole.size(), start[head] = start[tail] + length;
        whole.push_back({tail, head, length, weight});
        parts.push_back({tail, head, length, weight / 21});
      }
    }
    for (std::size_t& arc : tight) arc = std::min(arc, whole.size());
    const auto cost = [](const std::vector<PotentialArc>& arcs, const std::vector<double>& value) {
      double sum = 0;
      for (const PotentialArc& arc : arcs) {
        EXPECT_GE(value[arc.head] - value[arc.tail], arc.length - 1e-6);
        sum += arc.weight * (value[arc.head] - value[arc.tail]);
      }
      return sum;
    };
    EXPECT_NEAR(21 * cost(parts, *cheapestPotentials(parts, tight)),
                cost(whole, *cheapestPotentials(whole, tight)), 1e-6)
        << trial;
  }
}

/// Every path of the printed form, written out.
void forEachPath(const TimedGraph& graph, const std::function<void(const std::vector<std::size_t>&)>& visit) {
  std::vector<std::size_t> path;
  const std::function<void(std::size_t)> extend = [&](std::size_t kernel) {
    if (!path.empty()) visit(path);
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) {
      if (graph.streams[stream].producer != kernel) continue;
      path.push_back(stream);
      extend(graph.streams[stream].consumer);
      path.pop_back();
    }
  };
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel) extend(kernel);
}

/// Rows generated lazily give the optimum of all rows, and leave none violated; the start-time optimum is one
/// of its solutions.
TEST(FifoSizing, LazyPathProgramIsThePrintedOne) {
  SplitMix64 random(13);
  int lower = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const TimedGraph graph = randomGraph(random, 4 + random.below(5), 100, 9, 1);
    std::vector<double> least;
    for (const TimedStream& stream : graph.streams)
      least.push_back(static_cast<double>(graph.kernels[stream.producer].curve.initial_delay));
    std::map<std::pair<std::size_t, std::size_t>, double> longest;
    const auto ends = [&](const std::vector<std::size_t>& path) {
      return std::pair(graph.streams[path.front()].producer, graph.streams[path.back()].consumer);
    };
    std::uint64_t paths = 0;
    forEachPath(graph, [&](const std::vector<std::size_t>& path) {
      double sum = 0;
      for (const std::size_t stream : path) sum += least[stream];
      longest[ends(path)] = std::max(longest[ends(path)], sum);
      ++paths;
    });
    EXPECT_EQ(countPaths(graph), paths);
    CoveringProgram printed(std::vector<double>(least.size(), 1), least);
    forEachPath(graph,
                [&](const std::vector<std::size_t>& path) { printed.require(path, longest[ends(path)]); });
    const std::vector<double> optimum = *printed.solve();
    const FifoSizing lazy = sizing(graph, SizingMethod::PathProgram);
    EXPECT_NEAR(lazy.objective, std::accumulate(optimum.begin(), optimum.end(), 0.0), 1e-5);
    forEachPath(graph, [&](const std::vector<std::size_t>& path) {
      std::int64_t sum = 0;
      for (const std::size_t stream : path) sum += lazy.fifos[stream].delay;
      EXPECT_GE(static_cast<double>(sum), longest[ends(path)]);
    });
    const double start_time = sizing(graph, SizingMethod::StartTime).objective;
    EXPECT_LE(lazy.objective, start_time + 1e-5);
    if (lazy.objective < start_time - 0.5) {
      ++lower;
      EXPECT_TRUE(lazy.delay_conflict || lazy.total_delay >= static_cast<std::int64_t>(start_time));
    }
  }
  EXPECT_GT(lower, 0);
}

}  // namespace sluice::fifo_sizing_test
