// Programs that STeP's own simulator has run: the cycles lie between the least and the greatest that it gave,
// or one above (engine/simulator/exact_timing.md; tests/data/step/README.md).

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "engine/explorer/evaluate.h"
#include "engine/importers/registry.h"

namespace sluice::reference_runs_test {

struct ReferenceRun {
  std::string graph;
  std::int64_t channel_depth = 0, hbm_channels = 0;
  Cycles least = 0, greatest = 0;
};

const std::filesystem::path folder = std::filesystem::path(SLUICE_BINARY_DIR) / "reference_runs";

std::vector<ReferenceRun> referenceRuns() {
  std::vector<ReferenceRun> runs;
  std::ifstream file(folder / "runs.csv");
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    ReferenceRun run;
    char comma = 0;
    std::getline(cells, run.graph, ',');
    cells >> run.channel_depth >> comma >> run.hbm_channels >> comma >> run.least >> comma >> run.greatest;
    runs.push_back(run);
  }
  return runs;
}

Cycles cyclesOf(const ReferenceRun& run, std::int64_t controller_wait) {
  ImportOptions options;
  options.fifo_depth = run.channel_depth;
  Result<Imported> imported = importFile(folder / run.graph / "graph.pb", options);
  if (!imported) throw std::runtime_error(text(imported.diagnostics()));
  imported->document.machine.hbm_channels = run.hbm_channels;
  imported->document.machine.hbm_controller_wait = controller_wait;
  const auto workload = makeWorkload(std::move(imported->document), folder / run.graph);
  if (!workload) throw std::runtime_error(text(workload.diagnostics()));
  const Result<PointResult> result = evaluate(**workload, {}, RecordMode::Count);
  if (!result) throw std::runtime_error(text(result.diagnostics()));
  return result->simulation.cycles;
}

/// How far from what the reference gave: 0 inside its own spread, else cycles above it, or below.
std::int64_t distance(const ReferenceRun& run, Cycles cycles) {
  if (cycles > run.greatest) return static_cast<std::int64_t>(cycles - run.greatest);
  return cycles < run.least ? -static_cast<std::int64_t>(run.least - cycles) : 0;
}

/// Where a Reassemble waits for what is limited by compute, only the order in which the reference's host ran
/// its processes would tell the rest (engine/simulator/exact_timing.md).
const std::map<std::string, std::int64_t> known = {{"red_10", -1},  {"red_11", -1},  {"red_13", -1},
                                                   {"red_15", -11}, {"red_16", -11}, {"minwb_late1_n4", -63}};

TEST(ReferenceRuns, AreMetWithinACycle) {
  const std::vector<ReferenceRun> runs = referenceRuns();
  ASSERT_EQ(runs.size(), 217u) << "unpacked by CMake into " << folder;
  for (const ReferenceRun& run : runs) {
    const std::int64_t zero = distance(run, cyclesOf(run, 0)), one = distance(run, cyclesOf(run, 1));
    if (const auto off = known.find(run.graph); off != known.end()) {
      EXPECT_EQ(zero, off->second) << run.graph;
      continue;
    }
    EXPECT_TRUE(zero == 0 || zero == 1 || one == 0 || one == 1)
        << run.graph << ": " << zero << " or " << one << " from " << run.least << ".." << run.greatest;
  }
}

}  // namespace sluice::reference_runs_test
