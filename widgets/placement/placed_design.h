#pragma once
// What the compiled designs of a program take of a card, as it is shown: parts, totals, and why they have no
// room there if they have none.

#include <QString>
#include <stop_token>
#include <vector>

#include "engine/tensor/placement/compiled_placement.h"
#include "engine/tensor/placement/part_resources.h"

namespace sluice::ui {

struct PlacedPart {
  QString group;  ///< of kernels that are on the card at one time: "1"
  PartResources part;
};

/// Of a group on all dies together, or of one of them.
struct PlacedTotal {
  QString name;  ///< "group 1", "group 1, SLR0"
  Resources used;
  Resources room;  ///< what may be used of what is available
  Resources available;
};

struct PlacedOnCard {
  Platform platform;
  std::vector<PlacedTotal> totals;
  std::vector<PlacedPart> parts;
  /// Why there is no room, where and what is missing; the totals are then of what would be needed. Empty:
  /// there is.
  QString problem;
};

/// The compiled design on the card; what would be needed where there is no room.
PlacedOnCard placedOnCard(const CompiledDesign& compiled, const CompileOptions& options,
                          const Platform& platform, const std::stop_token& stop = {});
/// A part a line, then the totals.
QString csvOf(const PlacedOnCard& placed);

}  // namespace sluice::ui
