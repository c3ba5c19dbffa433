// The result store: points written a second, opening a large one, its frontier.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "engine/core/random.h"
#include "engine/explorer/store/result_store.h"

namespace sluice {
namespace {

ExplorationRecord record() {
  ExplorationRecord made = explorationHere();
  made.workload = "bench";
  for (const char* name : {"tile", "depth", "ways"}) {
    Knob knob;
    knob.name = name;
    knob.maximum = 1 << 20;
    made.knobs.push_back(knob);
  }
  return made;
}

std::vector<Visit> points(std::int64_t first, std::int64_t count) {
  SplitMix64 random(static_cast<std::uint64_t>(first));
  std::vector<Visit> visits;
  for (std::int64_t i = first; i < first + count; ++i) {
    DesignPoint point;
    point.knobs = {{"tile", i % 64}, {"depth", i / 64 % 512}, {"ways", i / 32768}};
    point.metrics.cycles = 1 + random.below(1u << 24);
    point.metrics.on_chip_bytes = (std::uint64_t{1} << 44) / point.metrics.cycles + random.below(1u << 24);
    point.metrics.off_chip_bytes = random.below(1u << 30);
    point.metrics.flops = 1u << 30;
    visits.push_back({static_cast<std::uint64_t>(i), std::move(point)});
  }
  return visits;
}

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return *std::move(result);
}

/// On the disk that the working folder is on: a tmpfs would flatter.
std::filesystem::path freshFile(const char* name) {
  const std::filesystem::path file = std::string(name) + std::to_string(getpid()) + ".db";
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + tail);
  return file;
}

void BM_StoreWrite(benchmark::State& state) {
  const std::filesystem::path file = freshFile("bench_write");
  {
    ResultStore store = must(ResultStore::open(file, ResultStore::Access::Write));
    const ExplorationRecord exploration = must(store.begin(record()));
    std::int64_t next = 0;
    for (auto _ : state) {
      state.PauseTiming();
      const std::vector<Visit> batch = points(next, state.range(0));
      next += state.range(0);
      state.ResumeTiming();
      must(store.write(exploration, batch));
    }
    state.SetItemsProcessed(next);
  }
  freshFile("bench_write");
}
BENCHMARK(BM_StoreWrite)->Arg(1)->Arg(100)->Arg(10000)->UseRealTime()->Unit(benchmark::kMillisecond);

/// A store of 10^6 points; made once, gone with the program.
struct LargeStore {
  std::filesystem::path file = freshFile("bench_large");

  LargeStore() {
    ResultStore store = must(ResultStore::open(file, ResultStore::Access::Write));
    const ExplorationRecord exploration = must(store.begin(record()));
    for (std::int64_t first = 0; first < 1'000'000; first += 20'000)
      must(store.write(exploration, points(first, 20'000)));
  }
  ~LargeStore() { freshFile("bench_large"); }
};

const std::filesystem::path& largeStore() {
  static const LargeStore made;
  return made.file;
}

void BM_StoreOpenMillion(benchmark::State& state) {
  largeStore();
  for (auto _ : state) {
    ResultStore store = must(ResultStore::open(largeStore(), ResultStore::Access::Write));
    benchmark::DoNotOptimize(must(store.explorations()).front().points);
  }
}
BENCHMARK(BM_StoreOpenMillion)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_StoreFrontierMillion(benchmark::State& state) {
  ResultStore store = must(ResultStore::open(largeStore(), ResultStore::Access::Read));
  const ExplorationRecord exploration = must(store.explorations()).front();
  std::size_t size = 0;
  for (auto _ : state) size = must(store.frontier(exploration, {"cycles", "on_chip_bytes"})).size();
  state.counters["frontier"] = static_cast<double>(size);
}
BENCHMARK(BM_StoreFrontierMillion)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice
