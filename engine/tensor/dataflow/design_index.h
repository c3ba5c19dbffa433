#pragma once
// Where everything in a dataflow design is, found once for what asks often: the streams of a port, the
// transfers of a tensor, the memory that tensors share.

#include <optional>
#include <span>
#include <vector>

#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/dataflow/dataflow_types.h"

namespace sluice::inline tensor {

/// Numbers in lists by key, ascending.
class NumbersByKey {
 public:
  NumbersByKey() = default;
  /// The numbers 0, 1, ... by their keys, which are below `keys`.
  NumbersByKey(std::span<const std::size_t> key_of, std::size_t keys);

  std::span<const std::size_t> operator[](std::size_t key) const {
    return std::span(numbers_).subspan(begin_[key], begin_[key + 1] - begin_[key]);
  }

 private:
  std::vector<std::size_t> begin_, numbers_;
};

/// Of a sound design. Right as long as tasks, ports and streams stay joined as they are; depths, vectors,
/// folds and layouts may change.
class DesignIndex {
 public:
  DesignIndex(const DataflowDesign& design);  ///< implicit on purpose: for what asks a single time

  const DataflowDesign& design() const { return *design_; }
  std::size_t groups() const { return groups_.size(); }
  struct Group {
    std::vector<std::size_t> starts;  ///< its compute tasks that depend on none
    bool forks = false;               ///< it has a fork
  };
  const Group& group(std::size_t number) const { return groups_[number]; }
  /// Each task after those whose streams it reads.
  const std::vector<std::size_t>& order() const { return order_; }

  std::span<const std::size_t> streamsFrom(PortRef output) const {
    return from_port_[first_output_[output.task] + output.port];
  }
  std::span<const std::size_t> streamsFrom(std::size_t task) const { return from_task_[task]; }
  std::span<const std::size_t> streamsInto(std::size_t task) const { return into_task_[task]; }
  std::optional<std::size_t> streamInto(PortRef input) const;

  /// The operator that makes each tensor of the program.
  const std::vector<std::optional<std::size_t>>& writers() const { return writers_; }
  /// The tensor whose memory a tensor lies in: storages() of dataflow_graph.h.
  std::size_t storageOf(std::size_t tensor) const { return storage_[tensor]; }
  const std::vector<std::size_t>& storages() const { return storage_; }
  std::span<const ExternalAccess> accesses() const { return accesses_; }
  std::span<const std::size_t> accessesOfTensor(std::size_t tensor) const { return by_tensor_[tensor]; }
  /// Of all tensors that lie in this one's memory.
  std::span<const std::size_t> accessesOfStorage(std::size_t storage) const { return by_storage_[storage]; }
  std::span<const std::size_t> accessesOfGroup(std::size_t group) const { return by_group_[group]; }

 private:
  void describeGroups();

  const DataflowDesign* design_;
  std::vector<Group> groups_;
  std::vector<std::size_t> order_, first_output_, storage_;
  NumbersByKey from_port_, from_task_, into_task_;
  std::vector<std::optional<std::size_t>> writers_;
  std::vector<ExternalAccess> accesses_;
  NumbersByKey by_tensor_, by_storage_, by_group_;
};

}  // namespace sluice::inline tensor
