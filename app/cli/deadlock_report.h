#pragma once
// What `simulate` and `unlock` print of a deadlock.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/fifo/unlock.h"

namespace sluice::cli {

nlohmann::ordered_json changeJson(const Repair::Change& change);

nlohmann::ordered_json deadlockJson(const FlatGraph& graph, const DeadlockReport& deadlock,
                                    const Unlock& unlocked);
/// Every circle with its numbered chain, who waits behind, why, and the repair; the first few, unless `all`.
std::string deadlockText(const FlatGraph& graph, const DeadlockReport& deadlock, const Unlock& unlocked,
                         bool all);

}  // namespace sluice::cli
