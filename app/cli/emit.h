#pragma once
// The forms of sluice-cli emit, each a subcommand in a file of its own.

#include "app/cli/command.h"

namespace sluice::cli {

Command emitHlsCommand();
Command emitRtlCommand();

}  // namespace sluice::cli
