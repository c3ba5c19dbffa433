// FIFO sizes from a run: tried, no slower than promised, and no deeper than the run was.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/fifo/fifo_sizes.h"
#include "engine/program/file_format.h"

namespace sluice {
namespace {

std::shared_ptr<const Workload> sample(const std::string& name) {
  const std::filesystem::path folder = SLUICE_SOURCE_DIR "/sample_workloads";
  auto document = loadDocument(folder / (name + ".sluice"));
  if (!document) throw std::runtime_error(text(document.diagnostics()));
  auto workload = makeWorkload(*document, folder);
  if (!workload) throw std::runtime_error(text(workload.diagnostics()));
  return *workload;
}

TEST(FifoSizes, OfARunKeepItsPaceWithoutRoomThatItDoesNotUse) {
  for (const char* name : {"simple_moe", "swiglu", "gnn"}) {
    const auto workload = sample(name);
    const KnobValues knobs = defaultKnobs(workload->document);
    const auto sizes = sizeFifos(*workload, knobs, "", FifoNeed::Run);
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
    const auto sizes = sizeFifos(*workload, knobs, "", FifoNeed::Unlimited);
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
  const auto sizes = sizeFifos(*workload, defaultKnobs(workload->document), "expert", FifoNeed::Unlimited);
  ASSERT_TRUE(sizes) << text(sizes.diagnostics());
  EXPECT_FALSE(sizes->changes.empty());
  for (const Repair::Change& change : sizes->changes) EXPECT_TRUE(change.origin.starts_with("expert"));
}

TEST(FifoSizes, OfADeadlockAreRefused) {
  const auto workload = sample("deadlock_fork_join");
  const auto sizes = sizeFifos(*workload, defaultKnobs(workload->document), "", FifoNeed::Run);
  ASSERT_FALSE(sizes);
  EXPECT_NE(sizes.diagnostics().front().fix.find("deadlock"), std::string::npos);
}

}  // namespace
}  // namespace sluice
