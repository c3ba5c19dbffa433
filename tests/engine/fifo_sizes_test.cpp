// FIFO sizes from a run: tried, no slower than promised, and no deeper than the run was.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/fifo/program_sizing.h"
#include "engine/operators/simulate.h"
#include "tests/engine/support/documents.h"

namespace sluice::fifo_sizes_test {

std::shared_ptr<const Workload> sample(const std::string& name) {
  return testing_support::sampleWorkload(SLUICE_SOURCE_DIR "/sample_workloads/" + name + ".sluice");
}

const DepthStrategy& strategy(const std::string& name) {
  return *findDepthStrategy(name);
}

TEST(FifoSizes, OfARunKeepItsPaceWithoutRoomThatItDoesNotUse) {
  for (const char* name : {"simple_moe", "swiglu", "gnn"}) {
    const auto workload = sample(name);
    const KnobValues knobs = defaultKnobs(workload->document);
    const auto sizes = sizeProgram(*workload, knobs, "", strategy("peaks"));
    ASSERT_TRUE(sizes) << text(sizes.diagnostics());
    EXPECT_LE(sizes->cycles_after, sizes->cycles_before) << name;
    const auto again = evaluate({sizes->document, workload->inputs}, knobs, RecordMode::Count);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->simulation.cycles, sizes->cycles_after);
  }
}

TEST(FifoSizes, WithoutLimitsAreAsFastAsUnlimitedFifos) {
  for (const char* name : {"simple_moe", "swiglu"}) {
    const auto workload = sample(name);
    const KnobValues knobs = defaultKnobs(workload->document);
    const auto sizes = sizeProgram(*workload, knobs, "", strategy("unlimited"));
    ASSERT_TRUE(sizes) << text(sizes.diagnostics());
    Document deep = workload->document;
    deep.schedule.push_back({"fifo_depth", {{"to", "*"}, {"depth", 1 << 30}}, true});
    const auto fastest = evaluate({deep, workload->inputs}, knobs, RecordMode::Count);
    ASSERT_TRUE(fastest);
    EXPECT_EQ(sizes->cycles_after, fastest->simulation.cycles) << name;
  }
}

TEST(FifoSizes, OfARegionLeaveTheOthersAlone) {
  const auto workload = sample("simple_moe");
  const auto sizes =
      sizeProgram(*workload, defaultKnobs(workload->document), "expert", strategy("unlimited"));
  ASSERT_TRUE(sizes) << text(sizes.diagnostics());
  EXPECT_FALSE(sizes->changes.empty());
  for (const Repair::Change& change : sizes->changes) EXPECT_TRUE(change.origin.starts_with("expert"));
}

TEST(FifoSizes, OfADeadlockAreRefused) {
  const auto workload = sample("deadlock_fork_join");
  const auto sizes = sizeProgram(*workload, defaultKnobs(workload->document), "", strategy("peaks"));
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.diagnostics().front().code, "deadlock");
  EXPECT_NE(sizes.diagnostics().front().fix.find("sluice-cli unlock"), std::string::npos);
}

/// No way to choose depths frees a real deadlock, and none goes on for ever where the program would.
TEST(FifoSizes, OfARealDeadlockAreRefusedByEveryStrategy) {
  for (const char* name : {"self_loop", "rate_mismatch", "feedback_one_too_many", "starved_reassemble"}) {
    const auto workload = sample(std::string("deadlocks/") + name);
    for (const DepthStrategy& each : depthStrategies()) {
      if (each.of_design) continue;
      const auto sizes = sizeProgram(*workload, defaultKnobs(workload->document), "", each);
      ASSERT_FALSE(sizes) << name << ", " << each.name;
      EXPECT_EQ(sizes.diagnostics().front().code, "deadlock") << name << ", " << each.name;
      EXPECT_NE(sizes.diagnostics().front().cause.find("deadlock at cycle"), std::string::npos);
    }
  }
}

/// What needs no run that ends frees the program.
TEST(FifoSizes, FreeADeadlock) {
  const auto workload = sample("deadlock_fork_join");
  const KnobValues knobs = defaultKnobs(workload->document);
  const auto locked = evaluate(*workload, knobs, RecordMode::Count);
  ASSERT_TRUE(locked);
  const Unlock unlocked = unlock(*workload, *locked);
  ASSERT_TRUE(unlocked.repair);
  const auto freed = sizeProgram(*workload, knobs, "", strategy("unlock"));
  ASSERT_TRUE(freed) << text(freed.diagnostics());
  EXPECT_FALSE(freed->cycles_before);
  EXPECT_EQ(freed->cycles_after, unlocked.repair->cycles);
  ASSERT_EQ(freed->changes.size(), unlocked.repair->changes.size());
  for (std::size_t i = 0; i < freed->changes.size(); ++i) {
    EXPECT_EQ(freed->changes[i].origin, unlocked.repair->changes[i].origin);
    EXPECT_EQ(freed->changes[i].to, unlocked.repair->changes[i].to);
  }
  for (const char* name : {"unlimited", "simulated", "bram"})
    EXPECT_TRUE(sizeProgram(*workload, knobs, "", strategy(name))) << name;
}

TEST(FifoSizes, BySimulationAreAsFastAsUnlimitedFifosAndNoneCanBeLess) {
  const auto workload = sample("swiglu");
  const KnobValues knobs = defaultKnobs(workload->document);
  const auto fast = sizeProgram(*workload, knobs, "", strategy("unlimited"));
  const auto least = sizeProgram(*workload, knobs, "", strategy("simulated"));
  ASSERT_TRUE(fast && least);
  EXPECT_LE(least->cycles_after, fast->cycles_after);
  EXPECT_LE(least->bytes_after, fast->bytes_after);
  for (const bool grouped : {false, true}) {
    const auto blocks = sizeProgram(*workload, knobs, "", strategy("bram"), {.grouped = grouped});
    ASSERT_TRUE(blocks);
    EXPECT_LE(blocks->cycles_after, fast->cycles_after);
    EXPECT_LE(blocks->blocks_after, least->blocks_after);
    EXPECT_EQ(blocks->blocks_before, least->blocks_before);
  }
}

/// A run with the depths of each point takes the cycles that it says; none is beaten.
TEST(FifoSizes, HaveAFrontierOfBytesAgainstCycles) {
  for (const char* name : {"simple_moe", "swiglu"}) {
    const auto workload = sample(name);
    const KnobValues knobs = defaultKnobs(workload->document);
    const auto sizes = sizeProgram(*workload, knobs, "", strategy("simulated"), {.front = true});
    ASSERT_TRUE(sizes) << text(sizes.diagnostics());
    ASSERT_FALSE(sizes->front.empty()) << name;
    EXPECT_EQ(sizes->front.front().cycles, sizes->cycles_after);
    const auto point = evaluate(*workload, knobs, RecordMode::Count);
    ASSERT_TRUE(point);
    const ScheduledProgram* scheduled = point->symbolic.scheduled.get();
    DepthProblem problem =
        depthProblem(point->symbolic.graph, scheduled ? scheduled->inputs : workload->inputs);
    ASSERT_EQ(problem.groups.size(), sizes->fifos.size());
    // The document that comes out has the depths that are reported, whatever its expressions said.
    const auto made = evaluate({sizes->document, workload->inputs}, knobs, RecordMode::Count);
    ASSERT_TRUE(made);
    const DepthProblem found = depthProblem(made->symbolic.graph, problem.inputs);
    for (std::size_t group = 0; group < found.groups.size(); ++group)
      EXPECT_EQ(static_cast<std::int64_t>(found.groups[group].depth), sizes->front.front().depths[group])
          << name << ", " << sizes->fifos[group].name;
    for (std::size_t i = 0; i < sizes->front.size(); ++i) {
      const SimulatedSizing& each = sizes->front[i];
      setDepths(problem.graph, problem, each.depths);
      const SimulationResult run = simulate(problem.graph, problem.inputs, {});
      ASSERT_TRUE(run.finished()) << name << ", point " << i;
      EXPECT_EQ(run.cycles, each.cycles) << name << ", point " << i;
      if (i == 0) continue;
      EXPECT_LT(each.bytes, sizes->front[i - 1].bytes);
      EXPECT_GT(each.cycles, sizes->front[i - 1].cycles);
    }
  }
  const auto refused = sizeProgram(*sample("swiglu"), {}, "", strategy("peaks"), {.front = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().code, "conflicting-options");
}

/// One number: what sizing has as the memory of FIFOs is the metric of a run of that program, before and
/// after.
TEST(FifoSizes, HaveTheMemoryThatARunHas) {
  for (const char* name : {"simple_moe", "moe_mixtral", "moe_three_ways", "swiglu", "deadlock_fork_join"}) {
    const auto workload = sample(name);
    const KnobValues knobs = defaultKnobs(workload->document);
    const auto memory = [&](const Document& document) {
      const auto run = evaluate({document, workload->inputs}, knobs, RecordMode::Count);
      return run ? static_cast<double>(run->point.metrics.fifo_bytes) : -1;
    };
    const double before = memory(workload->document);
    const bool locked = std::string(name) == "deadlock_fork_join";
    for (const DepthStrategy& each : depthStrategies()) {
      if (each.of_design || (locked && each.of_run)) continue;
      if (std::string(name).starts_with("moe") &&
          std::string("simulated bram").find(each.name) != std::string::npos)
        continue;  // takes long
      const auto sizes = sizeProgram(*workload, knobs, "", each);
      ASSERT_TRUE(sizes) << name << ", " << each.name << ": " << text(sizes.diagnostics());
      if (!locked) {
        EXPECT_EQ(sizes->bytes_before, before) << name << ", " << each.name;
      }
      EXPECT_EQ(sizes->bytes_after, memory(sizes->document)) << name << ", " << each.name;
      double changes = 0;
      for (const Repair::Change& change : sizes->changes) changes += change.bytes;
      EXPECT_NEAR(sizes->bytes_after - sizes->bytes_before, changes, 1e-9 * sizes->bytes_after) << name;
    }
  }
}

/// Each point of a frontier can be taken, and is then what it was said to be.
TEST(FifoSizes, OfAPointOfTheFrontierAreThoseOfTheDocument) {
  const auto workload = sample("softmax_depths");
  const KnobValues knobs = defaultKnobs(workload->document);
  const auto sizes = sizeProgram(*workload, knobs, "", strategy("simulated"), {.front = true});
  ASSERT_TRUE(sizes);
  ASSERT_GT(sizes->front.size(), 1u);
  for (std::size_t number = 1; number <= sizes->front.size(); ++number) {
    const auto picked = pickFromFront(*workload, knobs, *sizes, number);
    ASSERT_TRUE(picked) << text(picked.diagnostics());
    const auto run = evaluate({picked->document, workload->inputs}, knobs, RecordMode::Count);
    ASSERT_TRUE(run);
    EXPECT_EQ(run->simulation.cycles, sizes->front[number - 1].cycles) << number;
    EXPECT_EQ(run->point.metrics.fifo_bytes, sizes->front[number - 1].bytes) << number;
  }
  for (const std::size_t none : {std::size_t{0}, sizes->front.size() + 1})
    EXPECT_EQ(pickFromFront(*workload, knobs, *sizes, none).diagnostics().front().code, "out-of-range");
}

TEST(FifoSizes, OfACompiledProgramComeFromItsCurves) {
  const auto workload = sample("gpt2_block");
  KnobValues knobs = defaultKnobs(workload->document);
  for (const DepthStrategy& each : depthStrategies()) {
    if (!each.of_design) continue;
    const auto sizes = sizeProgram(*workload, knobs, "", each);
    if (std::string(each.name) == "exact") {  // a whole block is too large for it
      ASSERT_FALSE(sizes);
      EXPECT_EQ(sizes.diagnostics().front().code, "too-many");
      continue;
    }
    ASSERT_TRUE(sizes) << each.name << ": " << text(sizes.diagnostics());
    EXPECT_GT(sizes->bytes_after, 0) << each.name;
  }
  const auto present = sizeProgram(*workload, knobs, "", strategy("asap"));
  ASSERT_TRUE(present);
  EXPECT_FALSE(present->changes.empty()) << "it is compiled by start times";
  const auto refused = sizeProgram(*sample("swiglu"), {}, "", strategy("asap"));
  ASSERT_FALSE(refused);
}

TEST(FifoSizes, OfASmallCompiledProgramAreExact) {
  const auto document = loadDocument(SLUICE_SOURCE_DIR "/resources/templates/tensor_program.sluice");
  ASSERT_TRUE(document);
  const auto workload = *makeWorkload(*document, ".");
  const KnobValues knobs = defaultKnobs(workload->document);
  const auto exact = sizeProgram(*workload, knobs, "", strategy("exact"));
  const auto start = sizeProgram(*workload, knobs, "", strategy("start-time"));
  ASSERT_TRUE(exact && start);
  EXPECT_LT(exact->bytes_after, start->bytes_after);
  EXPECT_EQ(exact->cycles_after, start->cycles_after);
}

TEST(DepthStrategies, ExplainThemselves) {
  for (const DepthStrategy& each : depthStrategies()) {
    EXPECT_EQ(findDepthStrategy(each.name), &each);
    for (const char* text : {each.title, each.summary, each.promise}) EXPECT_NE(*text, 0) << each.name;
  }
  EXPECT_EQ(findDepthStrategy("deepest"), nullptr);
}

}  // namespace sluice::fifo_sizes_test
