#pragma once
// Traces of our own making, as the published files are written.

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/core/int_tensor.h"

namespace sluice {

/// A .npy of little-endian 64-bit integers, or of other elements of 64 bits.
inline void writeNpy(const std::filesystem::path& file, const IntTensor& tensor,
                     const std::string& type = "<i8") {
  std::string shape;
  for (const std::size_t extent : tensor.shape) shape += std::to_string(extent) + ",";
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  std::ofstream out(file, std::ios::binary);
  out.write("\x93NUMPY\x01\x00\x76\x00", 10);
  out << header;
  for (const std::int64_t value : tensor.data)
    for (int byte = 0; byte < 8; ++byte) out.put(static_cast<char>(value >> (8 * byte)));
}

}  // namespace sluice
