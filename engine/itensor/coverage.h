#pragma once
// Which elements of a tensor a stream really sends, and how often. That the stream reaches from the first
// element to the last says little: tiles of 2 at every third element reach over all 8 and never send two of
// them. A writer needs exact coverage; overlap is legal for readers (a sliding window), gaps only for a
// slice.
//
// Dimensions that share no loop are counted apart and multiplied, so that large tensors cost nothing; a
// dimension whose tiles overlap, or dimensions that share a loop, are counted element by element up to a
// bound.

#include <string>
#include <vector>

#include "engine/itensor/itensor.h"

namespace sluice::inline itensor {

enum class CoverageKind { Exact, Overlap, Gap, OutOfRange };
std::string text(CoverageKind kind);

/// Of dimensions that move together; the others left aside, reuse left out.
struct GroupCoverage {
  std::vector<std::size_t> dimensions;
  std::int64_t elements = 0;                       ///< of the tensor in these dimensions
  std::int64_t covered = 0;                        ///< of them, sent at least once
  std::int64_t outside = 0;                        ///< sent, but not of the tensor
  std::int64_t least_visits = 0, most_visits = 0;  ///< over the covered ones; 0 where there are none

  bool operator==(const GroupCoverage&) const = default;
};

struct Coverage {
  std::int64_t elements = 0, covered = 0, outside = 0;
  std::int64_t least_visits = 0, most_visits = 0;
  std::int64_t revisit = 1;  ///< visits that whole-loop reuse accounts for
  std::vector<GroupCoverage> groups;

  std::int64_t missed() const { return elements - covered; }
  bool overlaps() const { return most_visits > revisit; }
  /// The worst that is true: out of range, else gap, else overlap.
  CoverageKind kind() const;

  bool operator==(const Coverage&) const = default;
};

/// Fails where the ranks differ or the counting would exceed its bound.
Result<Coverage> coverage(const ITensor& type, std::span<const std::int64_t> shape);

}  // namespace sluice::inline itensor
