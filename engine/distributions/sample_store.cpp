#include "engine/distributions/sample_store.h"

#include "engine/core/content_hash.h"
#include "engine/explorer/store/workload_hash.h"

namespace sluice::inline distributions {

SetHashes hashesOf(const WorkloadSet& set) {
  SetHashes hashes;
  ContentHash all;
  for (std::size_t trace = 0; trace < set.traces.size(); ++trace) {
    hashes.traces.push_back(workloadHash(set.at(trace)));
    all.add(hashes.traces.back());
  }
  hashes.set = all.hex();
  return hashes;
}

Result<std::unique_ptr<SampleStore>> SampleStore::open(const std::filesystem::path& file,
                                                       const ExplorationRecord& exploration,
                                                       const WorkloadSet& set, const SetHashes& hashes,
                                                       bool resume) {
  SLUICE_TRY(ResultStore store, ResultStore::open(file, ResultStore::Access::Write));
  std::vector<TraceRecord> traces;
  for (std::size_t trace = 0; trace < set.traces.size(); ++trace)
    traces.push_back({set.traces[trace].name, hashes.traces[trace]});
  SLUICE_CHECK(store.setTraces(exploration, traces));
  return std::unique_ptr<SampleStore>(new SampleStore(std::move(store), exploration, hashes.traces, resume));
}

Result<Done> SampleStore::known(std::size_t trace, std::span<const KnobValues> knobs, Fidelity fidelity,
                                const std::function<void(std::size_t, DesignPoint)>& found) {
  if (!resume_) return Done{};
  ExplorationRecord of = exploration_;
  of.workload = hashes_[trace];
  of.fidelity = fidelity;
  return store_.find(of, knobs, true, found);
}

void SampleStore::add(std::size_t trace, const DesignPoint& point) {
  waiting_.push_back({std::nullopt, point, false, hashes_[trace]});
}

Result<Done> SampleStore::flush() {
  if (waiting_.empty()) return Done{};
  SLUICE_CHECK(store_.write(exploration_, waiting_));
  waiting_.clear();
  return Done{};
}

}  // namespace sluice::inline distributions
