#pragma once
// Moving the border between groups of kernels: two groups become one, whose tensors stay on chip, or one is
// split in two, which exchange tensors through external memory.

#include <optional>

#include "engine/tensor/dataflow/design_index.h"

namespace sluice::inline tensor {

/// Group `group` and the one that runs after it. Legal where the capacity, if one is given, holds both.
Result<Done> checkFuseGroups(const DesignIndex& index, std::size_t group,
                             std::optional<std::int64_t> capacity = {});
/// Transfers between the two become streams, whose ends may disagree (materialise.h). What later groups or
/// results need is still stored.
Result<DataflowDesign> fuseGroups(const DataflowDesign& design, std::size_t group,
                                  std::optional<std::int64_t> capacity = {});

/// Legal for a compute task that does not begin its group.
Result<Done> checkSplitGroup(const DesignIndex& index, std::size_t task);
/// The task and all that depends on it in its group move to a new group behind it. Streams across become
/// external ports; converters in the way go.
Result<DataflowDesign> splitGroup(const DataflowDesign& design, std::size_t task);

}  // namespace sluice::inline tensor
