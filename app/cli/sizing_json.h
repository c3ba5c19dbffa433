#pragma once
// What a sizing of a program's FIFOs found, as JSON: of size-fifos and of the method size_fifos.

#include "app/cli/deadlock_report.h"
#include "engine/fifo/program_sizing.h"

namespace sluice::cli {

/// cycles, bytes and blocks of BRAM before and after, "changes", and "front" where there is one: each point
/// with bytes, blocks, cycles and the depth of every FIFO by its name.
Json sizingJson(const ProgramSizing& sizing);

}  // namespace sluice::cli
