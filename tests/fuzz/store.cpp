// A result store that is any bytes: browsed, written to and merged.

#include "engine/explorer/store/result_store.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/fuzz/fuzz_target.h"

namespace {

using namespace sluice;

struct Folder {
  std::filesystem::path path =  // in memory where that can be: a store waits for the disk
      (std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                 : std::filesystem::temp_directory_path()) /
      ("sluice-fuzz-store-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

void browse(ResultStore& store) {
  const auto list = store.explorations();
  if (!list) return fuzz::insistOnReasons(list.diagnostics());
  for (const ExplorationRecord& record : *list) {
    const auto points = store.points(record);
    if (!points) fuzz::insistOnReasons(points.diagnostics());
    const auto frontier = store.frontier(record, {"cycles", "on_chip_bytes"});
    if (!frontier) fuzz::insistOnReasons(frontier.diagnostics());
  }
  const auto csv = store.writeCsv({}, [](std::string_view) -> Result<Done> { return Done{}; });
  if (!csv) fuzz::insistOnReasons(csv.diagnostics());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Folder folder;
  const std::filesystem::path file = folder.path / "s.db", other = folder.path / "other.db";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  std::filesystem::copy_file(file, other);
  for (const auto access : {ResultStore::Access::Read, ResultStore::Access::Write}) {
    Result<ResultStore> store = ResultStore::open(file, access);
    if (!store) {
      fuzz::insistOnReasons(store.diagnostics());
      continue;
    }
    browse(*store);
    if (access == ResultStore::Access::Read) continue;
    ExplorationRecord record = explorationHere();
    record.knobs = {{}};
    record.knobs[0].name = "k";
    if (const auto begun = store->begin(record); begun) {
      Visit visit;
      visit.number = 0;
      visit.point.knobs["k"] = 1;
      if (const auto written = store->write(*begun, std::span(&visit, 1)); !written)
        fuzz::insistOnReasons(written.diagnostics());
    } else {
      fuzz::insistOnReasons(begun.diagnostics());
    }
    if (const auto merged = store->merge(other); !merged) fuzz::insistOnReasons(merged.diagnostics());
  }
  return 0;
}
