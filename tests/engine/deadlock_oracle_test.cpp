// Diagnosis and repair of deadlocks against brute force: random graphs of up to seven processes, played by
// the token oracle (most of them in every order of moves); the cheapest depths by trying all of them in the
// order of their cost.

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "engine/fifo/unlock.h"
#include "tests/engine/support/flat_builder.h"
#include "tests/engine/support/random_graphs.h"
#include "tests/engine/support/slow_model.h"
#include "tests/engine/support/token_oracle.h"

namespace sluice::deadlock_oracle_test {

using oracle::Ending;
using oracle::Outcome;
using oracle::TokenOracle;
using Depths = std::vector<std::uint64_t>;

/// Forks, reductions that are spread again, and joins of what fits (and now and then of what does not).
class ForkJoinGrower {
 public:
  static constexpr std::size_t most_processes = 7;  ///< of a part

  explicit ForkJoinGrower(std::uint64_t seed) : random_(seed) {}

  /// Several `parts` have nothing to do with each other.
  FlatGraph grow(std::size_t parts) {
    for (; parts > 0; --parts) growPart();
    return builder_.build();
  }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + random_() % (high - low + 1); }

 private:
  bool chance(std::uint64_t percent) { return random_() % 100 < percent; }
  void growPart() {
    processes_ = 0;
    source();
    if (chance(20)) source();
    if (chance(80)) fork();
    if (chance(80) && fits(2)) reduce();
    for (int tries = 0; tries < 30; ++tries) step();
    builder_.consumeTheRest();
    ends_.clear();
  }

  /// With a Consumer for every open end.
  bool fits(std::size_t more) const { return processes_ + ends_.size() + more <= most_processes; }
  Output add(const std::string& kind, const Settings& settings, const std::vector<Output>& inputs) {
    builder_.depth = between(1, chance(80) ? 2 : 4);
    ++processes_;
    return {builder_.add(kind, settings, inputs), 0};
  }
  Output takeEnd() {
    const std::size_t at = random_() % ends_.size();
    const Output end = ends_[at];
    ends_.erase(ends_.begin() + static_cast<std::ptrdiff_t>(at));
    return end;
  }

  void source() {
    inner_ = static_cast<std::int64_t>(between(2, 5));
    std::vector<std::int64_t> shape{inner_};
    if (chance(50)) shape.insert(shape.begin(), static_cast<std::int64_t>(between(1, 2)));
    ends_.push_back(add("TileGen",
                        {{"shape", shape},
                         {"tile", std::vector<std::int64_t>{4, 4}},
                         {"interval", static_cast<std::int64_t>(between(1, 4))}},
                        {}));
  }

  void fork() {
    const Output from = takeEnd();
    const Output fork = add("Broadcast", {{"ways", std::int64_t{2}}}, {from});
    for (const Output& out : builder_.outputs(fork.op)) ends_.push_back(out);
  }

  /// One token a group, and mostly as many as there were again.
  void reduce() {
    const Settings settings{{"function", "add"},
                            {"init", std::vector<std::int64_t>{4, 4}},
                            {"rank", std::int64_t{1}},
                            {"compute_bw", std::int64_t{64}}};
    const Output sum = add("Accum", settings, {takeEnd()});
    ends_.push_back(chance(90) ? add("Repeat", {{"factor", inner_}}, {sum}) : sum);
  }

  void step() {
    const std::uint64_t dice = between(0, 99);
    if (dice < 25 && fits(2)) {
      fork();
    } else if (dice < 60 && fits(2)) {
      reduce();
    } else if (dice < 75 && fits(1)) {
      ends_.push_back(add("Map", {{"function", "silu"}, {"compute_bw", std::int64_t{64}}}, {takeEnd()}));
    } else if (dice >= 85 && ends_.size() > 1) {
      join();
    }
  }

  void join() {
    const Output a = takeEnd(), b = takeEnd();
    FlatBuilder trial = builder_;
    trial.consumeTheRest();
    const FlatGraph graph = trial.build();
    const TokenOracle known(graph);
    const bool match = known.stops(trial.stream(a)) == known.stops(trial.stream(b));
    if (!match && !chance(6)) {
      ends_.push_back(a);
      ends_.push_back(b);
      return;
    }
    ends_.push_back(add("BinaryMap", {{"function", "add"}, {"compute_bw", std::int64_t{64}}}, {a, b}));
  }

  std::mt19937_64 random_;
  FlatBuilder builder_;
  std::vector<Output> ends_;
  std::size_t processes_ = 0;
  std::int64_t inner_ = 1;
};

/// Tries all depths that cost `left` more bytes, streams from `from` on.
bool frees(const TokenOracle& oracle, Depths& depths, const std::vector<double>& bytes, std::size_t from,
           double left) {
  if (left == 0) return oracle.play(depths).ending == Ending::Finished;
  if (from == depths.size()) return false;
  const std::uint64_t depth = depths[from];
  for (std::uint64_t more = 0; static_cast<double>(more) * bytes[from] <= left; ++more) {
    depths[from] = depth + more;
    if (frees(oracle, depths, bytes, from + 1, left - static_cast<double>(more) * bytes[from])) return true;
  }
  depths[from] = depth;
  return false;
}

std::optional<double> cheapest(const TokenOracle& oracle, const Depths& depths,
                               const std::vector<double>& bytes, double most) {
  for (double cost = 1; cost <= most; ++cost) {
    Depths tried = depths;
    if (frees(oracle, tried, bytes, 0, cost)) return cost;
  }
  return std::nullopt;
}

void compareDiagnosis(const DeadlockReport& report, const Outcome& expected) {
  std::set<OperatorId> blocked, members;
  std::set<std::set<OperatorId>> circles;
  for (const BlockedOperator& each : report.blocked) blocked.insert(each.op);
  for (const CircularWait& circle : report.cycles) {
    circles.insert({circle.members.begin(), circle.members.end()});
    members.insert(circle.members.begin(), circle.members.end());
  }
  EXPECT_EQ(blocked, expected.blocked);
  EXPECT_EQ(circles, expected.circles);
  EXPECT_EQ(report.cycles.size(), expected.circles.size());
  EXPECT_EQ(members.size() + report.victims.size(), blocked.size());
  for (const OperatorId victim : report.victims) {
    EXPECT_FALSE(members.contains(victim));
    EXPECT_GT(report.find(victim)->distance, 0u);
  }
}

/// A wait cycle closed when the last of its members stopped for good, by the clocks of the slow model.
void compareMoments(const FlatGraph& graph, const DeadlockReport& report) {
  const slow::SlowResult slowly = slow::simulateSlowly(graph, {});
  for (const CircularWait& circle : report.cycles) {
    Cycles last = 0;
    for (const OperatorId op : circle.members) {
      EXPECT_EQ(report.find(op)->since, slowly.operators[op].clock);
      last = std::max(last, slowly.operators[op].clock);
    }
    EXPECT_EQ(circle.closed_at, last);
  }
}

/// Of a graph's states; those with more are played in one order only.
constexpr std::size_t most_states = 15'000;

struct Tally {
  int locked = 0, real = 0, repaired = 0, several = 0, choices = 0, every_order = 0;
};

void compareRepair(const FlatGraph& graph, const TokenOracle& oracle, const Depths& depths,
                   const std::vector<double>& bytes, const SimulationResult& run, double most, Tally& tally) {
  const Unlock unlocked = unlock(graph, {}, run, [&](const SimulationResult&) { return bytes; });
  EXPECT_FALSE(unlocked.gave_up);
  EXPECT_FALSE(unlocked.reasons.empty());
  const bool artificial = oracle.play(Depths(depths.size(), 0)).ending == Ending::Finished;
  ASSERT_EQ(unlocked.kind, artificial ? LockKind::Artificial : LockKind::Real);
  ASSERT_EQ(unlocked.repair.has_value(), artificial);
  tally.real += artificial ? 0 : 1;
  if (!artificial) return;
  for (const LockKind kind : unlocked.cycles) EXPECT_EQ(kind, LockKind::Artificial);
  const Repair& repair = *unlocked.repair;
  Depths fixed = depths;
  double cost = 0;
  for (const Repair::Change& change : repair.changes) {
    const std::size_t stream = std::stoul(change.origin.substr(1));
    fixed[stream] = change.to;
    EXPECT_EQ(change.from, depths[stream]);
    cost += static_cast<double>(change.to - change.from) * bytes[stream];
  }
  EXPECT_EQ(repair.bytes, cost);
  EXPECT_TRUE(repair.minimal && repair.verified);
  EXPECT_EQ(oracle.play(fixed).ending, Ending::Finished);
  const std::optional<double> best = cheapest(oracle, depths, bytes, most);
  if (best || repair.bytes <= most) {
    EXPECT_EQ(repair.bytes, best.value_or(-1));
  }
  tally.repaired += best ? 1 : 0;
  tally.choices += repair.changes.size() > 1 ? 1 : 0;
}

/// `most`: bytes of the repairs that are compared with the cheapest.
Tally compareGraphs(std::uint64_t first, std::uint64_t graphs, std::size_t parts, double most) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + graphs && !testing::Test::HasFailure(); ++seed) {
    ForkJoinGrower grower(seed);
    const FlatGraph graph = grower.grow(parts);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text(graph));
    EXPECT_LE(graph.operators.size(), parts * ForkJoinGrower::most_processes);
    Depths depths;
    std::vector<double> bytes;
    for (const FlatStream& stream : graph.streams) {
      depths.push_back(stream.depth);
      bytes.push_back(static_cast<double>(grower.between(1, 3)));
    }
    const TokenOracle oracle(graph);
    const Outcome expected = oracle.play(depths);
    if (const auto endings = oracle.playEveryOrder(depths, most_states)) {
      EXPECT_EQ(*endings, std::vector<Outcome>{expected});  // no order of moves ends otherwise
      ++tally.every_order;
    }
    const SimulationResult run = simulate(graph, {});
    EXPECT_EQ(run.fault.has_value(), expected.ending == Ending::Faulted);
    EXPECT_EQ(run.deadlock.has_value(), expected.ending == Ending::Locked);
    if (!run.deadlock) continue;
    ++tally.locked;
    tally.several += expected.circles.size() > 1 ? 1 : 0;
    compareDiagnosis(*run.deadlock, expected);
    if (seed % 4 == 0) compareMoments(graph, *run.deadlock);
    compareRepair(graph, oracle, depths, bytes, run, most, tally);
  }
  return tally;
}

TEST(DeadlockOracle, AgreesOnGraphsOfSevenProcesses) {
  constexpr int graphs = 8000;
  const Tally tally = compareGraphs(1, graphs, 1, 9);
  // The graphs must be worth it.
  EXPECT_GT(tally.locked, graphs / 4);
  EXPECT_GT(tally.repaired, tally.locked * 3 / 4);
  EXPECT_GT(tally.choices, 50);
  EXPECT_GT(tally.real, 20);
  EXPECT_GT(tally.every_order, 5000);
}

TEST(DeadlockOracle, AgreesOnSeveralCirclesAtOnce) {
  constexpr int graphs = 800;
  const Tally tally = compareGraphs(100'000, graphs, 2, 4);
  EXPECT_GT(tally.locked, graphs / 3);
  EXPECT_GT(tally.several, graphs / 20);
  EXPECT_GT(tally.choices, 30);
}

/// Of all operators, with loops and races: what the slow model makes of unlimited FIFOs and of the repair.
TEST(DeadlockOracle, TheSlowModelConfirmsRepairsOfEveryOperator) {
  int artificial = 0, real = 0;
  for (std::uint64_t seed = 1; seed <= 1500 && !testing::Test::HasFailure(); ++seed) {
    RandomGraph random = randomGraph(seed);
    const SimulationResult run = simulate(random.graph, random.inputs);
    if (!run.deadlock) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<double> bytes(random.graph.streams.size(), 1);
    const Unlock unlocked = unlock(random.graph, random.inputs, run, [&](const auto&) { return bytes; });
    ASSERT_NE(unlocked.kind, LockKind::Undecided);
    FlatGraph unlimited = random.graph;
    for (FlatStream& stream : unlimited.streams) stream.depth = 100'000;
    const slow::SlowResult endless = slow::simulateSlowly(unlimited, random.inputs);
    const bool ends = !endless.deadlocked() && !endless.faulted();
    EXPECT_TRUE(!ends || unlocked.kind == LockKind::Artificial);
    ASSERT_EQ(unlocked.repair.has_value(), unlocked.kind == LockKind::Artificial);
    ++(ends ? artificial : real);
    if (!unlocked.repair) continue;
    for (const Repair::Change& change : unlocked.repair->changes)
      for (FlatStream& stream : random.graph.streams)
        if (stream.origin == change.origin) stream.depth = change.to;
    const slow::SlowResult fixed = slow::simulateSlowly(random.graph, random.inputs);
    EXPECT_FALSE(fixed.deadlocked() || fixed.faulted());
    EXPECT_EQ(fixed.cycles, unlocked.repair->cycles);
  }
  EXPECT_GT(artificial, 30);
  EXPECT_GT(artificial + real, 40);
  RecordProperty("artificial", artificial);
  RecordProperty("real", real);
}

}  // namespace sluice::deadlock_oracle_test
