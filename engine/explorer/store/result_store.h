#pragma once
// ResultStore: explorations and their points in an SQLite file (WAL), which several processes may share and
// any SQL tool can open. README.md beside this file is its schema. What write() has returned for is on the
// disk: a killed process, a full disk or a power cut takes none of it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/explorer/point.h"

namespace sluice::inline explorer {

/// One exploration, as it was asked for.
struct ExplorationRecord {
  std::int64_t id = 0;   ///< in this store; given by begin()
  std::string uuid;      ///< the same in every store that it is merged into; given by begin()
  std::string workload;  ///< workloadHash()
  std::string title, file;
  std::vector<Knob> knobs;  ///< names and values, in the document's order
  std::string strategy = "exhaustive";
  std::uint64_t seed = 1, budget = 0;  ///< no more than the space has
  Fidelity fidelity = Fidelity::Count;
  std::vector<std::string> objectives;
  std::string engine;        ///< revision of the numbers (results_revision.h)
  std::string machine;       ///< name of the host
  std::string started;       ///< UTC, "2026-01-31 12:00:00"; given by begin()
  std::uint64_t points = 0;  ///< that it has visited so far
  bool warm_start = false;   ///< not stored: what it begins with changes, so that it cannot be continued
};

/// A record of an exploration by this program on this host, to be completed.
ExplorationRecord explorationHere();

/// The number-th point that an exploration visited.
struct Visit {
  std::optional<std::uint64_t> number;  ///< none: met on the way, at another level
  DesignPoint point;
  bool known = false;  ///< the store has it: only the visit is new
  std::string workload =
      {};  ///< of one of the exploration's traces (setTraces()); empty: the exploration's own
};

/// A trace of the set that an exploration is over.
struct TraceRecord {
  std::string name;
  std::string workload;  ///< workloadHash() of the program under this trace alone
};

struct MergeReport {
  std::uint64_t explorations = 0, points = 0;  ///< that are new here
  std::uint64_t known = 0;                     ///< points that were here already
  std::uint64_t different = 0;                 ///< of these, with other numbers; those here are kept
};

class ResultStore {
 public:
  enum class Access { Write, Read };  ///< Write makes the file where there is none
  static Result<ResultStore> open(const std::filesystem::path& file, Access access);
  ResultStore(ResultStore&&) noexcept;
  ResultStore& operator=(ResultStore&&) noexcept;
  ~ResultStore();

  const std::filesystem::path& file() const;

  /// With a `uuid` the record is one of another store (json_lines.h): what is here already is not begun
  /// again.
  Result<ExplorationRecord> begin(ExplorationRecord record);
  /// The newest exploration with everything but the start as in `record`: its number-th point is the same
  /// one. Where there is none it is begun; of processes that start together, by one.
  Result<ExplorationRecord> resume(ExplorationRecord record);
  /// Writes points (those that are there already get the new numbers), in one transaction. Cancelled ones are
  /// not stored.
  Result<Done> write(const ExplorationRecord& exploration, std::span<const Visit> visits);

  /// The set of traces that the exploration is over; before points of them are written.
  Result<Done> setTraces(const ExplorationRecord& exploration, std::span<const TraceRecord> traces);
  /// Empty: it is over no set.
  Result<std::vector<TraceRecord>> traces(const ExplorationRecord& exploration);

  /// Calls with (index in `knobs`, point) for those that are known at the record's level; or, with
  /// `or_higher`, at one that tells more. Bounds are no measurements: above Symbolic there is none that tells
  /// more of them.
  using Found = std::function<void(std::size_t, DesignPoint)>;
  Result<Done> find(const ExplorationRecord& of, std::span<const KnobValues> knobs, bool or_higher,
                    const Found& found);
  /// Every point of the workload at the record's level, in the order in which they were stored.
  Result<std::vector<DesignPoint>> known(const ExplorationRecord& of);

  /// For browsing, oldest first.
  Result<std::vector<ExplorationRecord>> explorations();
  Result<ExplorationRecord> exploration(std::int64_t id);
  /// In the order in which the exploration visited them.
  Result<std::vector<DesignPoint>> points(const ExplorationRecord& exploration);
  /// The same, one after the other, until `each` refuses.
  Result<Done> visits(const ExplorationRecord& exploration,
                      const std::function<Result<Done>(const Visit&)>& each);
  /// Its non-dominated Done points, by the first objective.
  Result<std::vector<DesignPoint>> frontier(const ExplorationRecord& exploration,
                                            const std::vector<std::string>& objectives);

  /// Adds what another store holds and this does not. Doing it twice changes nothing.
  Result<MergeReport> merge(const std::filesystem::path& other);
  /// Calls with piece after piece of a table: one line a visit, one column a knob and metric, all of one
  /// type. Of one exploration, or of all.
  Result<Done> writeCsv(std::optional<std::int64_t> exploration,
                        const std::function<Result<Done>(std::string_view)>& sink);

 private:
  struct Impl;
  explicit ResultStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::inline explorer
