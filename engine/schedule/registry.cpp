// Every transformation of Sluice, in the order of the menus, those of compiled designs last; behind them
// those of plug-ins.

#include "engine/schedule/design_rewrites.h"

#define SLUICE_TRANSFORMATIONS(X) \
  X(tile)                         \
  X(split)                        \
  X(parallelize)                  \
  X(time_multiplex)               \
  X(hierarchical_tile)            \
  X(broadcast_inference)          \
  X(compile_tensors)              \
  X(fifo_depth)

namespace sluice::inline schedule {

#define SLUICE_DECLARE(name)          \
  namespace name {                    \
  const Transformation& definition(); \
  }
SLUICE_TRANSFORMATIONS(SLUICE_DECLARE)
#undef SLUICE_DECLARE
Registry<const Transformation*>& transformationRegistry() {
#define SLUICE_LIST(name) &name::definition(),
  static Registry<const Transformation*> registry([] {
    std::vector<const Transformation*> all = {SLUICE_TRANSFORMATIONS(SLUICE_LIST)};
    for (const Transformation& rewrite : schedule::designRewrites()) all.push_back(&rewrite);
    return all;
  }());
#undef SLUICE_LIST
  return registry;
}

std::span<const Transformation* const> registeredTransformations() {
  return transformationRegistry().all();
}

const Transformation* findTransformation(const std::string& name) {
  for (const Transformation* transformation : registeredTransformations())
    if (transformation->spec.name == name) return transformation;
  return nullptr;
}

}  // namespace sluice::inline schedule
