// Energy: actions counted by formulas and by runs agree, what runs cost is what one works out by hand, and
// technology files that are wrong are refused with their place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/energy/control_logic.h"
#include "engine/energy/report.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/operators/off_chip.h"
#include "engine/operators/simulate.h"
#include "engine/plugins/rules.h"
#include "tests/engine/support/documents.h"

namespace sluice::energy_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace testing_support;

/// Round numbers of no device: pJ a byte or an operation.
constexpr const char* round_numbers = R"({
  "name": "round", "node_nm": 10, "clock_mhz": 100,
  "entries": [
    {"action": "add", "scalar": "f32", "energy": 1, "unit": "pJ", "area": 3, "area_unit": "um2",
     "source": "a test", "uncertainty": "none"},
    {"action": "multiply", "scalar": "f32", "energy": 2, "unit": "pJ", "area": 5, "area_unit": "um2",
     "source": "a test", "uncertainty": "none"},
    {"action": "sram_read", "energy": 3, "unit": "pJ", "per_bytes": 1, "area": 7, "area_unit": "um2",
     "source": "a test", "uncertainty": "none"},
    {"action": "sram_write", "energy": 4, "unit": "pJ", "per_bytes": 1, "source": "a test",
     "uncertainty": "none"},
    {"action": "fifo_push", "energy": 0.25, "unit": "pJ", "per_bytes": 1, "source": "a test",
     "uncertainty": "none"},
    {"action": "fifo_pop", "energy": 0.5, "unit": "pJ", "per_bytes": 1, "source": "a test",
     "uncertainty": "none"},
    {"action": "off_chip_read", "energy": 100, "unit": "pJ", "per_bytes": 1, "source": "a test",
     "uncertainty": "none"},
    {"action": "off_chip_write", "energy": 0.2, "unit": "nJ", "per_bytes": 1, "source": "a test",
     "uncertainty": "none"}
  ]
})";

std::shared_ptr<const Technology> technology(const std::string& json) {
  Result<Technology> read = parseTechnology(json, "test");
  if (!read) throw std::runtime_error(text(read.diagnostics()));
  return std::make_shared<const Technology>(*std::move(read));
}

PointResult pricedRun(Document document, const std::string& json = round_numbers) {
  auto workload = std::make_shared<Workload>(*workloadOf(std::move(document)));
  workload->technology = technology(json);
  const KnobValues knobs = defaultKnobs(workload->document);
  Result<PointResult> run = evaluate(*workload, knobs, RecordMode::Count);
  if (!run) throw std::runtime_error(text(run.diagnostics()));
  return *std::move(run);
}

EnergyReport reportOf(const PointResult& run) {
  const SymbolicResult& symbolic = run.symbolic;
  return energyOf(*symbolic.technology, symbolic.graph, symbolic.inference, symbolic.bound, run.simulation)
      .value();
}

double metricOf(const PointResult& run, const std::string& name) {
  for (const MetricSpec* metric : technologyMetrics())
    if (metric->name == name) return metric->number(run.point.metrics);
  throw std::runtime_error("no metric " + name);
}

Values loadOf(std::int64_t rows, std::int64_t cols) {
  return {{"out_shape", std::vector<Value>{Value(1)}},
          {"tile", std::vector<Value>{Value(rows), Value(cols)}}};
}

/// One product of 16 x 32 by 32 x 8, stored.
Document productDocument() {
  Document document;
  auto& nodes = document.program.nodes;
  nodes.push_back(node("a", "LinearOffChipLoad", loadOf(16, 32)));
  nodes.push_back(node("b", "LinearOffChipLoad", loadOf(32, 8)));
  nodes.push_back(node("product", "BinaryMap", {{"function", Value("matmul")}, {"compute_bw", Value(1024)}}));
  nodes.push_back(node("c", "LinearOffChipStore", {{"tile", std::vector<Value>{Value(16), Value(8)}}}));
  document.program.streams = {{{"a", "out", {}}, {"product", "in1", {}}, {}},
                              {{"b", "out", {}}, {"product", "in2", {}}, {}},
                              stream("product", "c")};
  return document;
}

TEST(Energy, OfALoadIsItsTrafficItsStagingAndItsFifo) {
  const PointResult run = pricedRun(streamingDocument(4, 16, 32));
  const EnergyReport report = reportOf(run);
  constexpr double bytes = 4 * 16 * 32 * 2;  // float32 moves as bfloat16
  EXPECT_DOUBLE_EQ(report.dynamic.off_chip, bytes * 100e-12);
  EXPECT_DOUBLE_EQ(report.dynamic.on_chip, bytes * (3e-12 + 4e-12));
  EXPECT_DOUBLE_EQ(report.dynamic.fifos, bytes * (0.25e-12 + 0.5e-12));
  EXPECT_EQ(report.dynamic.compute, 0);
  EXPECT_FALSE(report.leakage);
  EXPECT_EQ(report.outputs, 0u);
  EXPECT_DOUBLE_EQ(report.seconds, static_cast<double>(run.simulation.cycles) / 100e6);
  EXPECT_DOUBLE_EQ(metricOf(run, "energy"), report.dynamic.total());
  EXPECT_DOUBLE_EQ(metricOf(run, "power"), report.dynamic.total() / report.seconds);
  EXPECT_DOUBLE_EQ(metricOf(run, "energy_delay_product"), report.dynamic.total() * report.seconds);
  EXPECT_TRUE(std::isnan(metricOf(run, "energy_per_output")));
}

/// Whatever the groups, nothing is lost and nothing counted twice; what costs most comes first.
TEST(Energy, OfGroupsIsThatOfTheRun) {
  const PointResult run = pricedRun(productDocument());
  const EnergyReport report = reportOf(run);
  for (const EnergyGroups groups : {EnergyGroups::Operators, EnergyGroups::Regions}) {
    EnergyParts sum;
    double last = std::numeric_limits<double>::infinity();
    const std::vector<EnergyRow> rows = energyRows(run.symbolic.graph, report, groups);
    for (const EnergyRow& row : rows) {
      sum += row.parts;
      EXPECT_LE(row.parts.total(), last);
      last = row.parts.total();
    }
    for (const EnergyPart& part : energy_parts)
      EXPECT_NEAR(sum.*part.member, report.dynamic.*part.member, 1e-18) << part.key;
    EXPECT_EQ(rows.size(), groups == EnergyGroups::Regions ? 1u : run.symbolic.graph.operators.size());
  }
}

TEST(Energy, OfAProductIsHalfAdditionsHalfMultiplications) {
  const PointResult run = pricedRun(productDocument());
  const EnergyReport report = reportOf(run);
  constexpr double a = 16 * 32 * 2, b = 32 * 8 * 2, c = 16 * 8 * 2;  // bytes
  constexpr double products = 16 * 32 * 8;
  EXPECT_DOUBLE_EQ(report.dynamic.compute, products * (1e-12 + 2e-12));
  EXPECT_DOUBLE_EQ(report.dynamic.off_chip, (a + b) * 100e-12 + c * 200e-12);
  EXPECT_DOUBLE_EQ(report.dynamic.on_chip, (a + b + c) * 7e-12);
  EXPECT_DOUBLE_EQ(report.dynamic.fifos, (a + b + c) * 0.75e-12);
  EXPECT_EQ(report.outputs, 16u * 8);
  EXPECT_DOUBLE_EQ(metricOf(run, "energy_per_output"), report.total() / (16 * 8));
  EXPECT_THAT(report.stand_ins, testing::ElementsAre("add of f32 for bf16", "multiply of f32 for bf16"));
  // 512 adders and multipliers; staging tiles, the store's by its type's 4 bytes; FIFOs of two tokens.
  const double square_microns = 512 * (3 + 5) + 7 * (a + b + 2 * c) + 7 * 2 * (a + b + c);
  const double control = *logicArea(sumOf(logicRows(run.symbolic.graph)), 10);
  EXPECT_GT(control, 0);
  EXPECT_NEAR(metricOf(run, "area"), square_microns * 1e-6 + control, 1e-12);
}

TEST(Energy, OfAnAccumulationUpdatesItsTileForEveryInput) {
  Document document;
  const std::vector<Value> tile{Value(16), Value(16)};
  document.program.nodes = {
      node("source", "TileGen", {{"shape", std::vector<Value>{Value(6)}}, {"tile", tile}}),
      node("sum", "Accum",
           {{"function", Value("add")}, {"rank", Value(1)}, {"init", tile}, {"compute_bw", Value(256)}}),
      node("sink", "Consumer", {})};
  document.program.streams = {stream("source", "sum"), stream("sum", "sink")};
  const EnergyReport report = reportOf(pricedRun(document));
  constexpr double update = 16 * 16 * 2;
  EXPECT_DOUBLE_EQ(report.dynamic.on_chip, 6 * update * 7e-12);
  EXPECT_DOUBLE_EQ(report.dynamic.compute, 6 * 256 * 1e-12);
  EXPECT_DOUBLE_EQ(report.dynamic.fifos, (6 + 1) * update * 0.75e-12);
}

TEST(Energy, LeaksAsLongAsTheRunLasts) {
  std::string json = round_numbers;
  json.insert(
      json.rfind(']'),
      R"(, {"action": "leakage", "power": 5, "unit": "mW/mm2", "source": "a test", "uncertainty": "none"})");
  const PointResult run = pricedRun(productDocument(), json);
  const EnergyReport report = reportOf(run);
  ASSERT_TRUE(report.leakage && report.area);
  EXPECT_DOUBLE_EQ(*report.leakage, 5e-3 * *report.area * report.seconds);
  EXPECT_DOUBLE_EQ(metricOf(run, "energy"), report.dynamic.total() + *report.leakage);
}

TEST(Energy, LeakageWithoutAnAreaNamesWhatHasNone) {
  std::string json = round_numbers;
  for (const std::string area : {R"( "area": 7, "area_unit": "um2",)", R"( "area": 5, "area_unit": "um2",)"})
    json.erase(json.find(area), area.size());
  const EnergyReport report = reportOf(pricedRun(productDocument(), json));
  EXPECT_FALSE(report.area || report.leakage);
  EXPECT_THAT(report.without_area, testing::ElementsAre("multiply of f32", "sram_read"));
  EXPECT_TRUE(reportOf(pricedRun(productDocument())).without_area.empty());
}

std::string withEntry(std::string json, const std::string& entry) {
  json.insert(json.rfind(']'), ", {" + entry + R"(, "source": "a test", "uncertainty": "none"})");
  return json;
}

TEST(Energy, OfABoardIsItsPowerAllTheTime) {
  const std::string json = withEntry(round_numbers, R"("action": "static_power", "power": 150, "unit": "W")");
  const PointResult run = pricedRun(productDocument(), json);
  const EnergyReport report = reportOf(run);
  EXPECT_DOUBLE_EQ(*report.leakage, 150 * report.seconds);
  EXPECT_DOUBLE_EQ(metricOf(run, "power"), 150 + report.dynamic.total() / report.seconds);
}

/// A hop for every byte of a stream, and a border a time for what passes registers between dies.
TEST(Energy, OfLinksIsThatOfHopsAndBorders) {
  Document document;
  const std::vector<Value> tile{Value(4), Value(8)};
  const auto six = std::vector<Value>{Value(6)};
  document.program.nodes = {
      node("source", "TileGen", {{"shape", std::vector<Value>{Value(6)}}, {"tile", tile}}),
      node("crossing", "Kernel",
           {{"takes", six},
            {"gives", six},
            {"initial_delay", Value(2)},
            {"tile", tile},
            {"scalar", Value("f32")},
            {"borders", Value(2)}}),
      node("sink", "Consumer", {})};
  document.program.streams = {{{"source", "out", {}}, {"crossing", "in", 0}, {}},
                              {{"crossing", "out", 0}, {"sink", "in", {}}, {}}};
  std::string json =
      withEntry(round_numbers, R"("action": "die_crossing", "energy": 5, "unit": "pJ", "per_bytes": 1)");
  const EnergyReport report = reportOf(pricedRun(document, json));
  constexpr double bytes = 6 * 4 * 8 * 2;
  EXPECT_EQ(report.counts.operators[1].crossed, 2 * bytes);
  EXPECT_EQ(report.counts.operators[0].crossed, 0u);
  EXPECT_DOUBLE_EQ(report.dynamic.links, 2 * bytes * 5e-12);
  json = withEntry(json, R"("action": "noc_hop", "energy": 3, "unit": "pJ", "per_bytes": 1)");
  const EnergyReport hops = reportOf(pricedRun(document, json));
  EXPECT_DOUBLE_EQ(hops.dynamic.links, 2 * bytes * 5e-12 + 2 * bytes * 3e-12);
  EXPECT_DOUBLE_EQ(hops.operators[0].links, bytes * 3e-12);
}

TEST(Energy, OperatorsAndRegionsAddUpToTheProgram) {
  auto workload = std::make_shared<Workload>(
      *sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads/simple_moe.sluice"));
  workload->technology = technology(round_numbers);
  const auto run = evaluate(*workload, defaultKnobs(workload->document), RecordMode::Count);
  ASSERT_TRUE(run);
  const EnergyReport report = reportOf(*run);
  double operators = 0, regions = 0;
  for (const EnergyParts& parts : report.operators) operators += parts.total();
  for (const RegionEnergy& region : report.regions) regions += region.parts.total();
  EXPECT_GT(report.regions.size(), 1u);
  EXPECT_NEAR(operators, report.total(), 1e-9 * report.total());
  EXPECT_NEAR(regions, report.total(), 1e-9 * report.total());
}

/// The bytes of a stream from its tokens, as somebody sees who stands beside it; nothing where they are not
/// all tiles.
std::optional<std::uint64_t> watchedBytes(const PointResult& run, const std::vector<CapturedToken>& tokens,
                                          std::size_t stream) {
  const TileType* const tile = run.symbolic.inference.streams[stream].element.tile();
  if (!tile) return std::nullopt;
  std::uint64_t bytes = 0;
  for (const CapturedToken& token : tokens)
    bytes += token.rows * token.cols *
             static_cast<std::uint64_t>(storedBytes(tile->scalar, run.symbolic.graph.machine));
  return bytes;
}

void expectCountsAgree(const std::string& sample, const KnobValues& changed = {}) {
  SCOPED_TRACE(sample);
  const auto workload = sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / sample);
  KnobValues knobs = defaultKnobs(workload->document);
  for (const auto& [name, value] : changed) knobs[name] = value;
  const auto run = evaluate(*workload, knobs, RecordMode::Count);
  ASSERT_TRUE(run && run->point.state == PointState::Done);
  const SymbolicResult& symbolic = run->symbolic;
  const auto formulas = symbolicActions(symbolic.graph, symbolic.inference, symbolic.bound);
  const auto counted = countedActions(symbolic.graph, symbolic.inference, symbolic.bound, run->simulation);
  ASSERT_TRUE(formulas && counted);
  SimulationOptions options;
  for (StreamId s = 0; s < symbolic.graph.streams.size(); ++s) options.capture.push_back(s);
  const InputSet& inputs = symbolic.scheduled ? symbolic.scheduled->inputs : workload->inputs;
  const SimulationResult watched = simulate(symbolic.graph, inputs, options);
  for (std::size_t s = 0; s < symbolic.graph.streams.size(); ++s) {
    const std::string& name = symbolic.graph.streams[s].name;
    EXPECT_EQ(formulas->streams[s], counted->streams[s]) << name;
    EXPECT_EQ(counted->streams[s].tokens, watched.captured[s].size()) << name;
    const std::optional<std::uint64_t> bytes = watchedBytes(*run, watched.captured[s], s);
    EXPECT_EQ(counted->streams[s].bytes, bytes.value_or(counted->streams[s].bytes)) << name;
  }
  for (std::size_t o = 0; o < symbolic.graph.operators.size(); ++o) {
    OperatorActions known = counted->operators[o];
    known.switches = 0;  // which input comes next is the run's to tell
    EXPECT_EQ(formulas->operators[o], known) << symbolic.graph.operators[o].name;
  }
}

TEST(Energy, FormulasAndRunsCountTheSameActions) {
  for (const char* sample : {"simple_moe.sluice", "swiglu.sluice", "gnn.sluice", "wavefront.sluice",
                             "attention_qwen.sluice", "gpt2_block.sluice", "moe_three_ways.sluice"})
    expectCountsAgree(sample);
  expectCountsAgree("deadlock_fork_join.sluice", {{"depth", 8}});
}

TEST(Energy, IsLeftOutWhereItIsNotAskedForOrCannotBeCounted) {
  const auto workload = workloadOf(productDocument());
  const auto run = evaluate(*workload, {}, RecordMode::Count);
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->point.metrics.added.empty());
  const SymbolicResult& symbolic = run->symbolic;
  Inference large = symbolic.inference;
  large.streams[0].shape[0].extent = Expr(std::int64_t{1} << 62);
  EXPECT_FALSE(symbolicActions(symbolic.graph, large, symbolic.bound));
  large.streams[0].shape[0].extent = Expr::symbol("nobody_knows");
  EXPECT_FALSE(symbolicActions(symbolic.graph, large, symbolic.bound));
}

TEST(Energy, MetricsKeepTheRulesOfAllMetrics) {
  for (const MetricSpec* metric : technologyMetrics()) {
    EXPECT_THAT(brokenRules(*metric), testing::IsEmpty()) << metric->name;
    EXPECT_EQ(findMetric(metric->name), metric);
    EXPECT_EQ(std::ranges::count(metricsWith(false), metric), 0) << metric->name;
    EXPECT_EQ(std::ranges::count(metricsWith(true), metric), 1) << metric->name;
    EXPECT_TRUE(
        fs::exists(fs::path(SLUICE_SOURCE_DIR) / "engine/explorer/metrics" / (metric->name + ".cpp")));
  }
}

TEST(Energy, AStoreTellsTechnologiesApart) {
  Workload workload = *workloadOf(productDocument());
  const std::string plain = workloadHash(workload);
  workload.technology = technology(round_numbers);
  const std::string priced = workloadHash(workload);
  workload.document.machine.technology = "by another name";
  EXPECT_EQ(priced, workloadHash(workload)) << "what is in it counts";
  workload.document.machine.clock_mhz = 200;
  EXPECT_NE(plain, priced);
  EXPECT_NE(priced, workloadHash(workload));
}

TEST(Energy, ADocumentNamesTheTechnologyAndTheClockOfItsMachine) {
  Document document = productDocument();
  document.machine.technology = "7nm";
  const auto workload = makeWorkload(document, ".");
  ASSERT_TRUE(workload);
  const auto run = evaluate(**workload, {}, RecordMode::Count);
  ASSERT_TRUE(run);
  const double power = metricOf(*run, "power");
  EXPECT_GT(power, 0);
  document.machine.clock_mhz = Value(500);
  const auto slower = evaluate(**makeWorkload(document, "."), {}, RecordMode::Count);
  ASSERT_TRUE(slower);
  EXPECT_DOUBLE_EQ(2 * metricOf(*slower, "power"), power);
  document.machine.technology = "seven.json";
  const auto missing = makeWorkload(document, "/nonexistent");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.diagnostics().front().code, "file-not-found");
}

/// Prices of O'Connor et al.: 27.84 pJ a byte of an open row, 909 pJ a row that is opened.
TEST(Energy, RowsAreCountedAndPricedInAMemoryWithBanks) {
  Document document = productDocument();
  document.machine.technology = "7nm_hbm2_stack";
  const auto run = [&] { return *evaluate(**makeWorkload(document, "."), {}, RecordMode::Count); };
  const EnergyReport plain = reportOf(run());
  document.machine.hbm_model = HbmModel::Hbm2;
  const PointResult banked = run();
  const EnergyReport banks = reportOf(banked);
  std::uint64_t bytes = 0, hits = 0, activations = 0;
  for (std::size_t o = 0; o < banks.counts.operators.size(); ++o) {
    const OperatorActions& actions = banks.counts.operators[o];
    bytes += actions.off_chip_read + actions.off_chip_written;
    hits += actions.row_hits, activations += actions.row_activations;
    EXPECT_EQ(plain.counts.operators[o].row_activations, 0u);
  }
  EXPECT_GE(hits + activations, 2 * banked.simulation.hbm_requests) << "64 bytes are two bursts";
  EXPECT_LE(hits + activations, 3 * banked.simulation.hbm_requests)
      << "or three, where they begin within one";
  EXPECT_GT(activations, 0u);
  EXPECT_NEAR(banks.dynamic.off_chip,
              static_cast<double>(bytes) * 27.84e-12 + static_cast<double>(activations) * 909e-12, 1e-18);
  EXPECT_NEAR(plain.dynamic.off_chip, static_cast<double>(bytes) * 31.2e-12, 1e-18);
}

/// With one shared copy for all experts, the merge turns from one expert to another; with one copy each, it
/// never does.
TEST(Energy, AMergeCountsHowOftenItTurnsToAnotherInput) {
  const auto workload =
      sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads/moe_three_ways.sluice");
  const auto switchesWith = [&](std::int64_t regions) {
    KnobValues knobs = defaultKnobs(workload->document);
    knobs["copies"] = 1, knobs["regions"] = regions;
    const auto run = evaluate(*workload, knobs, RecordMode::Count);
    EXPECT_TRUE(run) << regions;
    std::uint64_t switches = 0;
    for (const OperatorStats& stats : run->simulation.operators) switches += stats.switches;
    return switches;
  };
  EXPECT_GT(switchesWith(4), 0u);
  EXPECT_EQ(switchesWith(16), 0u);
}

}  // namespace sluice::energy_test
