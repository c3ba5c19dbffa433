#pragma once
// sluice-cli design --benchmark: the designer on problems whose best points are published.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"

namespace sluice::cli {

struct BenchmarkOptions {
  bool wanted = false, json = false;
  std::string traces;
  std::string out;                ///< folder; empty: none
  std::vector<std::string> only;  ///< problems, or beginnings of their names; none: all
  std::uint64_t seeds = 1, seed = 1;
  std::optional<std::int64_t> budget;
  double seconds = 0;  ///< of one search; 0: no limit
  unsigned threads = 0;
};

/// Those that only the benchmark has.
void addBenchmarkOptions(Command& command, BenchmarkOptions& options);
int runBenchmark(const BenchmarkOptions& options, Process& process);

}  // namespace sluice::cli
