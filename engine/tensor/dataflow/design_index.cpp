#include "engine/tensor/dataflow/design_index.h"

#include <algorithm>

#include "engine/tensor/dataflow/dataflow_graph.h"

namespace sluice::inline tensor {

NumbersByKey::NumbersByKey(std::span<const std::size_t> key_of, std::size_t keys)
    : begin_(keys + 1, 0), numbers_(key_of.size()) {
  for (const std::size_t key : key_of) ++begin_[key + 1];
  for (std::size_t key = 0; key < keys; ++key) begin_[key + 1] += begin_[key];
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t number = 0; number < key_of.size(); ++number) numbers_[next[key_of[number]]++] = number;
}

DesignIndex::DesignIndex(const DataflowDesign& design)
    : design_(&design),
      order_(taskOrder(design)),
      storage_(sluice::storages(design)),
      writers_(sluice::writers(design.program)),
      accesses_(externalAccesses(design)) {
  const auto sorted = [](const auto& list, std::size_t keys, const auto& key) {
    std::vector<std::size_t> key_of;
    key_of.reserve(list.size());
    for (const auto& each : list) key_of.push_back(key(each));
    return NumbersByKey(key_of, keys);
  };
  const std::size_t tasks = design.tasks.size(), tensors = design.program.tensors.size();
  std::size_t outputs = 0, groups = 0;
  for (const Task& task : design.tasks) {
    groups = std::max(groups, task.group + 1);
    first_output_.push_back(outputs);
    outputs += task.outputs.size();
  }
  using Stream = DataflowStream;
  using Access = ExternalAccess;
  from_port_ = sorted(design.streams, outputs,
                      [this](const Stream& s) { return first_output_[s.from.task] + s.from.port; });
  from_task_ = sorted(design.streams, tasks, [](const Stream& s) { return s.from.task; });
  into_task_ = sorted(design.streams, tasks, [](const Stream& s) { return s.to.task; });
  by_tensor_ = sorted(accesses_, tensors, [](const Access& a) { return a.port.tensor; });
  by_storage_ = sorted(accesses_, tensors, [this](const Access& a) { return storage_[a.port.tensor]; });
  by_group_ = sorted(accesses_, groups, [](const Access& a) { return a.group; });
  groups_.resize(groups);
  describeGroups();
}

void DesignIndex::describeGroups() {
  std::vector<bool> computed(design_->tasks.size(), false);  // it depends on a compute task
  for (const std::size_t task : order_) {
    for (const std::size_t stream : streamsInto(task)) {
      const std::size_t producer = design_->streams[stream].from.task;
      if (computed[producer] || design_->tasks[producer].kind == TaskKind::Compute) computed[task] = true;
    }
    const Task& own = design_->tasks[task];
    if (own.kind == TaskKind::Compute && !computed[task]) groups_[own.group].starts.push_back(task);
    if (own.kind == TaskKind::Fork) groups_[own.group].forks = true;
  }
}

std::optional<std::size_t> DesignIndex::streamInto(PortRef input) const {
  for (const std::size_t stream : into_task_[input.task])
    if (design_->streams[stream].to == input) return stream;
  return {};
}

}  // namespace sluice::inline tensor
