// Every metric describes itself completely and in a file of its own; what its description says holds of a
// run.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "engine/energy/technology.h"
#include "engine/explorer/bounds.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/registry.h"
#include "tests/engine/support/documents.h"

namespace sluice::metrics_test {

namespace fs = std::filesystem;
using namespace testing_support;

const fs::path folder = SLUICE_SOURCE_DIR "/engine/explorer/metrics";

TEST(Metrics, EachDescribesItself) {
  for (const MetricSpec* metric : registeredMetrics()) {
    SCOPED_TRACE(metric->name);
    for (const std::string* text : {&metric->title, &metric->short_title, &metric->column})
      EXPECT_FALSE(text->empty());
    EXPECT_EQ(metric->unit.empty(), metric->kind == MetricKind::Fraction);
    EXPECT_EQ(metric->isWhole(), std::holds_alternative<std::uint64_t Metrics::*>(metric->member));
    // A count is counted by the run or follows from a formula, all else from counts or prices.
    const bool counted = metric->run || metric->formula.isTerm();
    EXPECT_NE(metric->isWhole() && counted, metric->derived || metric->priced);
    const bool bounded = metric->lower_bound || metric->least_priced_is_bound;
    EXPECT_TRUE(metric->smaller_is_better || !bounded);
    EXPECT_TRUE(metric->priced || !metric->least_priced_is_bound);
    EXPECT_EQ(metric->knownAt(Fidelity::Symbolic), bounded);
    EXPECT_TRUE(metric->knownAt(Fidelity::Count) && metric->knownAt(Fidelity::Record));
    EXPECT_EQ(metric->minimised(3), metric->smaller_is_better ? 3 : -3);
  }
}

TEST(Metrics, AreFoundByTheirNamesInTheOrderOfTheRegistry) {
  ASSERT_EQ(metricNames().size(), registeredMetrics().size());
  for (std::size_t i = 0; i < metricNames().size(); ++i) {
    EXPECT_EQ(metricNames()[i], registeredMetrics()[i]->name);
    EXPECT_EQ(findMetric(metricNames()[i]), registeredMetrics()[i]);
  }
  EXPECT_EQ(findMetric("no_such_metric"), nullptr);
  EXPECT_TRUE(std::isnan(metric(DesignPoint(), "no_such_metric")));
  EXPECT_EQ(minimised("no_such_metric", 3), 3);
  EXPECT_EQ(defaultObjectives().size(), 2u);
}

TEST(Metrics, EachHasAFileAndARowOfTheReadme) {
  std::ifstream readme(folder / "README.md");
  std::set<std::string> listed;
  for (std::string line; std::getline(readme, line);) {
    std::istringstream row(line);
    std::string bar, name;
    if (row >> bar >> name && bar == "|" && name.starts_with('`')) listed.insert(name);
  }
  std::set<std::string> registered;
  for (const MetricSpec* metric : registeredMetrics()) {
    registered.insert("`" + metric->name + "`");
    EXPECT_TRUE(fs::exists(folder / (metric->name + ".cpp"))) << metric->name;
  }
  EXPECT_EQ(listed, registered);
}

TEST(Metrics, EachHasAPlaceOfItsOwn) {
  const auto all = metricsWith(false);
  EXPECT_EQ(sizeof(Metrics), 8 * all.size() + sizeof(Metrics::added));
  Metrics metrics;
  constexpr std::uint64_t large = (std::uint64_t{1} << 53) + 1;  // no double holds it, nor those that follow
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MetricSpec& metric = *all[i];
    metric.set(metrics, metric.isWhole() ? MetricValue(large + 2 * i) : MetricValue(0.5 + double(i)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MetricSpec& metric = *all[i];
    const MetricValue expected = metric.isWhole() ? MetricValue(large + 2 * i) : MetricValue(0.5 + double(i));
    EXPECT_EQ(metric.value(metrics), expected) << metric.name;
  }
}

TEST(Metrics, ACountThatDoesNotFitIsLeftOut) {
  const MetricSpec& cycles = *findMetric("cycles");
  Metrics metrics;
  for (const double beyond : {1e300, -1.0, 0x1p63, std::numeric_limits<double>::quiet_NaN()})
    cycles.set(metrics, beyond);
  cycles.set(metrics, std::uint64_t{1} << 63);
  EXPECT_EQ(metrics.cycles, 0u);
  cycles.set(metrics, 7.0);
  EXPECT_EQ(metrics.cycles, 7u);
}

Metrics metricsAt(const char* sample, const KnobValues& changed) {
  const auto workload = sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / sample);
  KnobValues knobs = defaultKnobs(workload->document);
  for (const auto& [name, value] : changed) knobs[name] = value;
  const Result<PointResult> run = evaluate(*workload, knobs, RecordMode::Count);
  EXPECT_TRUE(run && run->point.state == PointState::Done) << sample;
  return run ? run->point.metrics : Metrics();
}

/// A token more in a FIFO is its bytes more, and nothing else on chip.
TEST(Metrics, DepthIsPaidForInFifoBytes) {
  const Metrics eight = metricsAt("deadlock_fork_join.sluice", {{"depth", 8}});
  const Metrics nine = metricsAt("deadlock_fork_join.sluice", {{"depth", 9}});
  EXPECT_EQ(nine.fifo_bytes - eight.fifo_bytes, 16u * 32 * 4);  // a tile of the short path
  EXPECT_EQ(nine.on_chip_bytes, eight.on_chip_bytes);
  for (const Metrics& each : {eight, nine, metricsAt("gpt2_block.sluice", {})}) {
    EXPECT_GT(each.fifo_bytes, 0u);
    EXPECT_EQ(each.total_on_chip_bytes, each.on_chip_bytes + each.fifo_bytes);
  }
}

/// A memory of nodes, and one with banks, whose rows have a price.
class MetricsOfAMachine : public testing::TestWithParam<HbmModel> {};

TEST_P(MetricsOfAMachine, FormulasAndBoundsHoldOfARun) {
  Workload workload = *sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads/simple_moe.sluice");
  workload.technology = std::make_shared<const Technology>(*technologyNamed("7nm_hbm2_stack"));
  workload.document.machine.hbm_model = GetParam();
  const KnobValues knobs = defaultKnobs(workload.document);
  const Result<DesignPoint> bounds = boundsOf(workload, knobs);
  const Result<PointResult> run = evaluate(workload, knobs, RecordMode::Count);
  ASSERT_TRUE(bounds && run);
  ASSERT_EQ(run->point.state, PointState::Done);
  for (const MetricSpec* metric : registeredMetrics()) {
    SCOPED_TRACE(metric->name);
    const double measured = metric->number(run->point.metrics), bound = sluice::metric(*bounds, *metric);
    if (metric->run) {
      EXPECT_EQ(metric->value(run->point.metrics), MetricValue(run->simulation.*metric->run));
    }
    if (metric->formula.term) {
      EXPECT_DOUBLE_EQ(*metric->formula.value(run->symbolic.total), measured);
    }
    if (metric->knownAt(Fidelity::Symbolic)) {
      EXPECT_LE(bound, measured);
      EXPECT_GT(bound, 0);
    } else {
      EXPECT_TRUE(std::isnan(bound));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Models, MetricsOfAMachine, testing::Values(HbmModel::Node, HbmModel::Hbm2));

}  // namespace sluice::metrics_test
