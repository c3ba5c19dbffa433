#pragma once
// A design point under every trace of a set, as `simulate` tells of it too.

#include <stop_token>

#include "app/cli/command.h"

namespace sluice::cli {

Command distributionCommand();
int simulateSet(const FileOptions& file, OpenedSet opened, const std::stop_token& stop);

}  // namespace sluice::cli
