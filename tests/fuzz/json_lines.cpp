// Explorations as JSON Lines, read into a fresh store in memory-backed files where there are some.

#include "engine/explorer/store/json_lines.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace sluice;

void read(const std::filesystem::path& file, std::string_view text) {
  Result<ResultStore> store = ResultStore::open(file, ResultStore::Access::Write);
  if (!store) return fuzz::insistOnReasons(store.diagnostics());
  std::istringstream in{std::string(text)};
  const Result<MergeReport> report = readJsonLines(*store, in, "fuzz");
  if (!report) fuzz::insistOnReasons(report.diagnostics());
  const auto written = writeJsonLines(*store, {}, [](std::string_view) -> Result<Done> { return Done{}; });
  fuzz::insist(bool(written), "what was read is written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::filesystem::path shm = "/dev/shm";
  const std::filesystem::path folder =
      std::filesystem::is_directory(shm) ? shm : std::filesystem::temp_directory_path();
  const std::filesystem::path file = folder / ("sluice-fuzz-lines-" + std::to_string(::getpid()) + ".db");
  read(file, fuzz::textOf(data, size));
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + tail);
  return 0;
}
