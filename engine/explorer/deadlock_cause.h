#pragma once
// Why a point deadlocks, and that as JSON for stores, messages and tables.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/explorer/point.h"

namespace sluice::inline explorer {

DeadlockCause deadlockCause(const DeadlockReport& deadlock, const FlatGraph& graph);
/// {"members": [names], "full": [names], "closed_at": cycles, "wait cycles": count}
nlohmann::ordered_json toJson(const DeadlockCause& cause);
/// The same as text, in one line.
std::string deadlockJson(const DeadlockCause& cause);
/// Nothing where the value or the text is something else.
std::optional<DeadlockCause> deadlockFrom(const nlohmann::ordered_json& json);
std::optional<DeadlockCause> deadlockFrom(const std::string& json);

}  // namespace sluice::inline explorer
