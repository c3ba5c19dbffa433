#pragma once
// The arrays of test bench and host program: .npy files of float32 in C order, and comparison.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace bench {

[[noreturn]] inline void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

using Shape = std::vector<std::size_t>;

/// "(8, 16)".
inline std::string shapeText(const Shape& shape) {
  std::string text;
  for (const std::size_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}

/// The extents behind 'shape': in the header of an .npy file.
inline Shape shapeOf(const std::string& header) {
  Shape shape;
  std::size_t at = header.find("'shape':");
  at = at == std::string::npos ? at : header.find('(', at);
  const std::size_t end = at == std::string::npos ? at : header.find(')', at);
  while (at < end && end != std::string::npos) {
    at = header.find_first_of("0123456789", at);
    if (at >= end) break;
    shape.push_back(std::strtoull(header.c_str() + at, nullptr, 10));
    at = header.find_first_not_of("0123456789", at);
  }
  return shape;
}

/// The values of an .npy file (version 1) that must have this shape.
inline std::vector<float> readNpy(const std::string& file, const Shape& shape) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0)
    stop(file + " is not there, or no .npy file");
  const std::size_t begin =
      10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  const std::string header = begin > bytes.size() ? std::string() : bytes.substr(10, begin - 10);
  if (header.find("'<f4'") == std::string::npos) stop(file + " is no array of float32");
  if (header.find("'fortran_order': True") != std::string::npos)
    stop(file + " is in Fortran order; save it by numpy.ascontiguousarray");
  const Shape found = shapeOf(header);
  if (found != shape)
    stop(file + " has the shape " + shapeText(found) + "; the design was emitted for " + shapeText(shape) +
         ": give an array of that shape, or emit it again for the other");
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  if (bytes.size() - begin != 4 * count)
    stop(file + " has " + std::to_string((bytes.size() - begin) / 4) + " values, and not the " +
         std::to_string(count) + " of its shape");
  std::vector<float> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data() + begin, 4 * count);
  return values;
}

inline void writeNpy(const std::string& file, const std::string& shape, const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::ofstream out(file, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);
  const char length[2] = {static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  out.write(length, 2);
  out << header;
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(4 * values.size()));
  if (!out.flush()) stop("cannot write " + file);
}

/// Within 1e-5 of the larger of 1 and what is expected; says so.
inline bool agrees(const std::string& name, const std::vector<float>& got,
                   const std::vector<float>& expected) {
  std::size_t different = 0, wrong = 0;
  float largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
    ++different;
    const float distance = std::fabs(got[i] - expected[i]) / std::max(1.0f, std::fabs(expected[i]));
    if (!(distance <= 1e-5f)) ++wrong;
    if (!(distance <= largest)) largest = distance;
  }
  if (different == 0)
    std::printf("%s: %zu values, all bits as expected\n", name.c_str(), got.size());
  else
    std::printf("%s: %zu of %zu values differ, by at most %g; %zu by more than 1e-5\n", name.c_str(),
                different, got.size(), static_cast<double>(largest), wrong);
  return wrong == 0;
}

}  // namespace bench
