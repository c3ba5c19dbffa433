#pragma once
// The search strategies; one file each, those of plug-ins behind them. To add one: a function, and a line in
// strategies.cpp.

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "engine/core/registry.h"
#include "engine/explorer/search/search_context.h"

namespace sluice::inline explorer {

struct Strategy {
  const char* name;
  const char* summary;
  bool whole_space;  ///< looks at every point: the space must not be larger than the budget
  void (*search)(SearchContext&);
  /// Beyond these its own work takes longer than what it saves.
  std::uint64_t most_evaluations = std::numeric_limits<std::uint64_t>::max();
  /// It learns from runs that do not come to their end, which have bounds of the objectives only.
  bool short_runs = false;
};

/// Plug-ins add to it.
Registry<Strategy>& strategyRegistry();
std::span<const Strategy> strategies();
const Strategy* findStrategy(const std::string& name);

void searchExhaustively(SearchContext& context);
void searchPruned(SearchContext& context);
void searchRandomly(SearchContext& context);
void searchLatinHypercube(SearchContext& context);
void searchNsga2(SearchContext& context);
void searchMoead(SearchContext& context);
void searchNspso(SearchContext& context);
void searchByHalving(SearchContext& context);
void searchByMotpe(SearchContext& context);
void searchByEhvi(SearchContext& context);
void searchAutomatically(SearchContext& context);

}  // namespace sluice::inline explorer
