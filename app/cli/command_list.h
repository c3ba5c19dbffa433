#pragma once
// Every command there is; tests find them by `sluice-cli commands`.

#include <vector>

#include "app/cli/options.h"

namespace sluice::cli {

/// In the order of the help.
std::vector<Command> allCommands();

}  // namespace sluice::cli
