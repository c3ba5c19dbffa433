#pragma once
// What `sluice-cli compile --platform` adds: the compiled design in the memories and on the dies of a card.

#include "app/cli/command.h"
#include "app/cli/report.h"
#include "engine/tensor/placement/needed_placement.h"

namespace sluice::cli {

Json placementJson(const PlacedDesign& placed, const Platform& platform);
/// Of a design that has no room on the platform: why, and what it would need. Gives the exit code.
int failPlacement(const NeededPlacement& needed, const Platform& platform, bool json);
/// `title` is the platform's. The tasks that `problems` name come first.
void printPlacement(const Json& report, const std::string& title, const Diagnostics& problems = {});

}  // namespace sluice::cli
