// Every emitter of Sluice, in the order in which they are offered.

#include "engine/emitters/registry.h"

#include <algorithm>

#define SLUICE_EMITTERS(X) X(hls) X(rtl) X(sdf3) X(step)

namespace sluice::inline emitters {

#define SLUICE_DECLARE(name) const Emitter& name();
SLUICE_EMITTERS(SLUICE_DECLARE)
#undef SLUICE_DECLARE

const std::vector<const Emitter*>& registeredEmitters() {
#define SLUICE_ADDRESS(name) &name(),
  static const std::vector<const Emitter*> all = {SLUICE_EMITTERS(SLUICE_ADDRESS)};
#undef SLUICE_ADDRESS
  return all;
}

const Emitter* findEmitter(std::string_view name) {
  const auto& all = registeredEmitters();
  const auto found = std::ranges::find_if(all, [&](const Emitter* each) { return each->name == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace sluice::inline emitters
