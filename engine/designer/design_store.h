#pragma once
// DesignStore: designs on their way into a result store (explorer/store), as the points of one exploration
// of the plain program whose only knob is the graph. A search that is asked for again with `resume` meets the
// same graphs in the same order, and finds the runs of those that were done.

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/designer/designer.h"
#include "engine/explorer/store/sqlite_point_store.h"

namespace sluice::inline designer {

class DesignStore : public DesignPointStore {
 public:
  /// Opens (or makes) the store. `file`: that the program is in, for who browses. `trouble` is requested to
  /// stop when the store takes no more.
  static Result<std::unique_ptr<DesignStore>> open(const std::filesystem::path& store,
                                                   const Workload& workload, const DesignRequest& request,
                                                   const std::string& file, bool resume,
                                                   std::stop_source trouble);

  /// Whether an exploration in a store is a search for designs.
  static bool isSearch(const ExplorationRecord& record);

  Result<std::optional<DesignPoint>> known(const std::string& graph, const KnobValues& knobs) override;
  void add(const std::string& graph, const Design& design, bool known) override;
  /// Waits until all is on the disk. Errors: what the store could not do.
  Result<Done> finish() { return store_->finish(); }

 private:
  explicit DesignStore(std::unique_ptr<SqlitePointStore> store) : store_(std::move(store)) {}

  std::unique_ptr<SqlitePointStore> store_;
  std::uint64_t added_ = 0;
};

}  // namespace sluice::inline designer
