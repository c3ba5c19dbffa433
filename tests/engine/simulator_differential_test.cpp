// The simulator against the slow model on thousands of random small graphs: the same clocks, tokens,
// occupancies and deadlocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "engine/explorer/evaluate.h"
#include "engine/interchange/step_fixture.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/measured_shapes.h"
#include "tests/engine/support/random_graphs.h"
#include "tests/engine/support/slow_model.h"
#include "tests/engine/support/step_fixture_writer.h"

namespace sluice::simulator_differential_test {

/// Collects what differs, as text.
class Differences {
 public:
  void compare(const std::string& what, std::uint64_t fast, std::uint64_t slow) {
    if (fast != slow) out_ << what << ": simulator " << fast << ", slow model " << slow << "\n";
  }
  void add(const std::string& what) { out_ << what << "\n"; }
  std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

std::string nameOf(const FlatGraph& graph, OperatorId op) {
  return std::to_string(op) + " " + graph.operators[op].spec->kind;
}

void compareToken(const std::string& where, const CapturedToken& fast, const slow::SlowToken& slow,
                  Differences& out) {
  out.compare(where + " arrival", fast.arrival, slow.arrival);
  out.compare(where + " stop", fast.stop, slow.stop);
  if (slow.value.buffer || slow.value.pair) return;  // those hold several tiles
  if (slow.value.rows * slow.value.cols <= 1)        // else it is no number
    out.compare(where + " scalar", fast.scalar, slow.value.scalar);
  if (fast.selected != slow.value.selected) out.add(where + " selects other targets");
  if (slow.value.width > 0) return;
  out.compare(where + " rows", fast.rows, slow.value.rows);
  out.compare(where + " cols", fast.cols, slow.value.cols);
  out.compare(where + " valid rows", fast.valid, slow.value.valid);
}

void compareOccupancy(const std::string& where, const OccupancySeries& fast, const slow::SlowStream& slow,
                      Differences& out) {
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < fast.samples.size(); ++i) {
    const OccupancySeries::Sample& sample = fast.samples[i];
    high = std::max<std::uint64_t>(high, sample.high);
    if (i > 0 && sample.time <= fast.samples[i - 1].time) out.add(where + ": samples out of order");
    if (fast.interval == 1)
      out.compare(where + " occupancy at " + std::to_string(sample.time), sample.last,
                  slow.occupancyAt(sample.time));
  }
  out.compare(where + " highest sample", high, slow.maxOccupancy());
}

void compareStreams(const SimulationResult& fast, const slow::SlowResult& slow, Differences& out) {
  std::uint64_t hops = 0;
  for (StreamId id = 0; id < slow.streams.size(); ++id) {
    const std::string where = "stream " + std::to_string(id);
    const slow::SlowStream& stream = slow.streams[id];
    const StreamStats& stats = fast.streams.at(id);
    hops += stream.dequeued.size();  // those still in a FIFO have not moved over it
    out.compare(where + " tokens", stats.tokens, stream.tokens.size());
    out.compare(where + " max occupancy", stats.max_occupancy, stream.maxOccupancy());
    for (std::uint32_t level = 0; level < std::max<std::size_t>(stats.groups.size(), 6); ++level)
      out.compare(where + " groups of level " + std::to_string(level),
                  level < stats.groups.size() ? stats.groups[level] : 0, stream.group(level));
    out.compare(where + " captured", fast.captured.at(id).size(), stream.tokens.size());
    for (std::size_t i = 0; i < std::min(stream.tokens.size(), fast.captured[id].size()); ++i)
      compareToken(where + " token " + std::to_string(i), fast.captured[id][i], stream.tokens[i], out);
    compareOccupancy(where, fast.occupancy.at(id), stream, out);
  }
  out.compare("token hops", fast.token_hops, hops);
}

void compareDeadlock(const FlatGraph& graph, const DeadlockReport& fast, const slow::SlowResult& slow,
                     Differences& out) {
  std::map<OperatorId, BlockedOperator> blocked;
  for (const BlockedOperator& op : fast.blocked) blocked[op.op] = op;
  out.compare("blocked operators named twice", fast.blocked.size(), blocked.size());
  Cycles latest = 0;
  for (OperatorId id = 0; id < slow.operators.size(); ++id) {
    const slow::SlowOperator& expected = slow.operators[id];
    const bool is_blocked = expected.state == slow::SlowState::Blocked;
    const std::string where = nameOf(graph, id);
    out.compare(where + " is blocked", blocked.contains(id), is_blocked);
    if (!is_blocked || !blocked.contains(id)) continue;
    const BlockedOperator& op = blocked[id];
    latest = std::max(latest, expected.polls ? op.since : expected.clock);
    if (expected.polls) continue;  // waits for all its inputs; any of them may be named
    const FlatStream& stream = graph.streams[expected.stream];
    out.compare(where + " waits for a full stream", op.reason == WaitReason::Full,
                expected.reason == WaitReason::Full);
    out.compare(where + " waits at stream", op.stream, expected.stream);
    out.compare(where + " waits for operator", op.waits_for,
                stream.producer == id ? stream.consumer : stream.producer);
    out.compare(where + " waits for token", op.token, expected.token);
    out.compare(where + " waits since", op.since, expected.clock);
  }
  out.compare("deadlock at", fast.at, latest);
}

void compareOperators(const FlatGraph& graph, const SimulationResult& fast, const slow::SlowResult& slow,
                      Differences& out) {
  Flops flops = 0;
  Bytes bytes = 0;
  for (OperatorId id = 0; id < slow.operators.size(); ++id) {
    const slow::SlowOperator& op = slow.operators[id];
    flops += op.flops;
    bytes += op.off_chip_bytes;
    if (op.state != slow::SlowState::Finished) continue;
    out.compare(nameOf(graph, id) + " finished", fast.operators.at(id).finished, op.clock);
    out.compare(nameOf(graph, id) + " flops", fast.operators[id].flops, op.flops);
    out.compare(nameOf(graph, id) + " off-chip bytes", fast.operators[id].off_chip_bytes, op.off_chip_bytes);
  }
  out.compare("HBM requests", fast.hbm_requests, slow.hbm_requests);
  if (slow.deadlocked()) return;
  out.compare("cycles", fast.cycles, slow.cycles);
  out.compare("flops", fast.flops, flops);
  out.compare("off-chip bytes", fast.off_chip_bytes, bytes);
}

/// The simulator stops at the first wrong token it meets, so only that it met one, and where, can be
/// compared.
void compareFault(const FlatGraph& graph, const SimulationResult& fast, const slow::SlowResult& slow,
                  Differences& out) {
  out.compare("a wrong token is met", fast.fault.has_value(), slow.faulted());
  if (fast.fault) {
    out.compare(nameOf(graph, fast.fault->op) + " meets a wrong token", true,
                slow.operators[fast.fault->op].state == slow::SlowState::Faulted);
    if (fast.fault->cause.empty() || fast.fault->fix.empty())
      out.add("the fault says neither why nor what to do");
  }
}

/// Counting must give what recording gives.
void compareModes(const SimulationResult& count, const SimulationResult& record, Differences& out) {
  out.compare("cycles when counting", count.cycles, record.cycles);
  out.compare("deadlock when counting", count.deadlock.has_value(), record.deadlock.has_value());
  for (std::size_t id = 0; id < count.operators.size(); ++id)
    out.compare("operator " + std::to_string(id) + " finished, when counting", count.operators[id].finished,
                record.operators[id].finished);
  for (std::size_t id = 0; id < count.streams.size(); ++id) {
    out.compare("stream " + std::to_string(id) + " tokens, when counting", count.streams[id].tokens,
                record.streams[id].tokens);
    if (count.streams[id].groups != record.streams[id].groups) out.add("groups differ when counting");
  }
}

/// A Printer keeps the first tokens of its stream.
void comparePrinted(const FlatGraph& graph, const SimulationResult& fast, const slow::SlowResult& slow,
                    Differences& out) {
  for (const PrintedStream& printed : fast.printed) {
    const std::string where = nameOf(graph, printed.op) + " keeps";
    const auto limit = static_cast<std::size_t>(graph.operators[printed.op].parameters.integer("limit"));
    const auto& tokens = slow.streams[graph.operators[printed.op].inputs[0]].tokens;
    out.compare(where, printed.tokens.size(), std::min(limit, tokens.size()));
    for (std::size_t i = 0; i < std::min(printed.tokens.size(), tokens.size()); ++i)
      compareToken(where + " token " + std::to_string(i), printed.tokens[i], tokens[i], out);
  }
}

/// What the two models disagree on; empty when they agree.
std::string difference(const FlatGraph& graph, const InputSet& inputs) {
  Differences out;
  const slow::SlowResult slow = slow::simulateSlowly(graph, inputs);
  SimulationOptions options;
  options.mode = RecordMode::Record;
  for (StreamId id = 0; id < graph.streams.size(); ++id) options.capture.push_back(id);
  const SimulationResult fast = simulate(graph, inputs, options);
  compareModes(simulate(graph, inputs), fast, out);
  compareFault(graph, fast, slow, out);
  if (fast.fault || slow.faulted()) return out.text();
  out.compare("deadlock", fast.deadlock.has_value(), slow.deadlocked());
  if (fast.deadlock && slow.deadlocked()) compareDeadlock(graph, *fast.deadlock, slow, out);
  compareStreams(fast, slow, out);
  comparePrinted(graph, fast, slow, out);
  comparePrinted(graph, simulate(graph, inputs), slow, out);
  compareOperators(graph, fast, slow, out);
  return out.text();
}

/// Removes operators while the models still disagree.
FlatGraph shrunk(FlatGraph graph, const InputSet& inputs) {
  for (OperatorId op = 0; op < graph.operators.size();) {
    const FlatGraph smaller = without(graph, op);
    const bool useful = !smaller.operators.empty() && smaller.operators.size() < graph.operators.size();
    if (useful && !difference(smaller, inputs).empty()) {
      graph = smaller;
      op = 0;
    } else {
      ++op;
    }
  }
  return graph;
}

void expectAgreement(const RandomGraph& random, std::uint64_t seed) {
  if (difference(random.graph, random.inputs).empty()) return;
  const FlatGraph small = shrunk(random.graph, random.inputs);
  FAIL() << "seed " << seed << "\n" << text(small) << difference(small, random.inputs);
}

/// One parameter is one block of seeds.
class SimulatorDifferential : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SimulatorDifferential, RandomGraphs) {
  constexpr std::uint64_t graphs = 1000;
  for (std::uint64_t i = 0; i < graphs && !HasFailure(); ++i) {
    const std::uint64_t seed = GetParam() * graphs + i;
    expectAgreement(randomGraph(seed), seed);
  }
}

/// Long runs of requests, which the simulator advances in closed form and the slow model one by one.
TEST_P(SimulatorDifferential, RandomMemoryTraffic) {
  constexpr std::uint64_t graphs = 150;
  for (std::uint64_t i = 0; i < graphs && !HasFailure(); ++i) {
    const std::uint64_t seed = GetParam() * graphs + i;
    expectAgreement(randomMemoryGraph(seed), seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, SimulatorDifferential, testing::Range<std::uint64_t>(0, 8));

/// Bursts of three tiles every three cycles, `tiles` times.
FlatGraph bursts(std::int64_t tiles) {
  FlatBuilder builder;
  builder.depth = 100;
  const Output source = builder.through(
      "TileGen", {{"shape", std::vector{tiles}}, {"tile", std::vector<std::int64_t>{3, 4}}, {"interval", 3}});
  const Output rows = builder.through("FlatMap", {}, {source});
  builder.through("Map", {{"function", std::string("exp")}, {"compute_bw", 16}}, {rows});
  builder.consumeTheRest();
  return builder.build();
}

/// Smallest and largest occupancy in [from, to), from the level before it on.
std::pair<std::uint64_t, std::uint64_t> extremes(const std::map<Cycles, std::int64_t>& changes, Cycles from,
                                                 Cycles to) {
  std::int64_t level = 0, low = 0, high = 0;
  for (auto change = changes.begin(); change != changes.end() && change->first < to; ++change) {
    if (change->first < from) low = high = level + change->second;
    level += change->second;
    low = std::min(low, level);
    high = std::max(high, level);
  }
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

TEST(OccupancySeries, DecimatedSamplesStillHoldTheExtremes) {
  const FlatGraph graph = bursts(4000);
  const slow::SlowResult slow = slow::simulateSlowly(graph, {});
  SimulationOptions options;
  options.mode = RecordMode::Record;
  const SimulationResult fast = simulate(graph, {}, options);
  ASSERT_EQ(fast.cycles, slow.cycles);
  const StreamId stream = graph.operators[1].outputs[0];
  const OccupancySeries& series = fast.occupancy[stream];
  ASSERT_GT(series.interval, 1u) << "not enough events to decimate";

  std::map<Cycles, std::int64_t> changes;
  for (const slow::SlowToken& token : slow.streams[stream].tokens) ++changes[token.enqueued];
  for (const Cycles time : slow.streams[stream].dequeued) --changes[time];
  for (std::size_t i = 0; i < series.samples.size(); i += 37) {
    const OccupancySeries::Sample& sample = series.samples[i];
    const Cycles end = i + 1 < series.samples.size() ? series.samples[i + 1].time : slow.cycles + 1;
    const auto [low, high] = extremes(changes, sample.time, end);
    EXPECT_EQ(sample.high, high) << "sample " << i << " at " << sample.time;
    EXPECT_LE(sample.low, low) << "sample " << i << " at " << sample.time;
    EXPECT_EQ(sample.last, slow.streams[stream].occupancyAt(end - 1))
        << "sample " << i << " at " << sample.time;
  }
}

/// EagerMerge sees late that all has ended, PromoteOuter learns it at its own, earlier clock: the loads
/// behind it begin while the controller has gone on for others.
TEST(SlowModel, RequestsThatAnEndSetsFreeAreServedInTheirOwnCycles) {
  using List = std::vector<std::int64_t>;
  FlatBuilder b;
  b.machine.mock_bf16 = false;
  b.machine.hbm_channels = 9;
  b.machine.hbm_latency = 0;
  b.machine.hbm_initiation_interval = 3;
  b.machine.hbm_start_up = 10;
  b.machine.on_chip_bandwidth = 8;
  const Output source = b.through("TileGen", {{"shape", List{1, 4}}, {"tile", List{1, 32}}, {"interval", 4}});
  const OperatorId lanes =
      b.add("Parallelize", {{"ways", 2}, {"rank", 2}, {"port_switch_cycles", List{2, 3}}}, {source});
  const Output mapped =
      b.through("Map", {{"function", std::string("silu")}, {"compute_bw", 18}}, {{lanes, 1}});
  const OperatorId merge = b.add("EagerMerge", {{"ways", 2}, {"rank", 2}}, {{lanes, 0}, mapped});
  const Output starts = b.through("PromoteOuter", {}, {{merge, 1}});
  b.through("LinearOffChipLoadRef", {{"tile", List{3, 32}}, {"out_shape", List{3}}, {"par_dispatch", 3}},
            {starts});
  b.through("LinearOffChipLoad", {{"tile", List{5, 4}}, {"out_shape", List{1}}, {"par_dispatch", 4}});
  b.consumeTheRest();
  EXPECT_EQ(difference(b.build(), {}), "");
}

/// The converter's fifth token never comes: it waits for it since a half is free, not since the fourth.
TEST(LayoutConverter, WaitsSinceItsHalfIsFree) {
  using List = std::vector<std::int64_t>;
  FlatBuilder b;
  b.depth = 3;
  const OperatorId grid = b.add("Counter2D", {{"rows", 2}, {"columns", 4}});
  const Output converted = b.through("LayoutConverter",
                                     {{"iterations", 4},
                                      {"fill", 2},
                                      {"drain", 12},
                                      {"fill_interval", 2},
                                      {"drain_interval", 1},
                                      {"tile", List{1, 8}},
                                      {"scalar", std::string("f32")}},
                                     {{grid, 0}});
  const Output sum = b.through(
      "Accum", {{"function", std::string("add")}, {"init", List{1, 8}}, {"rank", 1}, {"compute_bw", 64}},
      {converted});
  b.through("Zip", {}, {{grid, 1}, sum});
  b.consumeTheRest();
  ASSERT_TRUE(simulate(b.build(), {}).deadlock);
  EXPECT_EQ(difference(b.build(), {}), "");
}

TEST(RandomGraphs, ReachEveryOperatorAndSomeDeadlock) {
  std::map<std::string, int> kinds;
  int deadlocks = 0, faults = 0;
  constexpr int graphs = 1000;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const RandomGraph random = randomGraph(seed);
    for (const FlatOperator& op : random.graph.operators) ++kinds[op.spec->kind];
    const slow::SlowResult result = slow::simulateSlowly(random.graph, random.inputs);
    deadlocks += result.deadlocked() ? 1 : 0;
    faults += result.faulted() ? 1 : 0;
  }
  kinds["TensorProgram"] = 20;  // never runs
  kinds["DataflowActor"] = 20;  // random graphs of it run beside self-timed executions (sdf3_test.cpp)
  for (const OperatorSpec* spec : registeredSpecs()) EXPECT_GE(kinds[spec->kind], 20) << spec->kind;
  EXPECT_GE(deadlocks, graphs / 50);
  EXPECT_LE(deadlocks + faults, graphs / 4) << "most graphs should run to their end";
}

/// Lanes of an uneven Parallelize, which only the run knows of: the front end gives each the floor.
bool hasUnevenLanes(const FlatGraph& graph, const Inference& inference) {
  return std::any_of(graph.operators.begin(), graph.operators.end(), [&](const FlatOperator& op) {
    return op.spec->kind == "Parallelize" &&
           inference.streams[op.inputs[0]].shape.front().kind != DimKind::Static;
  });
}

/// The reference simulator streams several repeats one after another, and buffers of a single tile lose their
/// rank (engine/operators/timing.md 7.2): there the shapes of the paper do not hold.
bool hasOddBuffers(const FlatGraph& graph) {
  return std::any_of(graph.operators.begin(), graph.operators.end(), [](const FlatOperator& op) {
    const bool streams = op.spec->kind == "Streamify" || op.spec->kind == "DynStreamify";
    return streams && (op.parameters.integer("rank") > 1 ||
                       (op.spec->kind == "Streamify" && op.parameters.list("repeat").size() > 1));
  });
}

/// Operators whose inferred traffic is not what the run moves, as text. With float32 moved as bfloat16, the
/// artifact's formulas halve what is loaded but not what is stored (engine/symbolic/cost_model.md 1.2).
std::string trafficDifferences(const FlatGraph& graph, const Inference& inference,
                               const SimulationResult& run) {
  std::ostringstream out;
  for (OperatorId op = 0; op < graph.operators.size(); ++op) {
    const std::int64_t inferred =
        measured(inference.operators[op].off_chip_bytes, inference, run).value_or(0);
    const auto moved = static_cast<std::int64_t>(run.operators[op].off_chip_bytes);
    const bool store = graph.operators[op].spec->kind.ends_with("Store");
    const bool halved = store && graph.machine.mock_bf16 && inferred == 2 * moved;
    if (inferred != moved && !halved)
      out << nameOf(graph, op) << ": inferred " << inferred << " bytes off chip, moved " << moved << "\n";
  }
  return out.str();
}

/// Shapes, FLOPs and traffic that inference gives are those that the run measures.
TEST(RandomGraphs, HaveTheInferredShapesFlopsAndTraffic) {
  int compared = 0;
  constexpr int graphs = 1000;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    const RandomGraph random = randomGraph(seed);
    const Result<Inference> inference = infer(random.graph, random.inputs);
    if (!inference || hasOddBuffers(random.graph) || hasUnevenLanes(random.graph, *inference)) continue;
    const SimulationResult run = simulate(random.graph, random.inputs);
    if (run.fault || run.deadlock) continue;
    ++compared;
    const std::string wrong = shapeDifferences(random.graph, *inference, run);
    EXPECT_TRUE(wrong.empty()) << "seed " << seed << "\n" << text(random.graph) << wrong;
    const auto flops = measured(inference->total.flops, *inference, run);
    EXPECT_EQ(flops.value_or(0), static_cast<std::int64_t>(run.flops)) << "seed " << seed << "\n"
                                                                       << text(random.graph);
    const std::string moved = trafficDifferences(random.graph, *inference, run);
    EXPECT_TRUE(moved.empty()) << "seed " << seed << "\n" << text(random.graph) << moved;
  }
  EXPECT_GE(compared, graphs / 3);
}

/// Written as STeP's graphs, and imported: what a user gets is saved and opened as the same, and runs as the
/// slow model says.
TEST(RandomGraphs, AgreeWhenTheyAreImported) {
  int typed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string fixture = stepFixture(randomReferenceGraph(seed), seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + fixture);
    Result<Document> document = importStepFixture(fixture, "graph.json");
    ASSERT_TRUE(document) << text(document.diagnostics());
    document->machine.hbm_controller_wait = static_cast<std::int64_t>(seed % 2);
    EXPECT_FALSE(hasErrors(check(*document, builtInCatalog())));
    const Result<Document> again = parseDocument(writeDocument(*document), "again");
    ASSERT_TRUE(again) << text(again.diagnostics());
    EXPECT_EQ(*again, *document);
    const auto workload = makeWorkload(*again, ".");
    ASSERT_TRUE(workload) << text(workload.diagnostics());
    if (evaluateSymbolic(**workload, {})) ++typed;
    const Result<FlatGraph> graph = elaborate((*workload)->document, {}, builtInCatalog());
    ASSERT_TRUE(graph) << text(graph.diagnostics());
    EXPECT_EQ(difference(*graph, (*workload)->inputs), "");
  }
  EXPECT_GE(typed, 100);
}

}  // namespace sluice::simulator_differential_test
