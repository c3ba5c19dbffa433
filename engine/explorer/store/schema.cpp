#include "engine/explorer/store/schema.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/core/enum_names.h"
#include "engine/core/json_extent.h"
#include "engine/explorer/deadlock_cause.h"
#include "engine/explorer/tables.h"

namespace sluice::inline explorer::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr int application_id = 0x534c5543;  // "SLUC"
constexpr int schema_version = 1;

constexpr const char* tables = R"sql(
CREATE TABLE workloads(
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  engine TEXT NOT NULL,
  UNIQUE(hash, engine));
CREATE TABLE explorations(
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  workload INTEGER NOT NULL REFERENCES workloads,
  title TEXT NOT NULL,
  file TEXT NOT NULL,
  knobs TEXT NOT NULL,
  strategy TEXT NOT NULL,
  seed INTEGER NOT NULL,
  budget INTEGER NOT NULL,
  level INTEGER NOT NULL,
  objectives TEXT NOT NULL,
  machine TEXT NOT NULL,
  started TEXT NOT NULL);
CREATE TABLE points(
  id INTEGER PRIMARY KEY,
  workload INTEGER NOT NULL REFERENCES workloads,
  exploration INTEGER NOT NULL REFERENCES explorations,
  time INTEGER NOT NULL,
  knobs TEXT NOT NULL,
  level INTEGER NOT NULL,
  state TEXT NOT NULL,
  cause TEXT NOT NULL,
  wall_seconds REAL NOT NULL,
  peak_fifo_tokens INTEGER,
  deadlock TEXT,
  UNIQUE(workload, knobs, level));
CREATE TABLE visits(
  exploration INTEGER NOT NULL REFERENCES explorations,
  number INTEGER NOT NULL,
  point INTEGER NOT NULL REFERENCES points,
  PRIMARY KEY(exploration, number)) WITHOUT ROWID;
)sql";

/// Of explorations over sets of traces; older stores have none.
constexpr const char* trace_table = R"sql(
CREATE TABLE IF NOT EXISTS traces(
  exploration INTEGER NOT NULL REFERENCES explorations,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  workload INTEGER NOT NULL REFERENCES workloads,
  PRIMARY KEY(exploration, number)) WITHOUT ROWID;
)sql";

/// For people and notebooks: what belongs together in one row, numbers spelled out.
constexpr const char* view = R"sql(
CREATE VIEW results AS
SELECT v.exploration AS exploration, v.number AS number, w.hash AS workload, e.title AS title,
  w.engine AS engine, o.machine AS machine, e.strategy AS strategy, e.seed AS seed,
  CASE p.level WHEN 0 THEN 'symbolic' WHEN 1 THEN 'count' ELSE 'record' END AS level_name,
  datetime(p.time, 'unixepoch') AS finished, p.*
FROM visits v JOIN points p ON p.id = v.point JOIN explorations e ON e.id = v.exploration
  JOIN workloads w ON w.id = p.workload JOIN explorations o ON o.id = p.exploration;
)sql";

/// Null for what is no JSON, or too much of it.
Json parsed(const std::string& json) {
  Json value = tooMuchJson(json) ? Json() : Json::parse(json, nullptr, false);
  return value.is_discarded() ? Json() : value;
}

std::string dumped(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The texts of a list.
std::vector<std::string> textsOf(const Json& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Json& one : list)
    if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

constexpr EnumName<KnobKind> kind_names[] = {{KnobKind::Range, "range"},
                                             {KnobKind::List, "list"},
                                             {KnobKind::PowerOfTwo, "power_of_two"},
                                             {KnobKind::Choice, "choice"}};

std::string quotedName(const std::string& name) {
  return "\"" + name + "\"";
}

/// Of the table of points in "main", or in what is attached under another name.
Result<std::vector<std::string>> columnsOf(Database& database, const std::string& in) {
  SLUICE_TRY(Statement rows, database.prepare("PRAGMA " + in + ".table_info(points)"));
  std::vector<std::string> names;
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) names.push_back(rows.text(1));
  if (code != SQLITE_DONE) return database.problem(code);
  return names;
}

using Columns = std::vector<std::pair<std::string, const char*>>;  ///< name and type

/// Those that an older version did not know.
Result<Columns> missingColumns(Database& database, const std::string& in) {
  SLUICE_TRY(const std::vector<std::string> have, columnsOf(database, in));
  Columns columns = {{"deadlock", " TEXT"}, {"failed_at", " TEXT"}};
  for (const MetricSpec* metric : registeredMetrics())
    columns.emplace_back(metric->name, metric->isWhole() ? " INTEGER" : " REAL");
  std::erase_if(columns, [&](const auto& column) {
    return std::find(have.begin(), have.end(), column.first) != have.end();
  });
  return columns;
}

Result<Done> addColumns(Database& database) {
  SLUICE_TRY(const Columns missing, missingColumns(database, "main"));
  for (const auto& [name, type] : missing) {
    SLUICE_CHECK(database.execute("ALTER TABLE points ADD COLUMN " + quotedName(name) + type));
  }
  return Done{};
}

Diagnostic foreign(const Database& database) {
  return sqliteProblem(database.file(), SQLITE_NOTADB, "it is an SQLite database of another program");
}

/// 0: an empty database; else our version. Errors: foreign, newer.
Result<std::int64_t> versionOf(Database& database) {
  SLUICE_TRY(const auto id, database.number("PRAGMA application_id"));
  SLUICE_TRY(const auto version, database.number("PRAGMA user_version"));
  SLUICE_TRY(const auto things, database.number("SELECT count(*) FROM sqlite_master"));
  if (things.value_or(0) == 0) return std::int64_t{0};
  if (id.value_or(0) != application_id) return foreign(database);
  if (version.value_or(0) > schema_version) {
    return error("store-version", Location(Where::Store, database.file().string()),
                 "it was written by a newer Sluice (schema " + std::to_string(version.value_or(0)) +
                     "; this one knows " + std::to_string(schema_version) + ")",
                 "open it with that version, or name another store");
  }
  return version.value_or(0);
}

/// Counts as integers: a double would round those above 2^53.
void bindMetric(Statement& statement, int at, const std::optional<MetricValue>& value) {
  if (!value) return void(statement.bindNull(at));
  if (const std::uint64_t* count = std::get_if<std::uint64_t>(&*value)) {
    statement.bind(at, static_cast<std::int64_t>(*count));
  } else {
    statement.bind(at, std::get<double>(*value));
  }
}

void readMetric(const Statement& statement, int at, const MetricSpec& metric, Metrics& metrics) {
  const double value = statement.real(at);
  if (metric.isWhole() && statement.whole(at)) {
    metric.set(metrics, static_cast<std::uint64_t>(statement.integer(at)));
  } else if (std::isfinite(value)) {
    metric.set(metrics, value);
  }
}

}  // namespace

Result<Done> makeSchema(Database& database) {
  // Two processes may create it at once.
  SLUICE_TRY(Transaction transaction, Transaction::begin(database));
  SLUICE_TRY(const std::int64_t version, versionOf(database));
  if (version == 0) {
    const std::string marks = "PRAGMA application_id = " + std::to_string(application_id) +
                              "; PRAGMA user_version = " + std::to_string(schema_version) + ";";
    SLUICE_CHECK(database.execute(tables + marks));
    SLUICE_CHECK(addColumns(database));
    SLUICE_CHECK(database.execute(view));
  } else {
    SLUICE_CHECK(addColumns(database));
  }
  SLUICE_CHECK(database.execute(trace_table));
  return transaction.commit();
}

Result<Done> checkSchema(Database& database) {
  SLUICE_TRY(const std::int64_t version, versionOf(database));
  if (version == 0) return foreign(database);
  return Done{};
}

Result<std::string> pointsWithAllColumns(Database& database, const std::string& in) {
  SLUICE_TRY(const Columns missing, missingColumns(database, in));
  std::string select = "SELECT *";
  for (const auto& [name, type] : missing) select += ", NULL AS " + quotedName(name);
  return select + " FROM " + in + ".points";
}

KnobCodec::KnobCodec(const std::vector<Knob>& knobs) {
  for (const Knob& knob : knobs) choices_[knob.name] = knob.choices;
}

const std::string* KnobCodec::choice(const std::string& name, std::int64_t value) const {
  const auto knob = choices_.find(name);
  const bool chosen =
      knob != choices_.end() && value >= 0 && static_cast<std::size_t>(value) < knob->second.size();
  return chosen ? &knob->second[static_cast<std::size_t>(value)] : nullptr;
}

std::string KnobCodec::text(const std::string& name, std::int64_t value) const {
  const std::string* const chosen = choice(name, value);
  return chosen ? *chosen : std::to_string(value);
}

std::string KnobCodec::encode(const KnobValues& values) const {
  std::string text = "{";
  for (const auto& [name, value] : values) {
    if (text.size() > 1) text += ',';
    text += '"' + name + "\":";  // a name is a word: nothing to escape
    const std::string* const chosen = choice(name, value);
    text += chosen ? dumped(*chosen) : std::to_string(value);
  }
  return text + "}";
}

std::optional<KnobValues> KnobCodec::decode(const std::string& json) const {
  return decodeJson(parsed(json));
}

std::optional<KnobValues> KnobCodec::decodeJson(const Json& object) const {
  if (!object.is_object()) return {};
  KnobValues values;
  for (const auto& [name, value] : object.items()) {
    const auto chosen = choices_.find(name);
    if (chosen == choices_.end()) return {};
    if (value.is_number_integer()) {
      values[name] = value.get<std::int64_t>();
      continue;
    }
    if (!value.is_string()) return {};
    const auto at = std::find(chosen->second.begin(), chosen->second.end(), value.get<std::string>());
    if (at == chosen->second.end()) return {};
    values[name] = at - chosen->second.begin();
  }
  return values.size() == choices_.size() ? std::optional(values) : std::nullopt;
}

Json knobsJson(const std::vector<Knob>& knobs) {
  Json list = Json::array();
  for (const Knob& knob : knobs) {
    Json one = {{"name", knob.name}, {"kind", nameIn(kind_names, knob.kind)}};
    if (knob.kind == KnobKind::Choice) one["choices"] = knob.choices;
    if (knob.kind == KnobKind::List) one["values"] = knob.list;
    if (knob.kind == KnobKind::Range || knob.kind == KnobKind::PowerOfTwo)
      one["minimum"] = knob.minimum, one["maximum"] = knob.maximum;
    if (knob.kind == KnobKind::Range) one["step"] = knob.step;
    list.push_back(std::move(one));
  }
  return list;
}

std::string knobsText(const std::vector<Knob>& knobs) {
  return dumped(knobsJson(knobs));
}

std::vector<Knob> knobsFrom(const std::string& json) {
  return knobsFromJson(parsed(json));
}

std::vector<Knob> knobsFromJson(const Json& list) {
  std::vector<Knob> knobs;
  if (!list.is_array()) return knobs;
  for (const Json& one : list) {
    if (!one.is_object() || !one.contains("name") || !one["name"].is_string()) continue;
    Knob knob;
    knob.name = one["name"].get<std::string>();
    if (const auto kind = one.find("kind"); kind != one.end() && kind->is_string())
      knob.kind = valueIn(kind_names, kind->get<std::string>()).value_or(knob.kind);
    const auto number = [&](const char* key, std::int64_t otherwise) {
      return one.contains(key) && one[key].is_number_integer() ? one[key].get<std::int64_t>() : otherwise;
    };
    knob.minimum = number("minimum", 1), knob.maximum = number("maximum", 1), knob.step = number("step", 1);
    if (one.contains("choices")) knob.choices = textsOf(one["choices"]);
    if (one.contains("values") && one["values"].is_array()) {
      for (const Json& value : one["values"]) {
        if (value.is_number_integer()) knob.list.push_back(value.get<std::int64_t>());
      }
    }
    knobs.push_back(std::move(knob));
  }
  return knobs;
}

std::string listText(const std::vector<std::string>& names) {
  return dumped(names);
}

std::vector<std::string> listFrom(const std::string& json) {
  return textsOf(parsed(json));
}

std::string pointColumns(const std::string& table) {
  std::string columns;
  for (const char* name :
       {"knobs", "level", "state", "cause", "wall_seconds", "peak_fifo_tokens", "deadlock", "failed_at"})
    columns += (columns.empty() ? "" : ", ") + table + name;
  for (const std::string& name : metricNames()) columns += ", " + table + quotedName(name);
  return columns;
}

void bindPoint(Statement& statement, int first, const std::string& knobs, const DesignPoint& point) {
  statement.bind(first, knobs).bind(first + 1, static_cast<std::int64_t>(point.fidelity));
  statement.bind(first + 2, text(point.state)).bind(first + 3, point.cause);
  statement.bind(first + 4, std::isfinite(point.wall_seconds) ? point.wall_seconds : 0.0);
  if (point.peak_fifo_tokens) {
    statement.bind(first + 5, static_cast<std::int64_t>(*point.peak_fifo_tokens));
  } else {
    statement.bindNull(first + 5);
  }
  if (point.deadlock) {
    statement.bind(first + 6, deadlockJson(*point.deadlock));
  } else {
    statement.bindNull(first + 6);
  }
  if (point.failed_at.empty()) {
    statement.bindNull(first + 7);
  } else {
    statement.bind(first + 7, point.failed_at);
  }
  int at = first + point_column_count;
  for (const MetricSpec* metric : registeredMetrics())
    bindMetric(statement, at++, exactMetric(point, *metric));
}

std::optional<DesignPoint> readPoint(const Statement& statement, int first, const KnobCodec& codec) {
  const std::optional<KnobValues> knobs = codec.decode(statement.text(first));
  const std::int64_t level = statement.integer(first + 1);
  const std::optional<PointState> state = pointStateOf(statement.text(first + 2));
  if (!knobs || !state || level < 0 || level > static_cast<std::int64_t>(Fidelity::Record)) return {};
  DesignPoint point;
  point.knobs = *knobs;
  point.fidelity = static_cast<Fidelity>(level);
  point.state = *state;
  point.cause = statement.text(first + 3);
  point.wall_seconds = statement.null(first + 4) ? 0 : statement.real(first + 4);
  if (!statement.null(first + 5))
    point.peak_fifo_tokens = static_cast<std::uint64_t>(statement.integer(first + 5));
  if (point.state == PointState::Deadlocked) point.deadlock = deadlockFrom(statement.text(first + 6));
  if (!statement.null(first + 7)) point.failed_at = statement.text(first + 7);
  int at = first + point_column_count;
  for (const MetricSpec* metric : registeredMetrics()) readMetric(statement, at++, *metric, point.metrics);
  return point;
}

}  // namespace sluice::inline explorer::store
