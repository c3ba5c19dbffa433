#pragma once
// A dataflow design while it is changed at several places, each of which leaves the others as they are. Tasks
// are only marked to go, so that tasks and streams that were there keep their numbers; all go at the end.

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/design_index.h"

namespace sluice::inline tensor {

struct DesignEdit {
  explicit DesignEdit(const DesignIndex& index)
      : before(index), design(index.design()), names(index.design()) {}

  const DesignIndex& before;
  DataflowDesign design;
  TaskNames names;
  std::size_t postponed = 0;  ///< changes that another one was in the way of: they are made another time

  /// Claims tasks with their neighbours, the ends of their streams, for one change; false, and counted as
  /// postponed, where one of them is claimed already.
  bool claim(std::span<const std::size_t> tasks);
  /// The same of tensors, with what shares their external memory.
  bool claimMemory(std::span<const std::size_t> tensors);
  /// All streams from a task that is claimed leave an output of a neighbour instead.
  void moveStreams(std::size_t task, PortRef output);
  void remove(std::size_t task);
  /// The design without the tasks that were removed.
  DataflowDesign finished() &&;

 private:
  bool claimAll(const std::vector<std::size_t>& numbers, std::vector<bool>& claimed);

  std::vector<bool> claimed_, claimed_memory_, removed_;
};

}  // namespace sluice::inline tensor
