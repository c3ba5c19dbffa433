#pragma once
// Designs that an earlier search has left in a result store (design_store.h), to be drawn again without one.

#include <filesystem>

#include "engine/explorer/store/result_store.h"
#include "engine/explorer/workload_set.h"

namespace sluice::inline designer {

struct StoredDesigns {
  ExplorationRecord search;
  std::vector<DesignPoint>
      points;  ///< in the order of the search; those that were not simulated are Symbolic
};

/// The newest search in the store that began with the program, under the steps that it has now or the first
/// of them: who takes a design keeps the steps that the search began with. Errors: what the store refuses; it
/// holds no such search (missing-data).
Result<StoredDesigns> storedDesigns(const std::filesystem::path& store, const WorkloadSet& set);

}  // namespace sluice::inline designer
