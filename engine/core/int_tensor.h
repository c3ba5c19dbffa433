#pragma once
// IntTensor: a dense row-major array of integers, as routing traces and sequence lengths come.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice {

struct IntTensor {
  std::vector<std::size_t> shape;  ///< outermost first; empty = scalar
  std::vector<std::int64_t> data;  ///< product(shape) values

  bool operator==(const IntTensor&) const = default;
};

}  // namespace sluice
