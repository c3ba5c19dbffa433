// Tasks to dies, against all assignments there are; and FIFO depths that follow the crossings.

#include "engine/tensor/placement/die_assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/random.h"
#include "engine/tensor/sizing/branch_and_bound.h"
#include "engine/tensor/sizing/fifo_sizing.h"
#include "tests/engine/support/token_simulation.h"

namespace sluice::die_assignment_test {

using namespace testing_support;
using testing::HasSubstr;

struct Instance {
  std::vector<DieTask> tasks;
  std::vector<DieStream> streams;
  Platform platform;
};

Instance randomInstance(SplitMix64& random, std::size_t tasks, std::size_t dies) {
  Instance instance;
  instance.platform.name = "random";
  for (std::size_t die = 0; die < dies; ++die) {
    instance.platform.dies.push_back({"d" + std::to_string(die), {}});
    for (std::int64_t& count : instance.platform.dies.back().resources.count)
      count = static_cast<std::int64_t>(random.below(8) == 0 ? 0 : 60 + random.below(80));
  }
  instance.platform.memory.die = random.below(dies);
  for (std::size_t task = 0; task < tasks; ++task) {
    DieTask& one = instance.tasks.emplace_back();
    one.name = "t" + std::to_string(task);
    for (const Resource resource : {Resource::LutRam, Resource::Bram, Resource::Dsp})
      one.resources[resource] = static_cast<std::int64_t>(random.below(3) == 0 ? 0 : random.below(40));
    one.external = random.below(6) == 0;
    for (std::size_t inputs = random.below(3); task > 0 && inputs > 0; --inputs)
      instance.streams.push_back({random.below(task), task, static_cast<std::int64_t>(1 + random.below(64))});
  }
  return instance;
}

/// The least objective of all assignments within the fill, straight from its definition; nothing if none is.
std::optional<double> bruteForce(const Instance& instance, const DieOptions& options) {
  const std::vector<Die>& dies = instance.platform.dies;
  double all_bits = 0;
  for (const DieStream& stream : instance.streams) all_bits += static_cast<double>(stream.bits);
  Resources all;
  for (const DieTask& task : instance.tasks) all += task.resources;
  std::vector<std::size_t> die(instance.tasks.size(), 0);
  std::optional<double> best;
  for (bool more = true; more;) {
    std::vector<Resources> used(dies.size());
    bool legal = true;
    for (std::size_t task = 0; task < die.size(); ++task) {
      used[die[task]] += instance.tasks[task].resources;
      legal = legal && (!instance.tasks[task].external || die[task] == instance.platform.memory.die);
    }
    double imbalance = 0;
    int classes = 0;
    for (const Resource resource : all_resources) {
      double most = 0, least = 1e9;
      for (std::size_t at = 0; at < dies.size(); ++at) {
        const auto size = static_cast<double>(dies[at].resources[resource]);
        const auto full = static_cast<double>(used[at][resource]);
        legal = legal && full <= std::floor(size * options.fill);
        if (size > 0) most = std::max(most, full / size), least = std::min(least, full / size);
      }
      if (all[resource] > 0) ++classes, imbalance += std::max(0.0, most - least);
    }
    double crossing = 0;
    for (const DieStream& stream : instance.streams)
      crossing += static_cast<double>(stream.bits) * std::abs(static_cast<double>(die[stream.producer]) -
                                                              static_cast<double>(die[stream.consumer]));
    const double objective = options.crossing_weight * (all_bits > 0 ? crossing / all_bits : 0) +
                             options.imbalance_weight * (classes > 0 ? imbalance / classes : 0);
    if (legal && (!best || objective < *best)) best = objective;
    std::size_t next = 0;
    while (next < die.size() && ++die[next] == dies.size()) die[next++] = 0;
    more = next < die.size();
  }
  return best;
}

void expectConsistent(const Instance& instance, const DieAssignment& assignment, const DieOptions& options) {
  std::vector<Resources> used(instance.platform.dies.size());
  for (std::size_t task = 0; task < instance.tasks.size(); ++task) {
    used[assignment.die[task]] += instance.tasks[task].resources;
    EXPECT_TRUE(!instance.tasks[task].external || assignment.die[task] == instance.platform.memory.die);
  }
  EXPECT_EQ(used, assignment.used);
  for (std::size_t die = 0; die < used.size(); ++die)
    for (const Resource resource : all_resources)
      EXPECT_LE(used[die][resource], share(instance.platform.dies[die].resources, options.fill)[resource]);
  EXPECT_LE(assignment.bound, assignment.objective);
}

TEST(DieAssignment, IsTheBestOfAllAssignments) {
  SplitMix64 random(11);
  int assigned = 0, refused = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t dies = 1 + random.below(4);
    const Instance instance = randomInstance(random, 1 + random.below(dies == 4 ? 6 : 8), dies);
    DieOptions options;
    options.fill = random.below(2) == 0 ? 0.8 : 0.95;
    options.imbalance_weight = static_cast<double>(random.below(3));
    const std::optional<double> best = bruteForce(instance, options);
    const Result<DieAssignment> assignment =
        assignDies(instance.tasks, instance.streams, instance.platform, options);
    ASSERT_EQ(static_cast<bool>(assignment), best.has_value())
        << (assignment ? "" : text(assignment.diagnostics()));
    if (!best) {
      ++refused;
      continue;
    }
    ++assigned;
    EXPECT_TRUE(assignment->optimal);
    EXPECT_NEAR(assignment->objective, *best, 1e-6);
    EXPECT_NEAR(assignment->bound, *best, 1e-6);
    expectConsistent(instance, *assignment, options);
  }
  EXPECT_GT(assigned, 150);
  EXPECT_GT(refused, 50);
}

/// A pipeline without resources to balance stays on one die; with them it is cut once per border.
TEST(DieAssignment, APipelineIsCutWhereItIsThinnest) {
  const Platform u55c = *platformNamed("u55c");
  std::vector<DieTask> tasks(9);
  std::vector<DieStream> streams;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    tasks[task].name = "k" + std::to_string(task);
    tasks[task].resources[Resource::Dsp] = 700;
    if (task > 0) streams.push_back({task - 1, task, task == 3 || task == 6 ? 8 : 512});
  }
  tasks[0].external = true;
  const Result<DieAssignment> cut = assignDies(tasks, streams, u55c);
  ASSERT_TRUE(cut) << text(cut.diagnostics());
  EXPECT_EQ(cut->die, (std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(cut->crossings, (std::vector<std::int64_t>{0, 0, 1, 0, 0, 1, 0, 0}));
  EXPECT_TRUE(cut->optimal);
  EXPECT_DOUBLE_EQ(cut->imbalance, 0);
  for (DieTask& task : tasks) task.resources = {};
  const Result<DieAssignment> together = assignDies(tasks, streams, u55c);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->die, std::vector<std::size_t>(9, 0));
}

/// Beyond the limit the answer is a good one with a bound, the same every time.
TEST(DieAssignment, AnswersWithABoundBeyondItsLimit) {
  SplitMix64 random(12);
  Instance instance = randomInstance(random, 60, 3);
  for (Die& die : instance.platform.dies) die.resources.count.fill(1000);
  DieOptions options;
  options.node_limit = 20;
  const Result<DieAssignment> first =
      assignDies(instance.tasks, instance.streams, instance.platform, options);
  ASSERT_TRUE(first) << text(first.diagnostics());
  EXPECT_FALSE(first->optimal);
  EXPECT_LE(first->nodes, 22u);
  EXPECT_GT(first->bound, 0);
  expectConsistent(instance, *first, options);
  const Result<DieAssignment> again =
      assignDies(instance.tasks, instance.streams, instance.platform, options);
  EXPECT_EQ(again->die, first->die);
  EXPECT_EQ(again->bound, first->bound);
  options.node_limit = 300;
  const Result<DieAssignment> longer =
      assignDies(instance.tasks, instance.streams, instance.platform, options);
  EXPECT_LE(longer->objective, first->objective);
  EXPECT_GE(longer->bound, first->bound - 1e-9);
  RecordProperty("gap_percent", static_cast<int>(100 * (1 - longer->bound / longer->objective)));
}

TEST(DieAssignment, RefusalsNameWhatIsMissing) {
  const Platform u55c = *platformNamed("u55c");
  const auto refusal = [&](const std::vector<DieTask>& tasks, const std::vector<DieStream>& streams) {
    const Result<DieAssignment> assignment = assignDies(tasks, streams, u55c);
    EXPECT_FALSE(assignment);
    if (assignment) return std::string();
    for (const Diagnostic& diagnostic : assignment.diagnostics()) EXPECT_FALSE(diagnostic.fix.empty());
    return text(assignment.diagnostics());
  };
  DieTask task{"matmul", {}, false};
  task.resources[Resource::Dsp] = 3000;
  EXPECT_THAT(refusal({task}, {}), testing::AllOf(HasSubstr("'matmul'"), HasSubstr("3000 DSP"),
                                                  HasSubstr("80 % of the largest die are 2406")));
  // The sum is said as well, and of a task too large for every die which of its buffers are the reason.
  EXPECT_THAT(refusal({task, task, task}, {}), HasSubstr("it needs 9000 DSP; 80 % of all dies of u55c"));
  DieTask buffers = task;
  buffers.resources[Resource::Uram] = 300;
  buffers.buffers = {{"small", Resource::Uram, 2}, {"both halves", Resource::Uram, 298, Resource::Bram}};
  EXPECT_THAT(refusal({buffers}, {}),
              HasSubstr("300 URAM ('both halves' 298, for which BRAM18 has no room, 'small' 2); 80 %"));
  EXPECT_THAT(refusal(std::vector(7, task), {}), HasSubstr("3 more of this kind are not listed"));
  task.resources[Resource::Dsp] = 2000;
  EXPECT_THAT(refusal({task, task, task, task}, {}), HasSubstr("all dies of u55c"));
  DieTask load = task;
  load.external = true;
  EXPECT_THAT(refusal({load, load}, {}), HasSubstr("SLR0"));
  EXPECT_THAT(refusal({task}, {{0, 1, 8}}), HasSubstr("stream 0"));
  task.resources[Resource::Dsp] = 1700;
  EXPECT_THAT(refusal({task, task, task, task}, {}), HasSubstr("no way of parting"));
  task.resources[Resource::Dsp] = -1;
  EXPECT_THAT(refusal({task}, {}), HasSubstr("out of range"));
}

std::vector<std::int64_t> depthsOf(const TimedGraph& graph) {
  const Result<FifoSizing> sizing = sizeFifos(graph, SizingMethod::StartTime, {.fifo = {.hop_latency = 1}});
  EXPECT_TRUE(sizing) << text(sizing.diagnostics());
  std::vector<std::int64_t> depths;
  for (const SizedFifo& fifo : sizing->fifos) depths.push_back(fifo.depth);
  return depths;
}

/// Where one of two paths crosses, the FIFO on the other one must hold what is on its way: as many tokens
/// more as the crossing takes cycles, and one for the FIFO before the registers.
TEST(Crossings, DepthsFollow) {
  const TimedGraph fork = graphOf("0>1 1>2 0>2", {3, 5, 0}, 100);
  const std::vector<std::int64_t> before = depthsOf(fork);
  for (const std::int64_t borders : {1, 2}) {
    const TimedGraph crossed = withCrossings(fork, std::vector<std::int64_t>{0, borders, 0}, 4);
    ASSERT_EQ(crossed.kernels.size(), 4u);
    ASSERT_EQ(crossed.streams.size(), 4u);
    EXPECT_EQ(crossed.kernels[3].name, "1 > 2 crossing");
    EXPECT_TRUE(check(crossed).empty());
    const std::vector<std::int64_t> after = depthsOf(crossed);
    EXPECT_EQ(after[2], before[2] + borders * 4 + 1);
    EXPECT_EQ(after[0], before[0]);
  }
  EXPECT_EQ(withCrossings(fork, std::vector<std::int64_t>{0, 0, 0}, 4).kernels.size(), 3u);
}

/// In a cycle-by-cycle run with crossings, the depths sized for them keep full rate; those sized without
/// them stall often.
TEST(Crossings, SizedDepthsKeepFullRate) {
  SplitMix64 random(13);
  int stalled_without = 0;
  for (int round = 0; round < 200; ++round) {
    const TimedGraph graph = randomGraph(random, 3 + random.below(6), 60, 12, 1);
    std::vector<std::int64_t> crossings;
    for (std::size_t stream = 0; stream < graph.streams.size(); ++stream)
      crossings.push_back(static_cast<std::int64_t>(random.below(3)));
    const TimedGraph crossed = withCrossings(graph, crossings, 6);
    const std::vector<std::int64_t> depths = depthsOf(crossed);
    const auto end = [&](std::vector<std::int64_t> given) {
      given.resize(crossed.streams.size(), 2);
      const TokenRun run = runCycles(crossed, given);
      EXPECT_FALSE(run.deadlock);
      return run.end;
    };
    const std::int64_t endless = end(std::vector<std::int64_t>(crossed.streams.size(), 1000));
    // Only starts may be later, as the start-time optimum makes them.
    EXPECT_LE(end(depths), endless + 12 * 9);
    if (end(depthsOf(graph)) > end(depths)) ++stalled_without;
  }
  EXPECT_GT(stalled_without, 40);
}

/// A knapsack in branch and bound against all of its solutions.
TEST(BranchAndBound, KnapsacksAgainstAllChoices) {
  SplitMix64 random(14);
  for (int round = 0; round < 200; ++round) {
    const std::size_t items = 1 + random.below(10);
    std::vector<double> value, weight;
    std::vector<BoundedProgram::Term> terms;
    BoundedProgram program;
    BinarySearch search;
    for (std::size_t item = 0; item < items; ++item) {
      value.push_back(static_cast<double>(1 + random.below(50)));
      weight.push_back(static_cast<double>(1 + random.below(50)));
      search.binaries.push_back(program.addVariable(-value.back(), 0, 1));
      terms.push_back({item, weight.back()});
    }
    const auto room = static_cast<double>(random.below(150));
    program.addRow(terms, -BoundedProgram::unbounded, room);
    search.round = [&](std::span<const double> x) {
      BinarySearch::Proposal proposal;
      for (std::size_t item = 0; item < items; ++item) {
        proposal.values.push_back(x[item] > 1 - 1e-6);  // down
        if (proposal.values.back()) proposal.objective -= value[item];
      }
      return std::optional(proposal);
    };
    double best = 0;
    for (unsigned choice = 0; choice < (1u << items); ++choice) {
      double filled = 0, worth = 0;
      for (std::size_t item = 0; item < items; ++item)
        if (choice >> item & 1) filled += weight[item], worth += value[item];
      if (filled <= room) best = std::max(best, worth);
    }
    const BinaryOutcome outcome = branchAndBound(program, search);
    ASSERT_TRUE(outcome.complete && outcome.best);
    EXPECT_NEAR(outcome.best->objective, -best, 1e-6);
  }
}

}  // namespace sluice::die_assignment_test
