#pragma once
// What a machine must not ask for where its program goes to something that is timed as STeP's simulator in
// reference mode is.

#include <string>

#include "engine/core/diagnostic.h"
#include "engine/program/flat_graph.h"

namespace sluice::inline program {

/// Everything that `who` ("RTL") does not have, as the machine's fields.
Diagnostics beyondReferenceMachine(const BoundMachine& machine, const std::string& who);

}  // namespace sluice::inline program
