// Bounds of programs: no design that is evaluated beats one, whatever its schedule; by hand for a product and
// an expert layer; nothing that a user can write makes them fail but with a diagnostic.

#include "engine/explorer/program_bounds.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "engine/energy/energy_floor.h"
#include "engine/explorer/explore.h"
#include "engine/workloads/workload_builder.h"
#include "tests/engine/support/documents.h"

namespace sluice::program_bounds_test {

using testing_support::node;
using testing_support::sampleWorkload;
using testing_support::workloadOf;

const std::filesystem::path samples = std::filesystem::path(SLUICE_SOURCE_DIR) / "sample_workloads";

Workload priced(Workload workload, const char* technology = "7nm") {
  workload.technology = std::make_shared<const Technology>(*technologyNamed(technology));
  return workload;
}

/// The best ratio met so far, by metric.
using Tightness = std::map<std::string, double>;

void expectNoneBeats(const DesignPoint& point, const ProgramBounds& bounds, Tightness* best = nullptr) {
  for (const BoundGap& gap : withinBound(point, bounds)) {
    EXPECT_GE(gap.value, gap.bound) << gap.metric->name << " " << bounds.critical_operator;
    if (!best) continue;
    double& least = best->try_emplace(gap.metric->name, gap.ratio).first->second;
    least = std::min(least, gap.ratio);
  }
}

/// Points of a workload, evenly over its space, against the bounds of the plain program, of the schedule with
/// every step to come, with none, and of every beginning of the schedule.
Tightness expectBounded(const Workload& workload, std::uint64_t most) {
  Tightness best;
  const DesignSpace space = designSpace(workload.document);
  const std::uint64_t step = std::max<std::uint64_t>(1, space.size() / most);
  for (std::uint64_t index = 0; index < space.size(); index += step) {
    const KnobValues knobs = space.point(index);
    const Result<PointResult> result = evaluate(workload, knobs, RecordMode::Count);
    if (!result || result->point.state != PointState::Done) continue;
    const DesignPoint& point = result->point;
    const BoundBudget budget{{}, rounded(result->symbolic.total.compute)};
    const Result<ProgramBounds> plain = programBounds(workload, knobs, budget);
    if (!plain) {
      ADD_FAILURE() << text(plain.diagnostics());
      return best;
    }
    expectNoneBeats(point, *plain, &best);
    Workload begun = workload;
    for (bool all = true;; all = false) {
      const Result<ProgramBounds> more = partialBounds(begun, knobs, provedSteps(), budget);
      if (more) expectNoneBeats(point, *more);  // a beginning alone may not be legal
      if (all) {
        const Result<ProgramBounds> none = partialBounds(begun, knobs, {}, budget);
        EXPECT_TRUE(none && more);
        if (none) expectNoneBeats(point, *none);
        if (none && more) {
          EXPECT_GE(none->cycles, more->cycles);
        }
      }
      if (begun.document.schedule.empty()) break;
      begun.document.schedule.pop_back();
    }
    if (testing::Test::HasFailure()) return best;
  }
  return best;
}

void print(const std::string& name, const Tightness& best) {
  if (!std::getenv("SLUICE_PRINT_BOUNDS")) return;
  std::cout << "| " << name;
  for (const char* metric : {"cycles", "off_chip_bytes", "on_chip_bytes", "flops", "energy"})
    std::cout << " | " << (best.contains(metric) ? std::to_string(best.at(metric)) : "-");
  std::cout << " |\n";
}

TEST(ProgramBounds, NoPointOfASampleBeatsThem) {
  for (const auto& entry : std::filesystem::directory_iterator(samples)) {
    if (entry.path().extension() != ".sluice") continue;
    SCOPED_TRACE(entry.path().stem().string());
    const bool compiles = entry.path().stem() == "gpt2_block";
    print(entry.path().stem().string(),
          expectBounded(priced(*sampleWorkload(entry.path())), compiles ? 1 : 4));
  }
}

/// The published schedules of Figures 9, 10, 12 and 14 are the builders' schedules at their models.
TEST(ProgramBounds, NoScheduleOfABuilderBeatsThem) {
  for (const WorkloadBuilder* builder : registeredWorkloads()) {
    std::vector<std::string> models{""};
    for (const auto& [model, sizes] : builder->models)
      if (model.ends_with("mixtral_b64")) models.push_back(model);  // the others take a minute
    for (const std::string& model : models) {
      SCOPED_TRACE(builder->name + " " + model);
      const Result<Document> document = buildWorkload(builder->name, model);
      ASSERT_TRUE(document);
      print(builder->name + " " + model, expectBounded(priced(*workloadOf(*document)), 2));
    }
  }
}

Values view(std::vector<Value> tiles, std::vector<Value> tile) {
  return {{"out_shape", std::move(tiles)}, {"tile", std::move(tile)}};
}

/// Four tiles of [16, 64] times four of [64, 32], each loaded once.
Document product() {
  Document document;
  document.program.nodes = {
      node("a", "LinearOffChipLoad", view({4, 1}, {16, 64})),
      node("b", "LinearOffChipLoad", view({4, 1}, {64, 32})),
      node("gemm", "BinaryMap", {{"function", Value("matmul")}, {"compute_bw", Value(1024)}}),
      node("store", "LinearOffChipStore", {{"tile", std::vector<Value>{16, 32}}})};
  document.program.streams = {{{"a", "out", {}}, {"gemm", "in1", {}}, {}},
                              {{"b", "out", {}}, {"gemm", "in2", {}}, {}},
                              {{"gemm", "out", {}}, {"store", "in", {}}, {}}};
  return document;
}

TEST(ProgramBounds, OfAProductByHand) {
  const auto workload = workloadOf(product());
  const Result<ProgramBounds> bounds = programBounds(*workload, {}, {{}, 512});
  ASSERT_TRUE(bounds) << text(bounds.diagnostics());
  EXPECT_EQ(bounds->flops, 4u * 2 * 16 * 64 * 32);
  EXPECT_EQ(bounds->compute_cycles, bounds->flops / 512);
  // Floats move as two bytes; a linear store is counted by its type.
  EXPECT_EQ(bounds->off_chip_bytes, 4u * (16 * 64 * 2 + 64 * 32 * 2 + 16 * 32 * 4));
  // 32 requests a tile of a, 64 of b, 16 of the result; 32 channels take one every 2 cycles.
  EXPECT_EQ(bounds->traffic_cycles, (4u * (32 + 64 + 16) / 32 - 1) * 2);
  EXPECT_EQ(bounds->on_chip_bytes, 16u * 64 * 2 + 64 * 32 * 2 + 16 * 32 * 4);
  EXPECT_EQ(bounds->binding, BindingBound::Compute);
  const Result<PointResult> run = evaluate(*workload, {}, RecordMode::Count);
  ASSERT_TRUE(run);
  // It is allocated 1024 FLOPs per cycle.
  expectNoneBeats(run->point, *programBounds(*workload, {}, {{}, 1024}));
}

TEST(ProgramBounds, OfEnergyByHand) {
  const Workload workload = priced(*workloadOf(product()), "45nm");
  const Result<ProgramBounds> bounds = programBounds(workload, {});
  ASSERT_TRUE(bounds) << text(bounds.diagnostics());
  // An addition of 8 bits is the cheapest operation (0.03 pJ), 8 bytes of DRAM cost 1950 pJ; all floats move
  // as two bytes, those that are stored, too.
  const double moved = 4.0 * (16 * 64 + 64 * 32 + 16 * 32) * 2;
  EXPECT_NEAR(bounds->energy, static_cast<double>(bounds->flops) * 0.03e-12 + moved / 8 * 1950e-12,
              1e-8 * bounds->energy);
  const double seconds = static_cast<double>(bounds->cycles) / clockHertz(*workload.technology, {});
  EXPECT_DOUBLE_EQ(bounds->energy_delay_product, bounds->energy * seconds);
  EXPECT_FALSE(boundOf(*programBounds(*workloadOf(product()), {}), "energy"));
}

TEST(ProgramBounds, OfAnExpertLayerCountOnlyExpertsWithTokens) {
  const Result<Document> document = buildWorkload(
      "moe", "", {{"B", 4}, {"D", 8}, {"E", 2}, {"F", 16}, {"K", 1}, {"f", 16}, {"compute", 64}});
  ASSERT_TRUE(document) << text(document.diagnostics());
  Document layer = *document;
  ASSERT_EQ(layer.inputs.size(), 1u);
  Input& routing = layer.inputs.front();
  routing.counts = {4, 0};
  routing.tokens = 4, routing.experts = 2, routing.top_k = 1;
  const auto workload = workloadOf(layer);
  const Result<ProgramBounds> bounds = programBounds(*workload, defaultKnobs(layer));
  ASSERT_TRUE(bounds) << text(bounds.diagnostics());
  // Rows in and out, weights of the sum, and three matrices of the one expert that is asked.
  EXPECT_EQ(bounds->off_chip_bytes, 4u * 8 * 2 + 4 * 1 * 2 + 3u * 8 * 16 * 2 + 4u * 8 * 4);
  // Three products, silu and product of a row of 16, weighted and summed rows of 8.
  EXPECT_EQ(bounds->flops, 4u * (3 * 2 * 8 * 16 + 8 * 16 + 16 + 8 + 8));
  EXPECT_EQ(bounds->compute_cycles, 0u) << "no budget of compute was given";
  expectBounded(*workload, 1000);
}

TEST(ProgramBounds, OfABeginningGrowWithWhatItHasFixed) {
  const Result<Document> document = buildWorkload("moe", "");
  ASSERT_TRUE(document);
  const auto workload = workloadOf(*document);
  const KnobValues knobs = defaultKnobs(*document);
  const Result<ProgramBounds> plain = programBounds(*workload, knobs);
  const Result<ProgramBounds> scheduled = partialBounds(*workload, knobs, {"fifo_depth", "broadcast"});
  ASSERT_TRUE(plain && scheduled);
  EXPECT_GT(scheduled->off_chip_bytes, plain->off_chip_bytes) << "weights are loaded once a tile";
  EXPECT_GE(scheduled->on_chip_bytes, plain->on_chip_bytes);
  const Result<PointResult> run = evaluate(*workload, knobs, RecordMode::Count);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->point.metrics.off_chip_bytes, scheduled->off_chip_bytes);
  EXPECT_EQ(run->point.metrics.on_chip_bytes, scheduled->on_chip_bytes);
}

TEST(ProgramBounds, BudgetsThatNothingKeepsAreTold) {
  const auto workload = workloadOf(product());
  const Bytes needed = programBounds(*workload, {})->on_chip_bytes;
  EXPECT_TRUE(programBounds(*workload, {}, {needed, {}})->infeasible.empty());
  EXPECT_FALSE(programBounds(*workload, {}, {needed - 1, {}})->infeasible.empty());
  EXPECT_FALSE(programBounds(*workload, {}, {{}, 0})->infeasible.empty());
}

TEST(ProgramBounds, CoverEveryTransformation) {
  for (const Transformation* step : registeredTransformations())
    EXPECT_TRUE(provedSteps().contains(step->spec.name))
        << step->spec.name << ": say in operator_floors.cpp what it cannot break, and list it";
  const auto workload = workloadOf(product());
  const Result<ProgramBounds> unknown = partialBounds(*workload, {}, {"of_a_plug_in"});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->off_chip_bytes, 0u);
  EXPECT_EQ(unknown->binding, BindingBound::None);
}

TEST(ProgramBounds, OfOddProgramsAreBoundsOrDiagnostics) {
  const Document empty;
  const Result<ProgramBounds> nothing = programBounds(*workloadOf(empty), {});
  if (nothing) {
    EXPECT_EQ(nothing->cycles, 0u);
  }
  Document none = product();
  none.program.nodes[0].parameters["out_shape"] = std::vector<Value>{0, 1};
  none.program.nodes[1].parameters["out_shape"] = std::vector<Value>{0, 1};
  const Result<ProgramBounds> zero = programBounds(*workloadOf(none), {});
  ASSERT_TRUE(zero) << text(zero.diagnostics());
  EXPECT_EQ(zero->off_chip_bytes, 0u);
  EXPECT_EQ(zero->flops, 0u);
  Document large = product();
  for (std::size_t i : {0u, 1u})
    large.program.nodes[i].parameters["out_shape"] = std::vector<Value>{Value(std::int64_t{1} << 40), 1};
  large.program.nodes[0].parameters["tile"] = std::vector<Value>{Value(1 << 14), Value(1 << 14)};
  large.program.nodes[1].parameters["tile"] = std::vector<Value>{Value(1 << 14), Value(1 << 14)};
  large.program.nodes[3].parameters["tile"] = std::vector<Value>{Value(1 << 14), Value(1 << 14)};
  const Result<ProgramBounds> beyond = programBounds(*workloadOf(large), {});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(std::string(beyond.diagnostics().front().code), "overflow");
  Document wrong = product();
  wrong.program.streams.pop_back();
  EXPECT_FALSE(programBounds(*workloadOf(wrong), {}));
  for (const auto& entry : std::filesystem::directory_iterator(samples / "deadlocks")) {
    if (entry.path().extension() != ".sluice") continue;
    const auto workload = sampleWorkload(entry.path());
    EXPECT_TRUE(programBounds(*workload, defaultKnobs(workload->document))) << entry.path();
  }
}

}  // namespace sluice::program_bounds_test
