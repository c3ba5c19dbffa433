#pragma once
// The command line is read: the only place that knows the parser, CLI11.

#include <vector>

#include "app/cli/options.h"
#include "engine/core/result.h"

namespace sluice::cli {

/// Runs the command that is asked for and returns its exit code; --help and --version are answered on
/// standard output. Errors: wrong use, with the word that was perhaps meant.
Result<int> runCommandLine(const std::vector<Command>& commands, int argc, char** argv, Process& process);

}  // namespace sluice::cli
