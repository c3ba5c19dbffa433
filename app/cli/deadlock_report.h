#pragma once
// What `simulate` and `unlock` print of a deadlock.

#include <string>

#include "app/cli/json.h"
#include "engine/fifo/unlock.h"

namespace sluice::cli {

Json changeJson(const Repair::Change& change);

Json deadlockJson(const FlatGraph& graph, const DeadlockReport& deadlock, const Unlock& unlocked);
/// Every wait cycle with its numbered chain, who waits behind, why, and the repair; the first few, unless
/// `all`.
std::string deadlockText(const FlatGraph& graph, const DeadlockReport& deadlock, const Unlock& unlocked,
                         bool all);

}  // namespace sluice::cli
