#pragma once
// DesignSearch: what Run > Find Designs asks for - what is sought, what it begins with, the store that it
// goes on from - and the search itself, beside the event loop.

#include <filesystem>
#include <string>

#include "engine/designer/designer.h"

namespace sluice::ui {

struct DesignSearch {
  DesignRequest request = {};
  bool from_plain = false;           ///< without the steps that the program has
  std::filesystem::path store = {};  ///< every design goes into this result store; empty: into none
  std::string file = {};             ///< of the program, as the store is to call it
  bool resume = false;               ///< what the store knows is not simulated again
};

/// Errors: those of findDesigns(), and what the store could not do.
Result<DesignResult> runSearch(const DesignSearch& search, const Workload& workload, const KnobValues& knobs,
                               DesignObserver observer, const std::stop_token& stop);

}  // namespace sluice::ui
