#pragma once
// Every command there is; tests find them by `sluice-cli commands`.

#include <vector>

#include "app/cli/options.h"

namespace sluice::cli {

/// In the order of the help.
std::vector<Command> allCommands();
/// Those that can be meant: the one that the first word names, else all.
std::vector<Command> commandsFor(int argc, char** argv);

}  // namespace sluice::cli
