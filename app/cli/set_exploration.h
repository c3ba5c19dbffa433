#pragma once
// What `explore` does besides where inputs are sets of traces: a point is evaluated under every trace,
// objectives and constraints are statistics.

#include <memory>

#include "app/cli/command.h"
#include "app/cli/json.h"
#include "app/cli/set_options.h"
#include "engine/distributions/set_search.h"
#include "engine/explorer/explore.h"

namespace sluice::cli {

class SetExploration {
 public:
  /// Turns plain metrics of the request into statistics: an objective into its mean, a constraint into its
  /// worst value. Errors: what only one trace can have.
  static Result<std::unique_ptr<SetExploration>> begin(const WorkloadSet& set, unsigned threads,
                                                       const SetArguments& arguments,
                                                       ExploreOptions& request);

  /// Names and keeps it in a store.
  SetSearch& search() { return *search_; }

  /// After that its options are read no more.
  TraceEvaluator& evaluator(std::function<void(std::uint64_t runs, std::uint64_t of)> on_run);

  /// Adds what there is to tell of traces.
  void addTo(Json& report, const Exploration& result) const;
  void print(const Document& document, const Exploration& result, bool all) const;
  /// A row for each point and trace, as `distribution --csv` has for one point.
  Result<Done> writeSamples(const std::filesystem::path& file, const Document& document,
                            const Exploration& result) const;

 private:
  SetExploration(const WorkloadSet& set, unsigned threads) : set_(set), executor_(makeExecutor(threads)) {}
  std::vector<const PointSamples*> samplesOf(const Exploration& result) const;
  std::vector<const MetricSpec*> bases() const;

  const WorkloadSet& set_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<SetSearch> search_;
};

/// Refuses statistics where no input is a set.
Result<Done> refuseStatistics(const ExploreOptions& request);

}  // namespace sluice::cli
