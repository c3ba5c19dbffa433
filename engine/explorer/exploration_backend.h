#pragma once
// ExplorationBackend: who evaluates the points of an exploration and keeps them in a store, where that is not
// one run a point (distributions/set_search.h).

#include <filesystem>
#include <functional>
#include <memory>

#include "engine/explorer/explore.h"
#include "engine/explorer/store/result_store.h"

namespace sluice::inline explorer {

class SqlitePointStore;

class ExplorationBackend {
 public:
  virtual ~ExplorationBackend() = default;
  /// What a store is to call the exploration, from the record of one run a point.
  virtual ExplorationRecord record(ExplorationRecord of_one) = 0;
  /// Keeps what is evaluated in that file, beside `points`; gives the store that the exploration is to have.
  virtual Result<PointStore*> keep(const std::filesystem::path& store, SqlitePointStore& points,
                                   bool resume) = 0;
  virtual PointEvaluator& evaluator() = 0;
  virtual Diagnostics trouble() const = 0;  ///< why evaluation ended early; empty if it did not
};

/// Makes one for an exploration; may put other metrics into its objectives and constraints.
using BackendMaker =
    std::function<Result<std::unique_ptr<ExplorationBackend>>(ExploreOptions& options, Executor& executor)>;

}  // namespace sluice::inline explorer
