#pragma once
// SqlitePointStore: an exploration's points on their way into a result store. A lane of its own writes all
// that has come while the last transaction was under way: a point is on the disk some milliseconds after it
// is done, however fast they come.

#include <mutex>
#include <stop_token>

#include "engine/core/task_lane.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/store/result_store.h"

namespace sluice::inline explorer {

class SqlitePointStore : public PointStore {
 public:
  /// Opens (or makes) the store and begins the exploration in it. With `resume` points that the store knows
  /// are not evaluated again, and an exploration that was asked for in the same way is gone on with.
  /// `trouble` is requested to stop when the store takes no more.
  static Result<std::unique_ptr<SqlitePointStore>> open(const std::filesystem::path& file,
                                                        ExplorationRecord record, bool resume,
                                                        std::stop_source trouble);
  ~SqlitePointStore() override;

  const ExplorationRecord& exploration() const { return record_; }

  Result<Done> known(std::span<const KnobValues> points, Fidelity fidelity,
                     const std::function<void(std::size_t, DesignPoint)>& found) override;
  void add(std::uint64_t number, const DesignPoint& point, bool known) override;
  void addAside(const DesignPoint& point) override;
  Result<std::vector<DesignPoint>> others() override;

  /// Waits until everything that was added is on the disk. Errors: what the store could not do, also earlier.
  Result<Done> finish();

 private:
  SqlitePointStore(ResultStore writer, ResultStore reader, ExplorationRecord record, bool resume,
                   std::stop_source trouble);
  void enqueue(Visit visit);
  void writeWaiting();
  void fail(Diagnostics why);

  /// Closed in the opposite order: the last one moves the log into the file and removes it, which a reader
  /// cannot.
  ResultStore writer_, reader_;
  ExplorationRecord record_;
  bool resume_;
  std::stop_source trouble_;
  std::mutex mutex_;
  std::vector<Visit> waiting_;  ///< a piece that writes it waits in the lane, unless it is empty
  Diagnostics failed_;
  TaskLane lane_;  ///< last: it uses all of the above
};

/// What constraints add to the strategy of a record: they decide as well which point comes when.
/// ", technology 7nm": a part of the strategy's name in a store; empty without one.
std::string technologyText(const Workload& workload);
std::string constraintsText(const std::vector<Constraint>& constraints);
/// The record of an exploration of this workload with these options.
ExplorationRecord recordOf(const Workload& workload, const ExploreOptions& options, const std::string& file);

}  // namespace sluice::inline explorer
