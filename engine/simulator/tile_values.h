#pragma once
// TileValues: the elements of a tile in functional mode. In timing mode no token has any.

#include <cstdint>
#include <vector>

namespace sluice::inline simulator {

struct TileValues {
  std::uint32_t rows = 0, cols = 0;
  /// The columns from here on are padding and zero: they stem from padding rows of a transposed weight, e.g.
  /// the scores of cached rows that do not exist yet.
  std::uint32_t valid_cols = 0;
  std::vector<float> elements;  ///< row-major
};

}  // namespace sluice::inline simulator
