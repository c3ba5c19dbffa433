// What is asked of a store as a whole: the frontier of an exploration, the table of everything.

#include <map>

#include "engine/core/csv.h"
#include "engine/explorer/metrics/statistic.h"
#include "engine/explorer/pareto.h"
#include "engine/explorer/store/impl.h"
#include "engine/explorer/tables.h"

namespace sluice::inline explorer {

using store::Statement;

namespace {

/// Keeps the frontier of rows that come one after the other: whenever enough have gathered, what is dominated
/// goes.
class RunningFrontier {
 public:
  explicit RunningFrontier(std::size_t objectives) : objectives_(objectives) {}

  void add(std::int64_t id, std::span<const double> values) {
    ids_.push_back(id);
    values_.insert(values_.end(), values.begin(), values.end());
    if (ids_.size() >= limit_) reduce();
  }
  /// By the first objective.
  const std::vector<std::int64_t>& finish() {
    reduce();
    return ids_;
  }

 private:
  void reduce() {
    std::vector<std::int64_t> ids;
    std::vector<double> values;
    for (const std::size_t row : paretoFrontier(values_, objectives_)) {
      ids.push_back(ids_[row]);
      const auto at = values_.begin() + static_cast<std::ptrdiff_t>(row * objectives_);
      values.insert(values.end(), at, at + static_cast<std::ptrdiff_t>(objectives_));
    }
    ids_ = std::move(ids), values_ = std::move(values);
    limit_ = std::max<std::size_t>(1 << 14, 2 * ids_.size());
  }

  std::size_t objectives_, limit_ = 1 << 14;
  std::vector<std::int64_t> ids_;
  std::vector<double> values_;
};

constexpr const char* joined =
    " FROM visits v CROSS JOIN points p ON p.id = v.point JOIN explorations e ON e.id = v.exploration "
    "JOIN workloads w ON w.id = p.workload JOIN explorations o ON o.id = p.exploration ";
constexpr const char* where_from =
    "v.exploration, v.number, e.title, e.file, w.hash, w.engine, o.machine, e.strategy, e.seed, "
    "datetime(p.time, 'unixepoch')";
constexpr int where_from_count = 10;

/// Of a point over a set of traces its columns hold means.
Result<std::string> columnOf(const std::string& objective) {
  const std::optional<Statistic> statistic = statisticOf(*findMetric(objective));
  if (!statistic) return objective;
  if (statistic->kind == StatisticKind::Mean) return statistic->of->name;
  return error(
      "unknown-objective", "objectives",
      "'" + objective + "' is no column of the store, which keeps means, and the runs under each trace",
      "ask for a metric, or explore again with --resume, which takes the runs from the store");
}

}  // namespace

Result<std::vector<DesignPoint>> ResultStore::frontier(const ExplorationRecord& exploration,
                                                       const std::vector<std::string>& objectives) {
  std::string columns = "SELECT p.id";
  for (const std::string& name : objectives) {
    if (!findMetric(name)) return unknownMetric(name, "objectives");
    SLUICE_TRY(const std::string column, columnOf(name));
    columns += ", p.\"" + column + "\"";
  }
  SLUICE_TRY(Statement rows,
             impl_->database.prepare(columns + " FROM visits v CROSS JOIN points p ON p.id = v.point WHERE "
                                               "v.exploration = ? AND p.state = 'done'"));
  rows.bind(1, exploration.id);
  RunningFrontier frontier(objectives.size());
  std::vector<double> values(objectives.size());
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    bool known = true;
    for (std::size_t k = 0; k < values.size(); ++k) {
      known = known && !rows.null(static_cast<int>(k) + 1);
      values[k] = minimised(objectives[k], rows.real(static_cast<int>(k) + 1));
    }
    if (known) frontier.add(rows.integer(0), values);
  }
  if (code != SQLITE_DONE) return impl_->database.problem(code);

  SLUICE_TRY(Statement one,
             impl_->database.prepare("SELECT " + store::pointColumns("") + " FROM points WHERE id = ?"));
  std::vector<DesignPoint> points;
  for (const std::int64_t id : frontier.finish()) {
    one.bind(1, id);
    const Result<std::vector<DesignPoint>> point = impl_->read(one, exploration.knobs);
    one.reset();
    if (!point) return point.diagnostics();
    points.insert(points.end(), point->begin(), point->end());
  }
  return points;
}

Result<Done> ResultStore::writeCsv(std::optional<std::int64_t> exploration,
                                   const std::function<Result<Done>(std::string_view)>& sink) {
  SLUICE_TRY(const std::vector<ExplorationRecord> records, explorations());
  std::map<std::int64_t, store::KnobCodec> codecs;
  std::map<std::string, const Knob*> knobs;  // of all explorations: a table has the same columns in every row
  for (const ExplorationRecord& record : records) {
    if (exploration && record.id != *exploration) continue;
    codecs.emplace(record.id, store::KnobCodec(record.knobs));
    for (const Knob& knob : record.knobs) knobs.emplace(knob.name, &knob);
  }
  if (exploration && codecs.empty()) return this->exploration(*exploration).diagnostics();

  std::vector<std::string> header = {"exploration", "number",  "title",    "file", "workload",
                                     "engine",      "machine", "strategy", "seed", "finished"};
  for (const auto& [name, knob] : knobs) header.push_back("knob_" + name);
  header.insert(header.end(), {"level", "state"});
  for (const std::string& name : metricNames()) header.push_back(name);
  header.insert(header.end(), {"peak_fifo_tokens", "wall_seconds", "cause"});

  SLUICE_TRY(Statement rows,
             impl_->database.prepare(std::string("SELECT ") + where_from + ", " + store::pointColumns("p.") +
                                     joined + (exploration ? "WHERE v.exploration = ? " : "") +
                                     "ORDER BY v.exploration, v.number"));
  if (exploration) rows.bind(1, *exploration);
  CsvTable table(header);
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    const auto known = codecs.find(rows.integer(0));
    if (known == codecs.end()) continue;  // another process began it meanwhile, or the file is damaged
    const store::KnobCodec& codec = known->second;
    const std::optional<DesignPoint> point = store::readPoint(rows, where_from_count, codec);
    if (!point) continue;
    std::vector<std::string> row;
    for (int column = 0; column < where_from_count; ++column) row.push_back(rows.text(column));
    for (const auto& [name, knob] : knobs) {
      const auto value = point->knobs.find(name);
      row.push_back(value == point->knobs.end() ? "" : codec.text(name, value->second));
    }
    row.insert(row.end(), {sluice::text(point->fidelity), text(point->state)});
    for (const MetricSpec* metric : registeredMetrics()) row.push_back(csvMetric(*point, *metric));
    row.push_back(point->peak_fifo_tokens ? std::to_string(*point->peak_fifo_tokens) : "");
    row.insert(row.end(), {csvNumber(point->wall_seconds), point->cause});
    table.row(row);
    if (table.text().size() < std::size_t{1} << 20) continue;
    SLUICE_CHECK(sink(table.text()));
    table.clear();
  }
  if (code != SQLITE_DONE) return impl_->database.problem(code);
  return sink(table.text());
}

}  // namespace sluice::inline explorer
