#include "engine/tensor/dataflow/design_edit.h"

#include <algorithm>

namespace sluice::inline tensor {

bool DesignEdit::claimAll(const std::vector<std::size_t>& numbers, std::vector<bool>& claimed) {
  if (std::ranges::any_of(numbers, [&](std::size_t each) { return claimed[each]; })) {
    ++postponed;
    return false;
  }
  for (const std::size_t each : numbers) claimed[each] = true;
  return true;
}

bool DesignEdit::claim(std::span<const std::size_t> tasks) {
  claimed_.resize(before.design().tasks.size(), false);
  std::vector<std::size_t> all(tasks.begin(), tasks.end());
  for (const std::size_t task : tasks) {
    for (const std::size_t stream : before.streamsInto(task))
      all.push_back(before.design().streams[stream].from.task);
    for (const std::size_t stream : before.streamsFrom(task))
      all.push_back(before.design().streams[stream].to.task);
  }
  return claimAll(all, claimed_);
}

bool DesignEdit::claimMemory(std::span<const std::size_t> tensors) {
  claimed_memory_.resize(before.design().program.tensors.size(), false);
  std::vector<std::size_t> storages;
  for (const std::size_t tensor : tensors) storages.push_back(before.storageOf(tensor));
  return claimAll(storages, claimed_memory_);
}

void DesignEdit::moveStreams(std::size_t task, PortRef output) {
  const std::span<const std::size_t> moved = before.streamsFrom(task);
  for (const std::size_t stream : moved) design.streams[stream].from = output;
  resetEnds(design, moved);
  // They share their source now, with those that it had and with each other.
  for (const std::size_t stream : before.streamsFrom(output)) design.streams[stream].folded = false;
}

void DesignEdit::remove(std::size_t task) {
  removed_.resize(before.design().tasks.size(), false);
  removed_[task] = true;
}

DataflowDesign DesignEdit::finished() && {
  if (!removed_.empty()) {
    removed_.resize(design.tasks.size(), false);
    removeTasks(design, removed_);
  }
  return std::move(design);
}

}  // namespace sluice::inline tensor
