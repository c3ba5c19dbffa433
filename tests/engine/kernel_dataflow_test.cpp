// Kernels as a dataflow graph: its exact pace against the simulator's kernels over many executions, and
// depths of which none can be fewer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "engine/csdf/self_timed.h"
#include "engine/csdf/throughput.h"
#include "engine/tensor/lowering/fifo_simulation.h"
#include "engine/tensor/sizing/kernel_dataflow.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::kernel_dataflow_test {

using namespace testing_support;
using List = std::vector<std::int64_t>;

/// So many executions, one right behind the other.
TimedGraph repeated(TimedGraph graph, std::int64_t times) {
  for (TimedKernel& kernel : graph.kernels) kernel.curve.tokens *= times;
  for (TimedStream& stream : graph.streams) stream.tokens *= times;
  return graph;
}

/// Cycles of `executions` more than of so many before, by the simulator; absent: a deadlock.
std::optional<Cycles> simulated(const TimedGraph& graph, const List& depths, std::int64_t executions) {
  std::array<Cycles, 2> ends{};
  for (const std::int64_t more : {1, 2}) {
    const Result<DepthProblem> problem = depthProblem(repeated(graph, more * executions));
    EXPECT_TRUE(problem) << text(problem.diagnostics());
    const SimulatedFifos run = simulateFifos(*problem, depths);
    if (run.deadlock) return std::nullopt;
    ends[static_cast<std::size_t>(more - 1)] = run.cycles;
  }
  return ends[1] - ends[0];
}

/// Whether that many executions take what the exact answer says, but for the cycles in which a period of
/// several executions ends later.
void expectPace(const TimedGraph& graph, const List& depths, const Rational& cycles) {
  constexpr std::int64_t executions = 16;
  const auto measured = simulated(graph, depths, executions);
  ASSERT_TRUE(measured) << "it deadlocks";
  EXPECT_NEAR(static_cast<double>(*measured), cycles.value() * executions, 1.0);
}

void expectExactDepths(const TimedGraph& graph) {
  const Result<ExactDepths> exact = exactDepths(graph, 20'000);
  ASSERT_TRUE(exact) << text(exact.diagnostics());
  expectPace(graph, List(graph.streams.size(), 1 << 20), exact->cycles);
  expectPace(graph, exact->depths, exact->cycles);
  for (std::size_t fifo = 0; fifo < exact->depths.size(); ++fifo) {
    List fewer = exact->depths;
    if (--fewer[fifo] == 0) continue;
    const auto slower = simulated(graph, fewer, 16);
    EXPECT_TRUE(!slower || static_cast<double>(*slower) > exact->cycles.value() * 16 + 1) << "FIFO " << fifo;
  }
}

TEST(KernelDataflow, DepthsOfRandomGraphsAreAsFewAsTheSimulatorAllows) {
  SplitMix64 random(97);
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    expectExactDepths(randomGraph(random, 4, 6, 6, 3));
  }
}

TEST(KernelDataflow, KernelsOfSeveralRatesAndOneThatDoesNotDrain) {
  TimedGraph fork = graphOf("0>1 1>2 0>2", {4, 12, 0}, 24);
  expectExactDepths(fork);
  fork.kernels[1].flushable = false;
  const Result<ExactDepths> refused = exactDepths(fork, 20'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "unsupported-operator");
  // The kernel in the middle sums up four tokens; the next spends four steps on each of its own.
  TimedGraph sum = graphOf("0>1 1>2 0>2", {2, 9, 1}, 24);
  sum.kernels[1].curve.tokens = 6;
  sum.kernels[1].curve.interval = {4, 1};
  sum.streams[1].tokens = 6;
  expectExactDepths(sum);
}

/// The graph is that of the simulator's kernels, so an execution of it, firing by firing, keeps their pace,
/// too.
TEST(KernelDataflow, FiringByFiringItKeepsTheExactPace) {
  const TimedGraph fork = graphOf("0>1 1>2 0>2", {4, 12, 0}, 24);
  const Result<KernelDataflow> kernels = kernelDataflow(fork);
  ASSERT_TRUE(kernels);
  List capacities(kernels->graph.channels.size(), -1);
  capacities[kernels->fifos[0]] = capacities[kernels->fifos[1]] = 2;
  capacities[kernels->fifos[2]] = 3;
  const CsdfGraph bounded = withCapacities(kernels->graph, capacities);
  const Result<CsdfThroughput> exact = csdfThroughput(bounded);
  ASSERT_TRUE(exact && exact->live);
  const auto run = selfTimedPeriod(bounded, {});
  ASSERT_TRUE(run);
  EXPECT_EQ(*run, exact->period);
  expectPace(fork, {2, 2, 3}, kernels->cyclesOf(*exact->period, exact->repetition));
}

TEST(KernelDataflow, ASearchThatDoesNotEndIsRefused) {
  const TimedGraph fork = graphOf("0>1 1>2 0>2", {4, 12, 0}, 24);
  const Result<ExactDepths> cut_off = exactDepths(fork, 1);
  ASSERT_FALSE(cut_off);
  EXPECT_EQ(cut_off.diagnostics().front().code, "unfinished-search");
}

/// A GPT-2 block, of 9,840 firings: half the bytes of start times.
TEST(KernelDataflow, SizesABlockOfALanguageModel) {
  CompileOptions options;
  options.tiling.default_tile_size = 128;
  options.machine.reference_mode = false;
  const Result<TensorProgram> program = blockProgram("gpt2", "prompt", 32, "W4A8");
  ASSERT_TRUE(program);
  const Result<CompiledDesign> compiled = compile(*program, options);
  ASSERT_TRUE(compiled);
  const TimedGraph& graph = compiled->timed;
  const Result<ExactDepths> exact = exactDepths(graph, 1000);
  ASSERT_TRUE(exact) << text(exact.diagnostics());
  const Result<FifoSizing> start = sizeFifos(graph, SizingMethod::StartTime, {.fifo = {.hop_latency = 1}});
  const Result<DepthProblem> problem = depthProblem(graph);
  ASSERT_TRUE(start && problem);
  List depths;
  for (const SizedFifo& fifo : start->fifos) depths.push_back(fifo.depth);
  EXPECT_LT(fifoBytes(*problem, exact->depths), fifoBytes(*problem, depths) * 6 / 10);
  EXPECT_EQ(simulateFifos(*problem, exact->depths).cycles,
            simulateFifos(*problem, endlessDepths(*problem)).cycles);
  EXPECT_EQ(simulated(graph, exact->depths, 1), exact->cycles.numerator);
  EXPECT_EQ(exact->cycles.denominator, 1);
}

}  // namespace sluice::kernel_dataflow_test
