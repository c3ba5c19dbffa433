#pragma once
// The command line is read. The only place that knows the parser, CLI11.

#include <string>
#include <vector>

#include "app/cli/options.h"
#include "engine/core/result.h"

namespace sluice::cli {

/// "UINT:INT in [1 - 512]": the type, and behind the colon what is asked of the value.
std::string typeText(const Option& option);

/// Runs the command that is asked for and returns its exit code; --help and --version are answered on
/// standard output. Errors: wrong use, with the word that was perhaps meant.
Result<int> runCommandLine(const std::vector<Command>& commands, int argc, char** argv, Process& process);

}  // namespace sluice::cli
