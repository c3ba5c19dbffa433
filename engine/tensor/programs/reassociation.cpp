#include "engine/tensor/programs/reassociation.h"

namespace sluice::inline tensor {
namespace {

/// Multiplies dimensions of `shape` from `at` on up to `target`; where that is met, the end, otherwise empty.
std::optional<std::size_t> gather(std::span<const std::int64_t> shape, std::size_t at, std::int64_t target) {
  std::int64_t product = 1;
  while (at < shape.size() && product < target) {
    if (target % (product * shape[at]) != 0) return {};
    product *= shape[at++];
  }
  return product == target ? std::optional(at) : std::nullopt;
}

}  // namespace

std::optional<std::vector<ReassociationGroup>> reassociation(std::span<const std::int64_t> from,
                                                             std::span<const std::int64_t> to) {
  std::vector<ReassociationGroup> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReassociationGroup group{i, i, j, j};
    if (i < from.size() && from[i] == 1 && (j == to.size() || to[j] != 1)) {
      group.from_end = ++i;
    } else if (j < to.size() && to[j] == 1 && (i == from.size() || from[i] != 1)) {
      group.to_end = ++j;
    } else if (i == from.size() || j == to.size()) {
      return {};
    } else if (from[i] == to[j]) {
      group.from_end = ++i;
      group.to_end = ++j;
    } else if (from[i] > to[j]) {
      const auto end = gather(to, j, from[i]);
      if (!end) return {};
      group.from_end = ++i;
      group.to_end = j = *end;
    } else {
      const auto end = gather(from, i, to[j]);
      if (!end) return {};
      group.from_end = i = *end;
      group.to_end = ++j;
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace sluice::inline tensor
