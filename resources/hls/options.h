#pragma once
// Options of the test bench.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "arrays.h"
#include "dataflow.h"

namespace bench {

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
      char* end = nullptr;
      const long slots = equals == std::string::npos ? 0 : std::strtol(given.c_str() + equals + 1, &end, 10);
      if (slots < 1 || slots > 1000000000 || *end != '\0') stop("--depth takes NAME=SLOTS, at least one slot");
      csim::Monitor::the().depths[given.substr(0, equals)] = static_cast<int>(slots);
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
