// Every transformation of Sluice, in the order of the menus.

#include "engine/schedule/transformation.h"

#define SLUICE_TRANSFORMATIONS(X) \
  X(tile)                         \
  X(split)                        \
  X(parallelize)                  \
  X(timeMultiplex)                \
  X(hierarchicalTile)             \
  X(broadcastInference)           \
  X(compileTensors)               \
  X(fifoDepth)

namespace sluice {

namespace schedule {
#define SLUICE_DECLARE(name) const Transformation& name();
SLUICE_TRANSFORMATIONS(SLUICE_DECLARE)
#undef SLUICE_DECLARE
}  // namespace schedule

std::vector<const Transformation*> registeredTransformations() {
#define SLUICE_LIST(name) &schedule::name(),
  return {SLUICE_TRANSFORMATIONS(SLUICE_LIST)};
#undef SLUICE_LIST
}

const Transformation* findTransformation(const std::string& name) {
  for (const Transformation* transformation : registeredTransformations())
    if (transformation->spec.name == name) return transformation;
  return nullptr;
}

}  // namespace sluice
