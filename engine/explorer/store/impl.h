#pragma once
// What a ResultStore holds. Private to the store.

#include <algorithm>
#include <optional>

#include "engine/explorer/store/schema.h"

namespace sluice::inline explorer {

struct ResultStore::Impl {
  Impl(std::filesystem::path name, store::Database opened)
      : file(std::move(name)), database(std::move(opened)) {}

  /// Of a workload under an engine; 0: the store does not have it.
  Result<std::int64_t> workloadId(const ExplorationRecord& record);
  Result<Done> prepareWriting();
  // In the caller's transaction.
  Result<std::optional<ExplorationRecord>> latest(const ExplorationRecord& like);
  Result<ExplorationRecord> insert(ExplorationRecord record);
  /// The points of all rows; spoiled ones left out.
  Result<std::vector<DesignPoint>> read(store::Statement& rows, const std::vector<Knob>& knobs);

  std::filesystem::path file;
  store::Database database;
  std::string known_workload, known_engine;  ///< those of known_id
  std::int64_t known_id = 0;
  std::optional<store::Statement> add_point, add_visit, add_known,
      find_point;  ///< after the database: closed before it
};

}  // namespace sluice::inline explorer
