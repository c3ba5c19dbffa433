#include "engine/explorer/store/sqlite_point_store.h"

#include <algorithm>

#include "engine/core/csv.h"
#include "engine/energy/technology.h"
#include "engine/explorer/store/workload_hash.h"
#include "engine/explorer/tables.h"

namespace sluice::inline explorer {

std::string constraintsText(const std::vector<Constraint>& constraints) {
  std::string told;
  for (const Constraint& constraint : constraints)
    told += ", " + constraint.metric + (constraint.at_most ? "<=" : ">=") + csvNumber(constraint.value);
  return told;
}

std::string technologyText(const Workload& workload) {
  return workload.technology ? ", technology " + workload.technology->name : "";
}

/// ", tile = 16": with other values it is another exploration, which resumes none of these.
std::string fixedText(const Document& document, const KnobValues& fixed) {
  std::string told;
  for (const Knob& knob : document.knobs)
    if (const auto value = fixed.find(knob.name); value != fixed.end())
      told += ", " + knob.name + " = " + knobText(knob, value->second);
  return told;
}

ExplorationRecord recordOf(const Workload& workload, const ExploreOptions& options, const std::string& file) {
  ExplorationRecord record = explorationHere();
  record.workload = workloadHash(workload);
  record.title = workload.document.title;
  record.file = file;
  record.knobs = workload.document.knobs;
  record.strategy = options.strategy;
  record.seed = options.seed;
  record.budget = std::min(options.budget, designSpace(workload.document, options.fixed).size());
  record.warm_start = options.warm_start;
  record.fidelity = options.fidelity;
  record.objectives = options.objectives;
  if (options.shard)
    record.strategy +=
        " " + std::to_string(options.shard->number) + "/" + std::to_string(options.shard->count);
  record.strategy += fixedText(workload.document, options.fixed);
  record.strategy += constraintsText(options.constraints) + technologyText(workload);
  if (options.warm_start) record.strategy += ", warm start";
  return record;
}

Result<std::unique_ptr<SqlitePointStore>> SqlitePointStore::open(const std::filesystem::path& file,
                                                                 ExplorationRecord record, bool resume,
                                                                 std::stop_source trouble) {
  SLUICE_TRY(ResultStore writer, ResultStore::open(file, ResultStore::Access::Write));
  SLUICE_TRY(ResultStore reader, ResultStore::open(file, ResultStore::Access::Read));
  // A warm start begins with what is there, which is more now than it was then.
  const bool goes_on = resume && !record.warm_start;
  SLUICE_TRY(ExplorationRecord begun,
             goes_on ? writer.resume(std::move(record)) : writer.begin(std::move(record)));
  return std::unique_ptr<SqlitePointStore>(new SqlitePointStore(
      std::move(writer), std::move(reader), std::move(begun), resume, std::move(trouble)));
}

SqlitePointStore::SqlitePointStore(ResultStore writer, ResultStore reader, ExplorationRecord record,
                                   bool resume, std::stop_source trouble)
    : writer_(std::move(writer)),
      reader_(std::move(reader)),
      record_(std::move(record)),
      resume_(resume),
      trouble_(std::move(trouble)) {}

SqlitePointStore::~SqlitePointStore() {
  (void)finish();  // who wants to know has called it
}

Result<Done> SqlitePointStore::known(std::span<const KnobValues> points, Fidelity fidelity,
                                     const std::function<void(std::size_t, DesignPoint)>& found) {
  if (!resume_) return Done{};
  ExplorationRecord of = record_;
  of.fidelity = fidelity;
  return reader_.find(of, points, true, found);
}

void SqlitePointStore::add(std::uint64_t number, const DesignPoint& point, bool known) {
  enqueue({number, point, known});
}

void SqlitePointStore::addAside(const DesignPoint& point) {
  enqueue({{}, point, false});
}

void SqlitePointStore::enqueue(Visit visit) {
  const std::lock_guard lock(mutex_);
  if (!failed_.empty()) return;
  waiting_.push_back(std::move(visit));
  if (waiting_.size() > 1) return;
  lane_.add([this](const std::stop_token&) { writeWaiting(); },
            [this](const Diagnostic& why) { fail({why}); });
}

Result<std::vector<DesignPoint>> SqlitePointStore::others() {
  return reader_.known(record_);
}

Result<Done> SqlitePointStore::finish() {
  lane_.finish();
  const std::lock_guard lock(mutex_);
  if (!failed_.empty()) return failed_;
  return Done{};
}

void SqlitePointStore::writeWaiting() {
  std::vector<Visit> batch;
  {
    const std::lock_guard lock(mutex_);
    batch.swap(waiting_);
  }
  if (batch.empty()) return;  // the store has failed meanwhile
  const Result<Done> done = writer_.write(record_, batch);
  if (!done) fail(done.diagnostics());
}

void SqlitePointStore::fail(Diagnostics why) {
  {
    const std::lock_guard lock(mutex_);
    failed_ = std::move(why);
    waiting_.clear();
  }
  trouble_.request_stop();
}

}  // namespace sluice::inline explorer
