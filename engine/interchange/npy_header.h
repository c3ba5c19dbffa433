#pragma once
// The header of a .npy file: a Python dictionary with the element type, the order and the shape.

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace sluice::inline interchange {

struct NpyType {
  std::size_t size = 8;  ///< bytes of an element: 1, 2, 4, 8
  bool is_signed = true;
  bool is_float = false;  ///< IEEE, of 2, 4 or 8 bytes
  bool big_endian = false;
};

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Accepts the dictionaries that numpy.save writes, with integer and boolean elements, and on request with
/// floating-point ones. Shape extents fit in
/// 63 bits each; their product is the caller's to check.
Result<NpyHeader> parseNpyHeader(std::string_view text, const Location& place, bool floats = false);

}  // namespace sluice::inline interchange
