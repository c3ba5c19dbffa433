#pragma once
// A dataflow design while it is changed at several places, each of which leaves the others as they are.

#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/design_index.h"

namespace sluice {

struct DesignEdit {
  explicit DesignEdit(const DesignIndex& index)
      : before(index), design(index.design()), names(index.design()) {}

  const DesignIndex& before;  ///< tasks and streams that were there keep their numbers
  DataflowDesign design;
  TaskNames names;
};

}  // namespace sluice
