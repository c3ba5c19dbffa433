#pragma once
// SampleStore: the runs of an exploration over a set of traces, in a result store. A run under a trace is a
// point of the program with that trace alone, so that it is found again whatever set the trace comes in.

#include <filesystem>

#include "engine/distributions/trace_evaluator.h"
#include "engine/explorer/store/sqlite_point_store.h"

namespace sluice::inline distributions {

/// The hash of each trace's program, and of all of them together.
struct SetHashes {
  std::vector<std::string> traces;
  std::string set;
};
SetHashes hashesOf(const WorkloadSet& set);

class SampleStore : public SampleKeeper {
 public:
  /// `exploration`: begun in this store. With `resume` what is there is not evaluated again.
  static Result<std::unique_ptr<SampleStore>> open(const std::filesystem::path& file,
                                                   const ExplorationRecord& exploration,
                                                   const WorkloadSet& set, const SetHashes& hashes,
                                                   bool resume);

  Result<Done> known(std::size_t trace, std::span<const KnobValues> knobs, Fidelity fidelity,
                     const std::function<void(std::size_t, DesignPoint)>& found) override;
  void add(std::size_t trace, const DesignPoint& point) override;
  Result<Done> flush() override;

 private:
  SampleStore(ResultStore store, ExplorationRecord exploration, std::vector<std::string> hashes, bool resume)
      : store_(std::move(store)),
        exploration_(std::move(exploration)),
        hashes_(std::move(hashes)),
        resume_(resume) {}

  ResultStore store_;
  ExplorationRecord exploration_;
  std::vector<std::string> hashes_;
  bool resume_;
  std::vector<Visit> waiting_;
};

/// A store whose points are made anew from their samples: what it knows is not asked for.
class SummaryStore : public PointStore {
 public:
  explicit SummaryStore(PointStore& into) : into_(into) {}
  Result<Done> known(std::span<const KnobValues>, Fidelity,
                     const std::function<void(std::size_t, DesignPoint)>&) override {
    return Done{};
  }
  void add(std::uint64_t number, const DesignPoint& point, bool) override { into_.add(number, point, false); }
  void addAside(const DesignPoint&) override {}
  Result<std::vector<DesignPoint>> others() override { return std::vector<DesignPoint>(); }

 private:
  PointStore& into_;
};

}  // namespace sluice::inline distributions
