#pragma once
// Every form in which Sluice writes programs for hardware.

#include <string_view>
#include <vector>

#include "engine/emitters/emitter.h"

namespace sluice::inline emitters {

/// In the order in which they are offered.
const std::vector<const Emitter*>& registeredEmitters();
/// Null where there is none of this name.
const Emitter* findEmitter(std::string_view name);

}  // namespace sluice::inline emitters
