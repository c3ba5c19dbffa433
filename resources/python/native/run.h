#pragma once
// A point that was run, as functions of the module hand it to each other.

#include <memory>

#include "engine/explorer/evaluate.h"

namespace sluice::python {

struct Run {
  std::shared_ptr<const Workload> workload;
  KnobValues knobs;
  PointResult result;
};

}  // namespace sluice::python
