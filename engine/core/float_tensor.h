#pragma once
// FloatTensor: a dense row-major array of floats, as the functional mode reads and writes them.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sluice {

struct FloatTensor {
  std::vector<std::size_t> shape;  ///< outermost first; empty = scalar
  std::vector<float> data;         ///< product(shape) values

  bool operator==(const FloatTensor&) const = default;
};

using TensorSet = std::map<std::string, FloatTensor>;  ///< by name

}  // namespace sluice
