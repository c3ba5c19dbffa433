#pragma once
// Why a point deadlocks as text, for stores, messages and tables.

#include <optional>
#include <string>

#include "engine/explorer/point.h"

namespace sluice {

/// {"members": [names], "full": [names], "closed_at": cycles, "circles": count}
std::string deadlockJson(const DeadlockCause& cause);
/// Nothing where the text is something else.
std::optional<DeadlockCause> deadlockFrom(const std::string& json);

}  // namespace sluice
