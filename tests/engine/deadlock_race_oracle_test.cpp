// Repairs where the order of arrival decides - a loop through an EagerMerge, a Reassemble that gathers
// several at once - against trying all depths, each with the slow model. There deeper need not be better:
// whether a choice of depths ends is only known by running it.

#include <gtest/gtest.h>

#include <random>

#include "engine/fifo/unlock.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/slow_model.h"

namespace sluice::deadlock_race_oracle_test {

using testing_support::node;
using testing_support::workloadOf;
using Depths = std::vector<std::uint64_t>;

/// Programs of seven operators.
class RaceGrower {
 public:
  explicit RaceGrower(std::uint64_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  /// Tokens that enter a loop and go round in it a few times, as selectors say; sometimes those ask for one
  /// too many.
  Document loop() {
    const std::int64_t tokens = between(3, 6), rounds = between(2, 6);
    begin(tokens);
    std::vector<std::int64_t> ways(static_cast<std::size_t>(rounds), 1);  // they crowd the loop at once
    ways.insert(ways.end(), static_cast<std::size_t>(tokens), 0);
    if (between(0, 9) == 0) ways.push_back(between(0, 1));
    if (between(0, 1) == 0)
      std::swap(ways[static_cast<std::size_t>(between(0, rounds - 1))], ways[ways.size() / 2]);
    add("merge", "EagerMerge", {{"ways", Value(2)}});
    add("order", "Consumer", {});
    select("decide", "rounds", ways, 0);
    add("leave", "Partition", {{"ways", Value(2)}});
    add("y", "Consumer", {});
    connect({"enter", "out", {}}, {"merge", "in", 0});
    connect({"leave", "out", 1}, {"merge", "in", 1});
    connect({"merge", "data", {}}, {"leave", "in", {}});
    connect({"merge", "select", {}}, {"order", "in", {}});
    connect({"decide", "out", {}}, {"leave", "control", {}});
    connect({"leave", "out", 0}, {"y", "in", {}});
    return std::move(document_);
  }

  /// Tokens dealt out to two ways and gathered again in another order, often from both at once.
  Document gathering() {
    const std::int64_t tokens = between(4, 7);
    begin(tokens);
    std::vector<std::int64_t> dealt;
    for (std::int64_t i = 0; i < tokens; ++i) dealt.push_back(between(0, 2) == 0 ? 1 : 0);
    std::vector<std::int64_t> gathered;  // 2: both
    std::int64_t left[2] = {0, 0};
    for (const std::int64_t way : dealt) ++left[way];
    for (; left[0] > 0 && left[1] > 0 && between(0, 3) > 0; --left[0], --left[1]) gathered.push_back(2);
    for (const std::int64_t way : {0, 1})
      gathered.insert(gathered.end(), static_cast<std::size_t>(left[way]), way);
    std::shuffle(gathered.begin(), gathered.end(), random_);
    select("deal", "dealt", dealt, 0);
    add("scatter", "Partition", {{"ways", Value(2)}});
    select("collect", "collected", gathered, 2);
    add("gather", "Reassemble", {{"ways", Value(2)}});
    add("y", "Consumer", {});
    connect({"enter", "out", {}}, {"scatter", "in", {}});
    connect({"deal", "out", {}}, {"scatter", "control", {}});
    for (const std::uint32_t way : {0u, 1u}) connect({"scatter", "out", way}, {"gather", "in", way});
    connect({"collect", "out", {}}, {"gather", "control", {}});
    connect({"gather", "out", {}}, {"y", "in", {}});
    return std::move(document_);
  }

 private:
  void begin(std::int64_t tokens) {
    add("x", "TileGen",
        {{"shape", std::vector<Value>{Value(tokens)}},
         {"tile", std::vector<Value>{Value(4), Value(4)}},
         {"interval", Value(between(1, 2))}});
    add("enter", "Flatten", {{"min", Value(0)}, {"max", Value(1)}});
    connect({"x", "out", {}}, {"enter", "in", {}});
  }
  void add(const std::string& name, const std::string& kind, Values parameters) {
    document_.program.nodes.push_back(node(name, kind, std::move(parameters)));
  }
  void connect(const Endpoint& from, const Endpoint& to) {
    document_.program.streams.push_back({from, to, Value(between(1, 10) < 9 ? 1 : 2)});
  }
  /// One row a token; `both`: the number that names both ways.
  void select(const std::string& name, const std::string& input, const std::vector<std::int64_t>& ways,
              std::int64_t both) {
    add(name, "SelectGen", {{"input", Value(input)}});
    Input rows;
    rows.name = input;
    rows.data.emplace();
    rows.data->shape = {ways.size(), 2};
    for (const std::int64_t way : ways)
      for (const std::int64_t target : {0, 1})
        rows.data->data.push_back(way == target || (both > 0 && way == both) ? 1 : 0);
    document_.inputs.push_back(std::move(rows));
  }

  std::mt19937_64 random_;
  Document document_;
};

/// By running it slowly.
class DepthOracle {
 public:
  DepthOracle(FlatGraph graph, const InputSet& inputs, const std::vector<double>& bytes)
      : graph_(std::move(graph)), inputs_(inputs), bytes_(bytes) {
    for (const FlatStream& stream : graph_.streams) start_.push_back(stream.depth);
  }

  bool ends(const Depths& depths) {
    for (StreamId id = 0; id < depths.size(); ++id) graph_.streams[id].depth = depths[id];
    const slow::SlowResult run = slow::simulateSlowly(graph_, inputs_);
    return !run.deadlocked() && !run.faulted();
  }
  /// Whether any depths that cost less than `bytes` more end.
  bool endsBelow(double bytes) { return endsBelow(start_, 0, bytes); }
  const Depths& start() const { return start_; }

 private:
  bool endsBelow(Depths depths, StreamId from, double bytes) {
    if (ends(depths)) return true;
    for (StreamId id = from; id < depths.size(); ++id) {
      if (bytes_[id] >= bytes) continue;
      ++depths[id];
      if (endsBelow(depths, id, bytes - bytes_[id])) return true;
      --depths[id];
    }
    return false;
  }

  FlatGraph graph_;
  const InputSet& inputs_;
  const std::vector<double>& bytes_;
  Depths start_;
};

struct Tally {
  int repaired = 0, real = 0, harmful = 0;
};

void compareRepair(const Unlock& unlocked, DepthOracle& oracle, const std::vector<double>& bytes,
                   const FlatGraph& graph, Tally& tally) {
  ASSERT_NE(unlocked.kind, LockKind::Undecided);
  ASSERT_EQ(unlocked.repair.has_value(), unlocked.kind == LockKind::Artificial);
  if (!unlocked.repair) {
    EXPECT_FALSE(oracle.ends(Depths(bytes.size(), 1000)));
    EXPECT_FALSE(oracle.endsBelow(3.5));
    ++tally.real;
    return;
  }
  const Repair& repair = *unlocked.repair;
  EXPECT_TRUE(repair.minimal && repair.verified);
  Depths fixed = oracle.start();
  double cost = 0;
  for (const Repair::Change& change : repair.changes)
    for (StreamId id = 0; id < bytes.size(); ++id) {
      if (graph.streams[id].origin != change.origin) continue;
      fixed[id] = change.to;
      cost += static_cast<double>(change.to - oracle.start()[id]) * bytes[id];
    }
  EXPECT_EQ(cost, repair.bytes);
  EXPECT_TRUE(oracle.ends(fixed));
  if (cost <= 6) {
    EXPECT_FALSE(oracle.endsBelow(cost)) << "there is a cheaper one";
    ++tally.repaired;
  }
  for (StreamId id = 0; id < bytes.size(); ++id) {
    Depths deeper = fixed;
    ++deeper[id];
    tally.harmful += oracle.ends(deeper) ? 0 : 1;
  }
}

Tally compareGraphs(std::uint64_t first, int graphs, Document (RaceGrower::*grow)()) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(graphs); ++seed) {
    if (testing::Test::HasFailure()) break;
    RaceGrower grower(seed);
    const auto workload = workloadOf((grower.*grow)());
    const Result<PointResult> run = evaluate(*workload, {}, RecordMode::Count);
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (!run) ADD_FAILURE() << text(run.diagnostics());
    if (!run || !run->simulation.deadlock) continue;
    const FlatGraph& graph = run->symbolic.graph;
    EXPECT_LE(graph.operators.size(), 7u);
    std::vector<double> bytes;
    for (std::size_t i = 0; i < graph.streams.size(); ++i)
      bytes.push_back(static_cast<double>(grower.between(1, 3)));
    DepthOracle oracle(graph, workload->inputs, bytes);
    EXPECT_FALSE(oracle.ends(oracle.start()));
    compareRepair(
        unlock(graph, workload->inputs, run->simulation, [&](const SimulationResult&) { return bytes; }),
        oracle, bytes, graph, tally);
  }
  return tally;
}

TEST(DeadlockRaceOracle, AgreesOnLoops) {
  const Tally tally = compareGraphs(1, 2500, &RaceGrower::loop);
  EXPECT_GT(tally.repaired, 300);
  EXPECT_GT(tally.harmful, 0) << "deeper is sometimes worse, else nothing is tried here";
  EXPECT_GT(tally.real, 5);
}

TEST(DeadlockRaceOracle, AgreesOnGatheringInOrderOfArrival) {
  const Tally tally = compareGraphs(10'000, 2500, &RaceGrower::gathering);
  EXPECT_GT(tally.repaired, 300);
}

}  // namespace sluice::deadlock_race_oracle_test
