#pragma once
// Options of the test bench.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "arrays.h"
#include "dataflow.h"

namespace bench {

/// --depth NAME=SLOTS for another depth of a stream, --peaks to print how full each was.
struct Options {
  bool peaks = false;
};

/// `streams`: those that there are.
inline Options optionsOf(int count, char** words, const std::vector<std::string>& streams) {
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
      const std::string name = given.substr(0, equals);
      if (std::find(streams.begin(), streams.end(), name) == streams.end())
        stop("no stream is called " + name + "; --peaks prints the names of all");
      csim::Monitor::the().depths[name] = static_cast<int>(slots);
      continue;
    }
#else
    (void)streams;
#endif
    stop("options: --depth NAME=SLOTS, --peaks");
  }
  return options;
}

inline void conclude(const Options& options) {
#ifdef CSIM_THREADS
  const csim::Monitor& monitor = csim::Monitor::the();
  if (options.peaks)
    for (const auto& peak : monitor.peaks)
      std::printf("%s: %d of %d slots\n", peak.first.c_str(), peak.second.first, peak.second.second);
#else
  (void)options;
#endif
}

}  // namespace bench
