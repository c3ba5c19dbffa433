// Layout converters: inferences a second over the tilings of a matrix, the work of a search over tile sizes
// and loop orders.

#include <benchmark/benchmark.h>

#include "engine/itensor/converter.h"

namespace sluice {
namespace {

/// Tilings of a 1024x1024 matrix: four tiles, both loop orders, read once or again for every row of tiles.
std::vector<ITensor> tilings() {
  std::vector<ITensor> types;
  for (const std::int64_t rows : {16, 32}) {
    for (const std::int64_t columns : {16, 64}) {
      const ITensorLoop down{1024 / rows, rows}, across{1024 / columns, columns}, again{16, 1};
      const auto add = [&](std::vector<ITensorLoop> loops, std::size_t row_loop, std::size_t column_loop) {
        const std::size_t n = loops.size();
        types.push_back({{rows, columns},
                         {},
                         false,
                         std::move(loops),
                         {AffineForm::loop(row_loop, n), AffineForm::loop(column_loop, n)}});
      };
      add({down, across}, 0, 1);
      add({across, down}, 1, 0);
      add({down, again, across}, 0, 2);
      add({across, again, down}, 2, 0);
    }
  }
  return types;
}

void inferPairs(benchmark::State& state) {
  const std::vector<ITensor> types = tilings();
  const std::vector<std::int64_t> shape = {1024, 1024};
  for ([[maybe_unused]] auto _ : state) {
    for (const ITensor& source : types) {
      for (const ITensor& result : types) benchmark::DoNotOptimize(inferConverter(source, result, shape));
    }
  }
  const auto pairs = static_cast<std::int64_t>(types.size() * types.size());
  state.SetItemsProcessed(state.iterations() * pairs);
}

[[maybe_unused]] const auto* infer =
    benchmark::RegisterBenchmark("tensor/infer_converters", inferPairs) -> Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice
