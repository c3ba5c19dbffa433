#pragma once
// Why a deadlock is artificial or real, in sentences, from the accounts of tokens and stops on the streams.

#include <string>
#include <vector>

#include "engine/fifo/unlock.h"

namespace sluice {

/// `unlimited`: the run with unlimited FIFOs. Artificial: how far each circle lacks room. Real: what is wrong
/// there, and what arrived on the streams concerned.
std::vector<std::string> lockReasons(const FlatGraph& graph, const SimulationResult& locked,
                                     const SimulationResult& unlimited, LockKind kind);

}  // namespace sluice
