// The result store: what is written is read back, by anybody, whatever happens to the writer or its disk.

#include "engine/explorer/store/result_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include "engine/core/atomic_file.h"
#include "engine/core/random.h"
#include "engine/explorer/results_revision.h"
#include "engine/explorer/store/sqlite_point_store.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/explorer/tables.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/store_folder.h"

namespace sluice::result_store_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace testing_support;

TEST_F(Store, GivesBackWhatWasWritten) {
  std::vector<DesignPoint> written;
  {
    ResultStore store = opened(file_);
    const ExplorationRecord record =
        must(store.begin(recordWith({range("a", 9), choice("mode", {"static", "it's \"dynamic\""})})));
    std::vector<Visit> visits;
    for (std::int64_t a = 1; a <= 9; ++a) {
      DesignPoint point = pointAt(a, static_cast<std::uint64_t>(a) << 40, 3);
      point.knobs["mode"] = a % 2;
      if (a == 3) point.state = PointState::Deadlocked, point.cause = "deadlock; x waits for y, \xc3\xa9";
      if (a == 4) point.state = PointState::Infeasible, point.cause = "too large";
      if (a == 5) point.fidelity = Fidelity::Record, point.peak_fifo_tokens = 77;
      if (a == 6) point.state = PointState::Cancelled;  // is not stored
      written.push_back(point);
      visits.push_back({static_cast<std::uint64_t>(a), point});
    }
    must(store.write(record, visits));
  }
  ResultStore store = opened(file_, ResultStore::Access::Read);
  const std::vector<ExplorationRecord> records = must(store.explorations());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].title, "A title, \"quoted\"");
  EXPECT_EQ(records[0].points, 8u);
  EXPECT_EQ(records[0].engine, resultsRevisionText());
  EXPECT_FALSE(records[0].machine.empty());
  EXPECT_EQ(records[0].knobs.size(), 2u);
  EXPECT_EQ(records[0].knobs[0].maximum, 9);
  written.erase(written.begin() + 5);
  const std::vector<DesignPoint> read = must(store.points(records[0]));
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].knobs, written[i].knobs);
    EXPECT_EQ(read[i].state, written[i].state);
    EXPECT_EQ(read[i].cause, written[i].cause);
    EXPECT_EQ(read[i].fidelity, written[i].fidelity);
    EXPECT_EQ(read[i].peak_fifo_tokens, written[i].peak_fifo_tokens);
    EXPECT_EQ(read[i].wall_seconds, written[i].wall_seconds);
    if (!measured(written[i])) continue;
    for (const MetricSpec* each : registeredMetrics())
      EXPECT_EQ(exactMetric(read[i], *each), exactMetric(written[i], *each)) << each->name;
  }
}

TEST_F(Store, CountsThatNoDoubleHoldsStayExact) {
  ResultStore store = opened(file_);
  const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
  constexpr std::uint64_t large = (std::uint64_t{1} << 60) + 1;
  must(store.write(record, std::vector<Visit>{{0, pointAt(1, large, large + 2)}}));
  const std::vector<DesignPoint> read = must(store.points(record));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].metrics.cycles, large);
  EXPECT_EQ(read[0].metrics.on_chip_bytes, large + 2);
}

TEST_F(Store, KnowsPointsByKnobsLevelWorkloadAndEngine) {
  ResultStore store = opened(file_);
  const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
  const std::vector<Visit> visits = {{0, pointAt(1, 10, 1)}, {1, pointAt(2, 20, 1)}};
  must(store.write(record, visits));
  const auto found = [&](ExplorationRecord of, Fidelity fidelity) {
    of.fidelity = fidelity;
    std::set<std::int64_t> values;
    const std::vector<KnobValues> knobs = {{{"a", 2}}, {{"a", 3}}, {{"a", 1}}};
    must(store.find(of, knobs, true, [&](std::size_t i, const DesignPoint& point) {
      EXPECT_EQ(point.knobs, knobs[i]);
      values.insert(point.knobs.at("a"));
    }));
    return values;
  };
  EXPECT_EQ(found(record, Fidelity::Count), (std::set<std::int64_t>{1, 2}));
  EXPECT_TRUE(found(record, Fidelity::Symbolic).empty()) << "a measurement is no lower bound";
  EXPECT_TRUE(found(record, Fidelity::Record).empty());
  ExplorationRecord other = record;
  other.workload = "another";
  EXPECT_TRUE(found(other, Fidelity::Count).empty());
  other = record;
  other.engine = "9.9.9";
  EXPECT_TRUE(found(other, Fidelity::Count).empty());
}

TEST_F(Store, HashesWhatMattersAndNothingElse) {
  const Document document = chainDocument(3, 5, 0);
  const std::string hash = workloadHash(*workloadOf(document));
  EXPECT_EQ(hash.size(), 32u);
  Document same = document;
  same.title = "another title";
  same.program.nodes[1].at = Position{3, 4};
  same.pinned = {same.program.nodes[1].name};
  same.knobs[0].maximum = 99;
  same.knobs[0].help = "help";
  EXPECT_EQ(workloadHash(*workloadOf(same)), hash);
  Document deeper = document;
  deeper.machine.hbm_channels = 16;
  EXPECT_NE(workloadHash(*workloadOf(deeper)), hash);
  EXPECT_NE(workloadHash(*workloadOf(chainDocument(4, 5, 0))), hash);
  auto workload = *sampleWorkload(fs::path(SLUICE_SOURCE_DIR) / "sample_workloads" / "simple_moe.sluice");
  const std::string with_inputs = workloadHash(workload);
  ASSERT_FALSE(workload.inputs.empty());
  workload.inputs.begin()->second.tensor.data.back() ^= 1;
  EXPECT_NE(workloadHash(workload), with_inputs);
}

TEST_F(Store, FindsTheFrontierThatThePointsHave) {
  ResultStore store = opened(file_);
  const ExplorationRecord record = must(store.begin(recordWith({range("a", 50000)})));
  SplitMix64 random(7);
  std::vector<Visit> visits;
  std::vector<double> values;
  for (std::int64_t a = 1; a <= 40000; ++a) {
    const std::uint64_t cycles = 1 + random.below(1u << 20),
                        bytes = (std::uint64_t{1} << 40) / cycles + random.below(1u << 20);
    visits.push_back({static_cast<std::uint64_t>(a), pointAt(a, cycles, bytes)});
    values.insert(values.end(), {static_cast<double>(cycles), static_cast<double>(bytes)});
  }
  must(store.write(record, visits));
  const std::vector<DesignPoint> frontier = must(store.frontier(record, {"cycles", "on_chip_bytes"}));
  const std::vector<std::size_t> expected = paretoFrontier(values, 2);
  ASSERT_EQ(frontier.size(), expected.size());
  EXPECT_GT(frontier.size(), 20u);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(frontier[i].knobs.at("a"), static_cast<std::int64_t>(expected[i]) + 1);
}

TEST_F(Store, MergesWithoutLossAndTwiceIsOnce) {
  const fs::path other_file = folder_ / "other's.db";
  ResultStore store = opened(file_);
  const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
  must(store.write(record, std::vector<Visit>{{0, pointAt(1, 10, 1)}, {1, pointAt(2, 20, 1)}}));
  {
    ResultStore other = opened(other_file);
    const ExplorationRecord unrelated = must(other.begin(recordWith({range("a", 9)}, "v")));
    must(other.write(unrelated, std::vector<Visit>{{0, pointAt(1, 99, 1)}}));
    const ExplorationRecord there = must(other.begin(recordWith({range("a", 9)})));
    must(other.write(
        there, std::vector<Visit>{{0, pointAt(2, 21, 1)}, {1, pointAt(3, 30, 1)}, {2, pointAt(1, 10, 1)}}));
  }
  const MergeReport report = must(store.merge(other_file));
  EXPECT_EQ(report.explorations, 2u);
  EXPECT_EQ(report.points, 2u);
  EXPECT_EQ(report.known, 2u);
  EXPECT_EQ(report.different, 1u);
  const std::vector<ExplorationRecord> records = must(store.explorations());
  ASSERT_EQ(records.size(), 3u);
  const std::vector<DesignPoint> points = must(store.points(records[2]));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].metrics.cycles, 20u) << "what was here is kept";
  EXPECT_EQ(points[1].metrics.cycles, 30u);

  const MergeReport again = must(store.merge(other_file));
  EXPECT_EQ(again.explorations, 0u);
  EXPECT_EQ(again.points, 0u);
  EXPECT_EQ(must(store.explorations()).size(), 3u);
  EXPECT_EQ(must(store.points(records[2])).size(), 3u);
  expectOneClear(store.merge(file_).diagnostics(), "into itself");
}

TEST_F(Store, WritesOneTableForAll) {
  ResultStore store = opened(file_);
  const ExplorationRecord first = must(store.begin(recordWith({range("a", 9)})));
  must(store.write(first, std::vector<Visit>{{0, pointAt(1, 10, 1)}}));
  const ExplorationRecord second = must(store.begin(recordWith({choice("mode", {"x", "y,z"})}, "v")));
  DesignPoint point;
  point.knobs = {{"mode", 1}};
  point.state = PointState::Deadlocked;
  point.cause = "stuck";
  must(store.write(second, std::vector<Visit>{{0, point}}));
  std::string csv;
  const auto sink = [&](std::string_view piece) -> Result<Done> { return csv += piece, Done{}; };
  must(store.writeCsv({}, sink));
  EXPECT_THAT(csv, HasSubstr("knob_a,knob_mode,level,state,cycles"));
  EXPECT_THAT(csv, HasSubstr(",1,,count,done,10,"));
  EXPECT_THAT(csv, HasSubstr(",\"y,z\",count,deadlocked,,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  csv.clear();
  must(store.writeCsv(first.id, sink));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2);
  EXPECT_FALSE(store.writeCsv(99, sink));
}

TEST_F(Store, AKillTakesNoPointThatWasReported) {
  const auto knobs = std::vector<Knob>{range("a", 1'000'000)};
  SplitMix64 random(3);
  std::int64_t next = 1;
  for (int round = 0; round < 15; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {  // writes small and large batches until it is killed, and tells after each
      ResultStore store = opened(file_);
      const ExplorationRecord record = must(store.begin(recordWith(knobs)));
      SplitMix64 sizes(static_cast<std::uint64_t>(round));
      for (std::int64_t a = next;;) {
        std::vector<Visit> visits;
        for (std::uint64_t left = 1 + sizes.below(40); left > 0; --left, ++a)
          visits.push_back({static_cast<std::uint64_t>(a), pointAt(a, static_cast<std::uint64_t>(a), 1)});
        must(store.write(record, visits));
        const std::int64_t last = a - 1;
        if (::write(ends[1], &last, sizeof last) != sizeof last) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(20'000 + random.below(60'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::int64_t reported = next - 1, value = 0;
    while (::read(ends[0], &value, sizeof value) == sizeof value) reported = value;
    ::close(ends[0]);

    ResultStore store = opened(file_);
    ExplorationRecord record = recordWith(knobs);
    const std::vector<DesignPoint> known = must(store.known(record));
    std::set<std::int64_t> values;
    for (const DesignPoint& point : known) values.insert(point.knobs.at("a"));
    EXPECT_GE(static_cast<std::int64_t>(values.size()), reported) << "round " << round;
    for (std::int64_t a = 1; a <= reported; ++a)
      ASSERT_TRUE(values.contains(a)) << a << " in round " << round;
    EXPECT_EQ(integrity(file_), "ok");
    next = static_cast<std::int64_t>(values.size()) + 1;
  }
  EXPECT_GT(next, 100) << "the child has hardly written anything";
}

TEST_F(Store, TwoProcessesShareIt) {
  const auto knobs = std::vector<Knob>{range("a", 1'000'000)};
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      ResultStore store = opened(file_);  // both make it
      const ExplorationRecord record = must(store.begin(recordWith(knobs)));
      for (std::int64_t a = 0; a < 300; ++a) {  // every third is the other's, too
        const std::int64_t value = a % 3 == 0 ? a : 10'000 * (process + 1) + a;
        must(store.write(record, std::vector<Visit>{{static_cast<std::uint64_t>(a), pointAt(value, 5, 5)}}));
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  ResultStore store = opened(file_);
  EXPECT_EQ(must(store.known(recordWith(knobs))).size(), 100u + 2 * 200u);
  for (const ExplorationRecord& record : must(store.explorations())) EXPECT_EQ(record.points, 300u);
  EXPECT_EQ(integrity(file_), "ok");
}

TEST_F(Store, AFullDiskLosesNothingThatWasWritten) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=640k") != 0) GTEST_SKIP() << "may not mount a tmpfs";
  const fs::path file = disk / "results.db";
  std::int64_t written = 0;
  {
    ResultStore store = opened(file);
    const ExplorationRecord record = must(store.begin(recordWith({range("a", 1'000'000)})));
    Diagnostics wrong;
    while (wrong.empty() && written < 100'000) {
      std::vector<Visit> visits;
      for (std::int64_t a = written + 1; a <= written + 50; ++a)
        visits.push_back({static_cast<std::uint64_t>(a), pointAt(a, 1, 1)});
      const Result<Done> done = store.write(record, visits);
      if (done) written += 50;
      if (!done) wrong = done.diagnostics();
    }
    expectOneClear(wrong, "full");
    EXPECT_GT(written, 100);
    EXPECT_EQ(must(store.points(record)).size(), static_cast<std::size_t>(written));
  }
  EXPECT_EQ(integrity(file), "ok");
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Store, AReadOnlyFolderIsReadAndNotWritten) {
  {
    ResultStore store = opened(file_);
    const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
    must(store.write(record, std::vector<Visit>{{0, pointAt(1, 10, 1)}}));
  }
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  // Root may write anywhere but on a disk that is mounted so.
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=4m") != 0) GTEST_SKIP() << "may not mount a tmpfs";
  fs::copy_file(file_, disk / "results.db");
  ASSERT_EQ(::mount("none", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=4m"), 0);
  const Result<ResultStore> refused = ResultStore::open(disk / "results.db", ResultStore::Access::Write);
  ASSERT_FALSE(refused);
  expectOneClear(refused.diagnostics(), "read-only");
  const Result<ResultStore> no_new = ResultStore::open(disk / "new.db", ResultStore::Access::Write);
  ASSERT_FALSE(no_new);
  expectOneClear(no_new.diagnostics(), "read-only");
  ResultStore store = opened(disk / "results.db", ResultStore::Access::Read);
  EXPECT_EQ(must(store.explorations()).at(0).points, 1u);
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Store, DamagedAndForeignFilesAreToldApart) {
  {
    ResultStore store = opened(file_);
    const ExplorationRecord record = must(store.begin(recordWith({range("a", 10'000)})));
    std::vector<Visit> visits;
    for (std::int64_t a = 1; a <= 5000; ++a)
      visits.push_back({static_cast<std::uint64_t>(a), pointAt(a, 1, 1)});
    must(store.write(record, visits));
  }
  const auto whole = fs::file_size(file_);
  ASSERT_GT(whole, 100'000u);
  const fs::path cut = folder_ / "cut.db";
  for (const double share : {0.9, 0.5, 0.1, 0.01}) {
    fs::copy_file(file_, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, static_cast<std::uintmax_t>(static_cast<double>(whole) * share));
    for (const auto access : {ResultStore::Access::Write, ResultStore::Access::Read}) {
      Result<ResultStore> store = ResultStore::open(cut, access);
      ASSERT_FALSE(store) << share;
      expectOneClear(store.diagnostics(), share > 0.02 ? "damaged" : "");
    }
  }
  std::ofstream(folder_ / "text.db")
      << "this is not a database, but it is long enough to look like something\n";
  expectOneClear(ResultStore::open(folder_ / "text.db", ResultStore::Access::Write).diagnostics(),
                 "not a result store");
  sqlite3* foreign = nullptr;
  sqlite3_open((folder_ / "foreign.db").c_str(), &foreign);
  sqlite3_exec(foreign, "CREATE TABLE mine(x)", nullptr, nullptr, nullptr);
  sqlite3_close(foreign);
  expectOneClear(ResultStore::open(folder_ / "foreign.db", ResultStore::Access::Write).diagnostics(),
                 "another program");
  expectOneClear(ResultStore::open(folder_ / "none" / "x.db", ResultStore::Access::Write).diagnostics(),
                 "cannot be opened");
  expectOneClear(ResultStore::open(folder_ / "none.db", ResultStore::Access::Read).diagnostics(),
                 "no such file", Where::File);
}

TEST_F(Store, AnEndedExplorationIsOneFile) {
  const auto workload = workloadOf(chainDocument(4, 50, 0));
  ExploreOptions options;
  {
    const auto store = must(SqlitePointStore::open(file_, recordOf(*workload, options, "chain"), false, {}));
    options.store = store.get();
    must(explore(*workload, *makeExecutor(2), options));
    must(store->finish());
  }
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path(), file_) << "is left over";
  fs::copy_file(file_, folder_ / "copy.db");
  ResultStore copy = opened(folder_ / "copy.db", ResultStore::Access::Read);
  EXPECT_EQ(must(copy.explorations()).at(0).points, 16u);
}

TEST_F(Store, ALogThatCannotBeReadIsNotPassedOver) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=4m") != 0) GTEST_SKIP() << "may not mount a tmpfs";
  {
    ResultStore store = opened(file_);
    const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
    must(store.write(record, std::vector<Visit>{{0, pointAt(1, 10, 1)}}));
    fs::copy_file(file_, disk / "results.db");  // as somebody copies it while it is written
    fs::copy_file(file_.string() + "-wal", disk / "results.db-wal");
  }
  ASSERT_EQ(::mount("none", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=4m"), 0);
  const Result<ResultStore> store = ResultStore::open(disk / "results.db", ResultStore::Access::Read);
  ::umount2(disk.c_str(), MNT_DETACH);
  ASSERT_FALSE(store) << "its points are in the log alone";
  expectOneClear(store.diagnostics(), "results.db-wal");
}

TEST_F(Store, KeepsWhyAPointDeadlocks) {
  ResultStore store = opened(file_);
  const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
  DesignPoint point = pointAt(1, 0, 1);
  point.state = PointState::Deadlocked;
  point.deadlock = DeadlockCause{{"fork", "a \"join\""}, {"fork.0 -> join.1"}, 42, 2};
  must(store.write(record, std::vector<Visit>{{0, point}}));
  const std::vector<DesignPoint> read = must(store.points(record));
  ASSERT_EQ(read.size(), 1u);
  ASSERT_TRUE(read[0].deadlock);
  EXPECT_EQ(read[0].deadlock->members, point.deadlock->members);
  EXPECT_EQ(read[0].deadlock->full, point.deadlock->full);
  EXPECT_EQ(read[0].deadlock->closed_at, 42u);
  EXPECT_EQ(read[0].deadlock->wait_cycles, 2u);
}

TEST_F(Store, AnOlderStoreGetsTheColumnsItLacks) {
  {
    ResultStore store = opened(file_);
    const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
    must(store.write(record, std::vector<Visit>{{0, pointAt(1, 10, 1)}}));
  }
  sqlite3* handle = nullptr;
  sqlite3_open(file_.c_str(), &handle);
  ASSERT_EQ(sqlite3_exec(handle, "DROP VIEW results; ALTER TABLE points DROP COLUMN deadlock", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(handle);
  const std::string before = *readFile(file_);
  {
    ResultStore store = opened(file_, ResultStore::Access::Read);
    const ExplorationRecord record = must(store.explorations()).at(0);
    EXPECT_EQ(must(store.points(record)).at(0).metrics.cycles, 10u);
    std::size_t lines = 0;
    must(store.writeCsv({}, [&](std::string_view piece) -> Result<Done> {
      lines += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
      return Done{};
    }));
    EXPECT_EQ(lines, 2u);
    ResultStore other = opened(folder_ / "other.db");
    EXPECT_EQ(must(other.merge(file_)).points, 1u);
    EXPECT_EQ(must(other.points(must(other.explorations()).at(0))).at(0).metrics.cycles, 10u);
  }
  EXPECT_EQ(*readFile(file_), before) << "who reads changes nothing";
  ResultStore store = opened(file_);
  must(store.write(must(store.explorations()).at(0), std::vector<Visit>{{1, pointAt(2, 20, 1)}}));
  EXPECT_EQ(must(store.explorations()).at(0).points, 2u);
}

TEST_F(Store, AnExplorationGoesOnWhereItStopped) {
  const auto workload = workloadOf(chainDocument(4, 50, 0));
  const auto executor = makeExecutor(2);
  ExploreOptions options;
  const auto run = [&](std::uint64_t stop_after, bool resume) {
    std::stop_source stop;
    options.stop = stop.get_token();
    std::uint64_t evaluated = 0;
    const auto store =
        must(SqlitePointStore::open(file_, recordOf(*workload, options, "chain"), resume, stop));
    options.store = store.get();
    options.on_point = [&](std::uint64_t, const DesignPoint&, const ExploreProgress&) {
      if (++evaluated == stop_after) stop.request_stop();
    };
    Exploration exploration = must(explore(*workload, *executor, options));
    must(store->finish());
    return exploration;
  };
  const Exploration first = run(5, false);
  EXPECT_TRUE(first.cancelled);
  ASSERT_LT(first.points.size(), 16u);
  const Exploration second = run(1000, true);
  EXPECT_FALSE(second.cancelled);
  EXPECT_EQ(second.points.size(), 16u);
  EXPECT_EQ(second.reused, first.points.size());
  const Exploration third = run(1000, true);
  EXPECT_EQ(third.reused, 16u);
  EXPECT_EQ(third.frontier, second.frontier);
  ResultStore store = opened(file_, ResultStore::Access::Read);
  const std::vector<ExplorationRecord> records = must(store.explorations());
  ASSERT_EQ(records.size(), 1u) << "it is the same exploration";
  EXPECT_EQ(records[0].points, 16u);
}

}  // namespace sluice::result_store_test
