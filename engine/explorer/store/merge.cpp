// Joining two stores: what ran on two machines, or in the shards of a job array.

#include "engine/explorer/store/impl.h"

namespace sluice::inline explorer {

using store::Database;
using store::Statement;
using store::Transaction;

namespace {

/// Numbers of `other` -> numbers here.
constexpr const char* bring_records = R"sql(
INSERT OR IGNORE INTO main.workloads(hash, engine) SELECT hash, engine FROM other.workloads;
CREATE TEMP TABLE new_workload AS SELECT o.id AS old, m.id AS new
  FROM other.workloads o JOIN main.workloads m ON m.hash = o.hash AND m.engine = o.engine;
CREATE UNIQUE INDEX temp.new_workload_old ON new_workload(old);
INSERT OR IGNORE INTO main.explorations(uuid, workload, title, file, knobs, strategy, seed, budget, level,
    objectives, machine, started)
  SELECT e.uuid, w.new, e.title, e.file, e.knobs, e.strategy, e.seed, e.budget, e.level, e.objectives, e.machine,
    e.started FROM other.explorations e JOIN new_workload w ON w.old = e.workload ORDER BY e.id;
CREATE TEMP TABLE new_exploration AS SELECT o.id AS old, m.id AS new
  FROM other.explorations o JOIN main.explorations m ON m.uuid = o.uuid;
CREATE UNIQUE INDEX temp.new_exploration_old ON new_exploration(old);
)sql";

constexpr const char* same_point =
    "FROM temp.other_points p JOIN new_workload w ON w.old = p.workload "
    "JOIN main.points m ON m.workload = w.new AND m.knobs = p.knobs AND m.level = p.level";

constexpr const char* bring_visits = R"sql(
INSERT OR IGNORE INTO main.visits(exploration, number, point)
  SELECT x.new, v.number, m.id FROM other.visits v JOIN new_exploration x ON x.old = v.exploration
    JOIN temp.other_points p ON p.id = v.point JOIN new_workload w ON w.old = p.workload
    JOIN main.points m ON m.workload = w.new AND m.knobs = p.knobs AND m.level = p.level;
DROP VIEW temp.other_points;
DROP TABLE temp.new_workload;
DROP TABLE temp.new_exploration;
)sql";

constexpr const char* bring_traces = R"sql(
INSERT OR IGNORE INTO main.traces(exploration, number, name, workload)
  SELECT x.new, t.number, t.name, w.new FROM other.traces t JOIN new_exploration x ON x.old = t.exploration
    JOIN new_workload w ON w.old = t.workload;
)sql";

std::string differs() {
  std::string condition = "m.state IS NOT p.state";
  for (const std::string& name : metricNames())
    condition += " OR m.\"" + name + "\" IS NOT p.\"" + name + "\"";
  return condition;
}

/// Statements one after the other, until one fails.
class Script {
 public:
  explicit Script(Database& database) : database_(database) {}

  Script& run(const std::string& sql) {
    if (result_) result_ = database_.execute(sql);
    return *this;
  }
  Script& count(std::uint64_t& into, const std::string& sql) {
    if (!result_) return *this;
    const auto number = database_.number("SELECT count(*) " + sql);
    if (number) into = static_cast<std::uint64_t>(number->value_or(0));
    if (!number) result_ = number.diagnostics();
    return *this;
  }
  const Result<Done>& result() const { return result_; }

 private:
  Database& database_;
  Result<Done> result_ = Done{};
};

/// Reads the one, adds to the other, in one transaction.
Result<MergeReport> bring(Database& database) {
  const std::string bring_points = "INSERT OR IGNORE INTO main.points(workload, exploration, time, " +
                                   store::pointColumns("") + ") SELECT w.new, x.new, p.time, " +
                                   store::pointColumns("p.") +
                                   " FROM temp.other_points p JOIN new_workload w ON w.old = p.workload "
                                   "JOIN new_exploration x ON x.old = p.exploration ORDER BY p.id";
  SLUICE_TRY(const std::string other_points, store::pointsWithAllColumns(database, "other"));
  SLUICE_TRY(Transaction transaction, Transaction::begin(database));
  MergeReport before, after;
  Script script(database);
  script.run("CREATE TEMP VIEW other_points AS " + other_points);
  script.count(before.explorations, "FROM main.explorations").run(bring_records);
  script.count(after.explorations, "FROM main.explorations");
  script.count(after.known, same_point).count(after.different, same_point + (" WHERE " + differs()));
  script.count(before.points, "FROM main.points").run(bring_points).count(after.points, "FROM main.points");
  SLUICE_TRY(const auto has_traces,
             database.number("SELECT count(*) FROM other.sqlite_master WHERE name = 'traces'"));
  if (has_traces.value_or(0) > 0) script.run(bring_traces);
  script.run(bring_visits);
  if (!script.result()) return script.result().diagnostics();
  SLUICE_CHECK(transaction.commit());
  return MergeReport{after.explorations - before.explorations, after.points - before.points, after.known,
                     after.different};
}

}  // namespace

Result<MergeReport> ResultStore::merge(const std::filesystem::path& other) {
  std::error_code ignored;
  if (std::filesystem::equivalent(other, impl_->file, ignored)) {
    return error("store-mismatch", Location(Where::Store, other.string()), "it is to be merged into itself",
                 "name two different stores");
  }
  SLUICE_TRY(const ResultStore source, open(other, Access::Read));
  Database& database = impl_->database;
  SLUICE_TRY(Statement attach, database.prepare("ATTACH ? AS other"));
  attach.bind(1, source.impl_->database.readOnlyUri());
  if (const int code = attach.run(); code != SQLITE_DONE)
    return store::sqliteProblem(other, code, database.problem(code).cause);
  const Result<MergeReport> report = bring(database);
  const Result<Done> detached = database.execute("DETACH other");
  if (report && !detached) return detached.diagnostics();
  return report;
}

}  // namespace sluice::inline explorer
