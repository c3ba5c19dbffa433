#pragma once
// The shape of a dense array (float_tensor.h) in messages and tables.

#include <string>

namespace sluice {

/// "8 x 16", in messages.
template <class Extents>
std::string extentsText(const Extents& shape) {
  std::string text;
  for (const auto extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "a single number" : text;
}

}  // namespace sluice
