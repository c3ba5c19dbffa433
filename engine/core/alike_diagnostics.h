#pragma once
// What many operators have in common is told once.

#include "engine/core/diagnostic.h"

namespace sluice {

/// Of problems that differ in the operator alone the first, with how many more there are.
Diagnostics alikeOnce(const Diagnostics& problems);

}  // namespace sluice
