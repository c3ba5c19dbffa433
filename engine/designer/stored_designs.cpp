#include "engine/designer/stored_designs.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "engine/designer/design_store.h"
#include "engine/distributions/sample_store.h"
#include "engine/explorer/store/workload_hash.h"

namespace sluice::inline designer {
namespace {

/// Of the program under every beginning of its schedule.
std::set<std::string> hashesOfBeginnings(const WorkloadSet& set) {
  const std::vector<ScheduleStep>& steps = set.workload->document.schedule;
  std::set<std::string> hashes;
  for (std::size_t kept = 0; kept <= steps.size(); ++kept) {
    const auto end = steps.begin() + static_cast<std::ptrdiff_t>(kept);
    const auto begun = std::make_shared<const Workload>(withSchedule(*set.workload, {steps.begin(), end}));
    hashes.insert(set.empty() ? workloadHash(*begun)
                              : hashesOf(WorkloadSet{begun, set.traces, set.chosen, {}}).set);
  }
  return hashes;
}

}  // namespace

Result<StoredDesigns> storedDesigns(const std::filesystem::path& store, const WorkloadSet& set) {
  SLUICE_TRY(ResultStore opened, ResultStore::open(store, ResultStore::Access::Read));
  SLUICE_TRY(const std::vector<ExplorationRecord> records, opened.explorations());
  const std::set<std::string> hashes = hashesOfBeginnings(set);
  auto searches = records | std::views::reverse | std::views::filter(DesignStore::isSearch);  // oldest first
  const auto found = std::ranges::find_if(
      searches, [&](const ExplorationRecord& each) { return hashes.contains(each.workload); });
  if (found == searches.end())
    return error("missing-data", Location(Where::Store, store.string()),
                 searches.empty()
                     ? "it holds no search for designs"
                     : "its searches for designs are of other programs, of this one before it was edited, or "
                       "with another --technology or --input",
                 "find designs again into it: sluice-cli design FILE --store " + store.string());
  SLUICE_TRY(std::vector<DesignPoint> points, opened.points(*found));
  return StoredDesigns{*found, std::move(points)};
}

}  // namespace sluice::inline designer
