// sluice-bench: the figures that matter, not tests. Flags are those of Google Benchmark
// (--benchmark_filter=..., --benchmark_format=json).

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
