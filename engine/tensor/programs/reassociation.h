#pragma once
// Reshaping by splitting and merging neighbouring dimensions: which dimensions of two shapes belong together.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sluice::inline tensor {

/// Dimensions [from_begin, from_end) of one shape hold the same elements as [to_begin, to_end) of the other;
/// one of the two is a single dimension.
struct ReassociationGroup {
  std::size_t from_begin = 0, from_end = 0;
  std::size_t to_begin = 0, to_end = 0;

  bool operator==(const ReassociationGroup&) const = default;
};

/// The groups in order, covering both shapes; empty where the shapes do not correspond so. Dimensions of
/// extent 1 may appear and vanish anywhere (a group of one side only).
std::optional<std::vector<ReassociationGroup>> reassociation(std::span<const std::int64_t> from,
                                                             std::span<const std::int64_t> to);

}  // namespace sluice::inline tensor
