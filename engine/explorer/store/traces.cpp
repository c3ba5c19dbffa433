// The set of traces that an exploration is over, in a result store.

#include "engine/explorer/store/impl.h"

namespace sluice::inline explorer {

using store::Statement;
using store::Transaction;

Result<Done> ResultStore::setTraces(const ExplorationRecord& exploration,
                                    std::span<const TraceRecord> traces) {
  store::Database& database = impl_->database;
  SLUICE_TRY(Transaction transaction, Transaction::begin(database));
  SLUICE_TRY(Statement workload,
             database.prepare("INSERT OR IGNORE INTO workloads(hash, engine) VALUES(?, ?)"));
  SLUICE_TRY(Statement trace,
             database.prepare("INSERT OR REPLACE INTO traces(exploration, number, name, workload) "
                              "SELECT ?, ?, ?, id FROM workloads WHERE hash = ? AND engine = ?"));
  std::int64_t number = 0;
  for (const TraceRecord& each : traces) {
    workload.bind(1, each.workload).bind(2, exploration.engine);
    if (const int code = workload.run(); code != SQLITE_DONE) return database.problem(code);
    trace.bind(1, exploration.id)
        .bind(2, number++)
        .bind(3, each.name)
        .bind(4, each.workload)
        .bind(5, exploration.engine);
    if (const int code = trace.run(); code != SQLITE_DONE) return database.problem(code);
  }
  return transaction.commit();
}

Result<std::vector<TraceRecord>> ResultStore::traces(const ExplorationRecord& exploration) {
  store::Database& database = impl_->database;
  SLUICE_TRY(const auto there, database.number("SELECT count(*) FROM sqlite_master WHERE name = 'traces'"));
  std::vector<TraceRecord> traces;
  if (there.value_or(0) == 0) return traces;
  SLUICE_TRY(Statement rows,
             database.prepare("SELECT t.name, w.hash FROM traces t JOIN workloads w ON w.id = t.workload "
                              "WHERE t.exploration = ? ORDER BY t.number"));
  rows.bind(1, exploration.id);
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) traces.push_back({rows.text(0), rows.text(1)});
  if (code != SQLITE_DONE) return database.problem(code);
  return traces;
}

}  // namespace sluice::inline explorer
