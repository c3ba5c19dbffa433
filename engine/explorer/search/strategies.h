#pragma once
// The search strategies; one file each, those of plug-ins behind them. To add one: a function, and a line in
// strategies.cpp.

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "engine/core/registry.h"
#include "engine/explorer/search/trials.h"

namespace sluice::inline explorer {

struct Strategy {
  const char* name;
  const char* summary;
  bool whole_space;  ///< looks at every point: the space must not be larger than the budget
  void (*search)(Trials&);
  /// Beyond these its own work takes longer than what it saves.
  std::uint64_t most_evaluations = std::numeric_limits<std::uint64_t>::max();
};

/// Plug-ins add to it.
Registry<Strategy>& strategyRegistry();
std::span<const Strategy> strategies();
const Strategy* findStrategy(const std::string& name);

void searchExhaustively(Trials& trials);
void searchPruned(Trials& trials);
void searchRandomly(Trials& trials);
void searchLatinHypercube(Trials& trials);
void searchNsga2(Trials& trials);
void searchMoead(Trials& trials);
void searchNspso(Trials& trials);
void searchByHalving(Trials& trials);
void searchByMotpe(Trials& trials);
void searchByEhvi(Trials& trials);
void searchAutomatically(Trials& trials);

}  // namespace sluice::inline explorer
