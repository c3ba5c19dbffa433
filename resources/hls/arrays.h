#pragma once
// The test bench's arrays: .npy files of float32 in C order, comparison, options of the command line.

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

#include "dataflow.h"

namespace bench {

[[noreturn]] inline void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

/// The values of an .npy file (version 1) that must have so many.
inline std::vector<float> readNpy(const std::string& file, std::size_t count) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0)
    stop(file + " is not there, or no .npy file");
  const std::size_t begin =
      10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  if (begin > bytes.size() || bytes.substr(10, begin - 10).find("'<f4'") == std::string::npos)
    stop(file + " is no array of float32");
  if (bytes.size() - begin != 4 * count)
    stop(file + " has " + std::to_string((bytes.size() - begin) / 4) + " values instead of " +
         std::to_string(count));
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

/// --depth NAME=SLOTS for another depth of a stream, --peaks to print how full each was.
struct Options {
  bool peaks = false;
};

inline Options optionsOf(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--peaks") {
      options.peaks = true;
      continue;
    }
#ifdef CSIM_THREADS
    if (word == "--depth" && i + 1 < count) {
      const std::string given = words[++i];
      const std::size_t equals = given.find('=');
      const int slots = equals == std::string::npos ? 0 : std::atoi(given.c_str() + equals + 1);
      if (slots < 1) stop("--depth takes NAME=SLOTS, at least one slot");
      csim::Monitor::the().depths[given.substr(0, equals)] = slots;
      continue;
    }
#endif
    stop("options: --depth NAME=SLOTS, --peaks");
  }
  return options;
}

inline void conclude(const Options& options) {
#ifdef CSIM_THREADS
  const csim::Monitor& monitor = csim::Monitor::the();
  for (const auto& depth : monitor.depths)
    if (monitor.peaks.count(depth.first) == 0) stop("no stream is called " + depth.first);
  if (options.peaks)
    for (const auto& peak : monitor.peaks)
      std::printf("%s: %d of %d slots\n", peak.first.c_str(), peak.second.first, peak.second.second);
#else
  (void)options;
#endif
}

}  // namespace bench
