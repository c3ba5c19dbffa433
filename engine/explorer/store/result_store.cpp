#include "engine/explorer/store/result_store.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>

#include "engine/explorer/pareto.h"
#include "engine/explorer/results_revision.h"
#include "engine/explorer/store/impl.h"
#include "engine/explorer/tables.h"

namespace sluice::inline explorer {

using store::Database;
using store::KnobCodec;
using store::Statement;
using store::Transaction;

namespace {

/// Not where a plug-in has brought a metric since the point was stored. A technology may have none of its
/// own, and what it has is part of the workload.
bool isComplete(const DesignPoint& point) {
  return !measured(point) || std::ranges::all_of(metricsWith(false), [&](const MetricSpec* metric) {
    return !metric->knownAt(point.fidelity) || exactMetric(point, *metric);
  });
}

std::string newUuid() {
  std::random_device device;
  std::string digits;
  for (int word = 0; word < 4; ++word) {
    std::uint32_t bits = device();
    for (int i = 0; i < 8; ++i, bits >>= 4) digits += "0123456789abcdef"[bits & 15];
  }
  return digits;
}

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

Result<Done> refuseFolder(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(file, ignored)) return Done{};
  return error("file-is-folder", Location(Where::File, file.string()), "this is a folder, not a file",
               "name a file in it, for example " + (file / "results.db").string());
}

Result<Database> openForReading(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return error("file-not-found", Location(Where::File, file.string()), "there is no such file",
                 "check the name; `sluice-cli explore` and `design` make one with `--store FILE`");
  }
  SLUICE_CHECK(refuseFolder(file));
  if (std::filesystem::is_regular_file(file, ignored) && std::filesystem::file_size(file, ignored) == 0) {
    return error("empty-file", Location(Where::File, file.string()),
                 "the file is empty: no exploration was begun in it",
                 "name another store, or fill it by `sluice-cli explore` or `design` with `--store FILE`");
  }
  Result<Database> opened = Database::open(file, SQLITE_OPEN_READONLY);
  if (!opened) return opened;
  const auto looked = opened->number("SELECT count(*) FROM sqlite_master");
  if (looked) return opened;
  std::filesystem::path log = file;
  log += "-wal";
  if (std::filesystem::exists(log, ignored) && std::filesystem::file_size(log, ignored) > 0) {
    return error("file-unreadable", Location(Where::Store, file.string()),
                 "what was written last lies beside it, in " + log.filename().string() +
                     ", and cannot be read from here: " + looked.diagnostics().front().cause,
                 "copy both to a folder that may be written, and read them there");
  }
  // In a read-only folder there is no place for SQLite's shared memory.
  Result<Database> still = Database::open(file, SQLITE_OPEN_READONLY, "immutable=1");
  if (still && still->number("SELECT count(*) FROM sqlite_master")) return still;
  return looked.diagnostics();
}

Result<Database> openForWriting(const std::filesystem::path& file) {
  SLUICE_CHECK(refuseFolder(file));
  // Beside the file SQLite needs room for its log; it would only say that it cannot open something.
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (::access(folder.c_str(), W_OK) != 0 && errno != ENOENT)
    return store::sqliteProblem(file, SQLITE_READONLY, "the folder: " + std::string(std::strerror(errno)));
  Result<Database> opened = Database::open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!opened) return opened;
  // FULL: a commit is on the disk, not only in the system's memory.
  SLUICE_CHECK(opened->execute(
      "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = "
      "MEMORY"));
  SLUICE_CHECK(store::makeSchema(*opened));
  // After the schema: a file that is not ours is not touched.
  SLUICE_CHECK(opened->execute("PRAGMA journal_mode = WAL"));
  return opened;
}

constexpr const char* record_columns =
    "e.id, e.uuid, w.hash, e.title, e.file, e.knobs, e.strategy, e.seed, e.budget, e.level, e.objectives, "
    "w.engine, e.machine, e.started, (SELECT count(*) FROM visits v WHERE v.exploration = e.id) "
    "FROM explorations e JOIN workloads w ON w.id = e.workload ";

ExplorationRecord readRecord(const Statement& row) {
  ExplorationRecord record;
  record.id = row.integer(0);
  record.uuid = row.text(1);
  record.workload = row.text(2);
  record.title = row.text(3);
  record.file = row.text(4);
  record.knobs = store::knobsFrom(row.text(5));
  record.strategy = row.text(6);
  record.seed = static_cast<std::uint64_t>(row.integer(7));
  record.budget = static_cast<std::uint64_t>(row.integer(8));
  record.fidelity = static_cast<Fidelity>(std::clamp<std::int64_t>(row.integer(9), 0, 2));
  record.objectives = store::listFrom(row.text(10));
  record.engine = row.text(11);
  record.machine = row.text(12);
  record.started = row.text(13);
  record.points = static_cast<std::uint64_t>(row.integer(14));
  return record;
}

}  // namespace

ExplorationRecord explorationHere() {
  ExplorationRecord record;
  record.engine = resultsRevisionText();
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) record.machine = name.data();
  return record;
}

Result<std::int64_t> ResultStore::Impl::workloadId(const ExplorationRecord& record) {
  if (record.workload == known_workload && record.engine == known_engine) return known_id;
  SLUICE_TRY(Statement find, database.prepare("SELECT id FROM workloads WHERE hash = ? AND engine = ?"));
  find.bind(1, record.workload).bind(2, record.engine);
  const int code = find.step();
  if (code == SQLITE_DONE) return std::int64_t{0};
  if (code != SQLITE_ROW) return database.problem(code);
  known_workload = record.workload;
  known_engine = record.engine;
  return known_id = find.integer(0);
}

ResultStore::ResultStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ResultStore::ResultStore(ResultStore&&) noexcept = default;
ResultStore& ResultStore::operator=(ResultStore&&) noexcept = default;
ResultStore::~ResultStore() = default;

const std::filesystem::path& ResultStore::file() const {
  return impl_->file;
}

Result<ResultStore> ResultStore::open(const std::filesystem::path& file, Access access) {
  SLUICE_TRY(Database opened, access == Access::Read ? openForReading(file) : openForWriting(file));
  SLUICE_CHECK(store::checkSchema(opened));
  if (access == Access::Read && !opened.prepare("SELECT " + store::pointColumns("") + " FROM points")) {
    // Written by an older Sluice. It stays as it is; who reads sees a table with all columns.
    SLUICE_TRY(const std::string all, store::pointsWithAllColumns(opened, "main"));
    SLUICE_CHECK(opened.execute("CREATE TEMP VIEW points AS " + all));
  }
  return ResultStore(std::make_unique<Impl>(file, std::move(opened)));
}

Result<ExplorationRecord> ResultStore::begin(ExplorationRecord record) {
  SLUICE_TRY(Transaction transaction, Transaction::begin(impl_->database));
  Result<ExplorationRecord> begun = impl_->insert(std::move(record));
  if (!begun) return begun;
  SLUICE_CHECK(transaction.commit());
  return begun;
}

Result<ExplorationRecord> ResultStore::resume(ExplorationRecord record) {
  SLUICE_TRY(Transaction transaction, Transaction::begin(impl_->database));
  SLUICE_TRY(std::optional<ExplorationRecord> earlier, impl_->latest(record));
  if (earlier) return *std::move(earlier);
  Result<ExplorationRecord> begun = impl_->insert(std::move(record));
  if (!begun) return begun;
  SLUICE_CHECK(transaction.commit());
  return begun;
}

Result<ExplorationRecord> ResultStore::Impl::insert(ExplorationRecord record) {
  SLUICE_TRY(Statement workload,
             database.prepare("INSERT OR IGNORE INTO workloads(hash, engine) VALUES(?, ?)"));
  workload.bind(1, record.workload).bind(2, record.engine);
  if (const int code = workload.run(); code != SQLITE_DONE) return database.problem(code);
  SLUICE_TRY(const std::int64_t id, workloadId(record));

  if (record.uuid.empty()) {
    record.uuid = newUuid();
    record.started = utcNow();
  } else {
    SLUICE_TRY(Statement here,
               database.prepare(std::string("SELECT ") + record_columns + "WHERE e.uuid = ?"));
    here.bind(1, record.uuid);
    if (here.step() == SQLITE_ROW) return readRecord(here);
  }
  record.points = 0;
  SLUICE_TRY(
      Statement add,
      database.prepare(
          "INSERT INTO explorations(uuid, workload, title, file, knobs, strategy, seed, budget, level, "
          "objectives, "
          "machine, started) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  add.bind(1, record.uuid).bind(2, id).bind(3, record.title).bind(4, record.file);
  add.bind(5, store::knobsText(record.knobs)).bind(6, record.strategy);
  add.bind(7, static_cast<std::int64_t>(record.seed)).bind(8, static_cast<std::int64_t>(record.budget));
  add.bind(9, static_cast<std::int64_t>(record.fidelity)).bind(10, store::listText(record.objectives));
  add.bind(11, record.machine).bind(12, record.started);
  if (const int code = add.run(); code != SQLITE_DONE) return database.problem(code);
  record.id = database.lastRow();
  return record;
}

Result<std::optional<ExplorationRecord>> ResultStore::Impl::latest(const ExplorationRecord& like) {
  SLUICE_TRY(Statement find,
             database.prepare(std::string("SELECT ") + record_columns +
                              "WHERE w.hash = ? AND w.engine = ? AND e.strategy = ? AND e.seed = ? AND "
                              "e.level = ? AND e.objectives = ? AND "
                              "e.machine = ? AND e.knobs = ? AND e.budget = ? ORDER BY e.id DESC LIMIT 1"));
  find.bind(1, like.workload).bind(2, like.engine).bind(3, like.strategy);
  find.bind(4, static_cast<std::int64_t>(like.seed)).bind(5, static_cast<std::int64_t>(like.fidelity));
  find.bind(6, store::listText(like.objectives)).bind(7, like.machine).bind(8, store::knobsText(like.knobs));
  find.bind(9, static_cast<std::int64_t>(like.budget));
  const int code = find.step();
  if (code == SQLITE_DONE) return std::optional<ExplorationRecord>();
  if (code != SQLITE_ROW) return database.problem(code);
  return std::optional(readRecord(find));
}

Result<Done> ResultStore::write(const ExplorationRecord& exploration, std::span<const Visit> visits) {
  Database& database = impl_->database;
  SLUICE_CHECK(impl_->prepareWriting());
  const KnobCodec codec(exploration.knobs);
  SLUICE_TRY(Transaction transaction, Transaction::begin(database));
  const auto idOf = [&](const Visit& visit) {
    ExplorationRecord of;
    of.workload = visit.workload.empty() ? exploration.workload : visit.workload;
    of.engine = exploration.engine;
    return impl_->workloadId(of);
  };
  const std::int64_t now = std::time(nullptr);
  for (const Visit& visit : visits) {
    if (visit.point.state == PointState::Cancelled) continue;
    const std::string knobs = codec.encode(visit.point.knobs);
    SLUICE_TRY(const std::int64_t workload, idOf(visit));
    if (visit.known) {
      Statement& add = *impl_->add_known;
      add.bind(1, exploration.id).bind(2, static_cast<std::int64_t>(visit.number.value_or(0)));
      add.bind(3, workload).bind(4, knobs).bind(5, static_cast<std::int64_t>(visit.point.fidelity));
      if (const int code = add.run(); code != SQLITE_DONE) return database.problem(code);
      continue;
    }
    Statement& add = *impl_->add_point;
    add.bind(1, workload).bind(2, exploration.id).bind(3, now);
    store::bindPoint(add, 4, knobs, visit.point);
    const int code = add.step();
    const std::int64_t id = code == SQLITE_ROW ? add.integer(0) : 0;
    add.reset();
    if (code != SQLITE_ROW) return database.problem(code);
    if (!visit.number) continue;
    impl_->add_visit->bind(1, exploration.id).bind(2, static_cast<std::int64_t>(*visit.number)).bind(3, id);
    if (const int done = impl_->add_visit->run(); done != SQLITE_DONE) return database.problem(done);
  }
  return transaction.commit();
}

Result<Done> ResultStore::Impl::prepareWriting() {
  if (add_point) return Done{};
  const std::string metrics = store::pointColumns("");
  std::string marks = "?, ?, ?", updates = "exploration = excluded.exploration, time = excluded.time";
  for (std::size_t i = 0; i < store::point_column_count + metricNames().size(); ++i) marks += ", ?";
  for (const char* name : {"state", "cause", "wall_seconds", "peak_fifo_tokens", "deadlock", "failed_at"})
    updates += std::string(", ") + name + " = excluded." + name;
  for (const std::string& name : metricNames()) updates += ", \"" + name + "\" = excluded.\"" + name + "\"";
  SLUICE_TRY(
      Statement point,
      database.prepare("INSERT INTO points(workload, exploration, time, " + metrics + ") VALUES(" + marks +
                       ") ON CONFLICT(workload, knobs, level) DO UPDATE SET " + updates + " RETURNING id"));
  SLUICE_TRY(Statement visit,
             database.prepare("INSERT OR REPLACE INTO visits(exploration, number, point) VALUES(?, ?, ?)"));
  SLUICE_TRY(Statement known,
             database.prepare(
                 "INSERT OR REPLACE INTO visits(exploration, number, point) SELECT ?, ?, id FROM points "
                 "WHERE workload = ? AND knobs = ? AND level = ?"));
  add_point.emplace(std::move(point));
  add_known.emplace(std::move(known));
  add_visit.emplace(std::move(visit));
  return Done{};
}

Result<Done> ResultStore::find(const ExplorationRecord& of, std::span<const KnobValues> knobs, bool or_higher,
                               const Found& found) {
  Database& database = impl_->database;
  SLUICE_TRY(const std::int64_t workload, impl_->workloadId(of));
  if (workload == 0) return Done{};
  if (!impl_->find_point) {
    SLUICE_TRY(Statement find,
               database.prepare("SELECT " + store::pointColumns("") +
                                " FROM points WHERE workload = ? AND knobs = ? AND level BETWEEN ? "
                                "AND ? ORDER BY level DESC LIMIT 1"));
    impl_->find_point.emplace(std::move(find));
  }
  const KnobCodec codec(of.knobs);
  const Fidelity highest = or_higher && of.fidelity != Fidelity::Symbolic ? Fidelity::Record : of.fidelity;
  Statement& find = *impl_->find_point;
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    find.bind(1, workload).bind(2, codec.encode(knobs[i])).bind(3, static_cast<std::int64_t>(of.fidelity));
    find.bind(4, static_cast<std::int64_t>(highest));
    const int code = find.step();
    std::optional<DesignPoint> point;
    if (code == SQLITE_ROW) point = store::readPoint(find, 0, codec);
    find.reset();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return database.problem(code);
    if (point && isComplete(*point)) found(i, *std::move(point));
  }
  return Done{};
}

Result<std::vector<DesignPoint>> ResultStore::Impl::read(Statement& rows, const std::vector<Knob>& knobs) {
  const KnobCodec codec(knobs);
  std::vector<DesignPoint> points;
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    if (std::optional<DesignPoint> point = store::readPoint(rows, 0, codec))
      points.push_back(*std::move(point));
  }
  if (code != SQLITE_DONE) return database.problem(code);
  return points;
}

Result<std::vector<DesignPoint>> ResultStore::known(const ExplorationRecord& of) {
  SLUICE_TRY(const std::int64_t workload, impl_->workloadId(of));
  SLUICE_TRY(Statement rows,
             impl_->database.prepare("SELECT " + store::pointColumns("") +
                                     " FROM points NOT INDEXED WHERE workload = ? AND level = ?"));
  rows.bind(1, workload).bind(2, static_cast<std::int64_t>(of.fidelity));
  SLUICE_TRY(std::vector<DesignPoint> points, impl_->read(rows, of.knobs));
  std::erase_if(points, [](const DesignPoint& point) { return !isComplete(point); });
  return points;
}

Result<std::vector<ExplorationRecord>> ResultStore::explorations() {
  SLUICE_TRY(Statement rows,
             impl_->database.prepare(std::string("SELECT ") + record_columns + "ORDER BY e.id"));
  std::vector<ExplorationRecord> records;
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) records.push_back(readRecord(rows));
  if (code != SQLITE_DONE) return impl_->database.problem(code);
  return records;
}

Result<ExplorationRecord> ResultStore::exploration(std::int64_t id) {
  SLUICE_TRY(Statement row,
             impl_->database.prepare(std::string("SELECT ") + record_columns + "WHERE e.id = ?"));
  row.bind(1, id);
  const int code = row.step();
  if (code == SQLITE_ROW) return readRecord(row);
  if (code != SQLITE_DONE) return impl_->database.problem(code);
  return error("unknown-name", Location(Where::Store, impl_->file.string()),
               "it has no exploration " + std::to_string(id), "`sluice-cli explorations FILE` lists them");
}

Result<std::vector<DesignPoint>> ResultStore::points(const ExplorationRecord& exploration) {
  std::vector<DesignPoint> points;
  SLUICE_CHECK(visits(exploration, [&](const Visit& visit) -> Result<Done> {
    points.push_back(visit.point);
    return Done{};
  }));
  return points;
}

Result<Done> ResultStore::visits(const ExplorationRecord& exploration,
                                 const std::function<Result<Done>(const Visit&)>& each) {
  SLUICE_TRY(
      Statement rows,
      impl_->database.prepare(
          "SELECT v.number, " + store::pointColumns("p.") +
          " FROM visits v CROSS JOIN points p ON p.id = v.point WHERE v.exploration = ? ORDER BY v.number"));
  rows.bind(1, exploration.id);
  const KnobCodec codec(exploration.knobs);
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    std::optional<DesignPoint> point = store::readPoint(rows, 1, codec);
    if (!point) continue;
    const Visit visit{static_cast<std::uint64_t>(rows.integer(0)), *std::move(point), false};
    SLUICE_CHECK(each(visit));
  }
  if (code != SQLITE_DONE) return impl_->database.problem(code);
  return Done{};
}

}  // namespace sluice::inline explorer
