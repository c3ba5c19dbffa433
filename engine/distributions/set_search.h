#pragma once
// SetSearch: an exploration whose points are evaluated under every trace of a set: objectives and constraints
// are statistics, the store keeps the runs.

#include "engine/distributions/sample_store.h"
#include "engine/distributions/sample_table.h"
#include "engine/explorer/exploration_backend.h"

namespace sluice::inline distributions {

/// The statistic that a metric's name means; of a plain metric `otherwise`. The name must be a metric's.
Statistic statisticMeant(const std::string& name, StatisticKind otherwise);

/// What a search over a set asks of a point.
struct SetRequest {
  SetOptions options;
  std::vector<Statistic> objectives;
};
/// Turns plain metrics into statistics: an objective into its mean, a constraint into its worst value. Names
/// that are no metrics stay, to be refused with the others.
SetRequest setRequest(std::vector<std::string>& objectives, std::vector<Constraint>& constraints);

class SetSearch : public ExplorationBackend {
 public:
  /// All must live as long as the search. Errors: what only one trace can have.
  static Result<std::unique_ptr<SetSearch>> begin(const WorkloadSet& set, Executor& executor,
                                                  const SamplingPrecision& precision,
                                                  ExploreOptions& request);

  /// Until evaluator() is called.
  SetOptions& options() { return request_.options; }
  /// For plots: points have p5 and p95 of every metric besides, which are drawn as lines through them. Their
  /// samples go into the table, if there is one. Until evaluator() is called.
  void showSpreads(std::shared_ptr<SampleTable> table);
  const std::vector<Statistic>& objectives() const { return request_.objectives; }

  ExplorationRecord record(ExplorationRecord of_one) override;
  Result<PointStore*> keep(const std::filesystem::path& store, SqlitePointStore& points,
                           bool resume) override;
  TraceEvaluator& evaluator() override;
  Diagnostics trouble() const override { return evaluator_ ? evaluator_->trouble() : Diagnostics(); }

 private:
  SetSearch(const WorkloadSet& set, Executor& executor) : set_(set), executor_(executor) {}

  const WorkloadSet& set_;
  Executor& executor_;
  SetRequest request_;
  SetHashes hashes_;
  std::unique_ptr<SampleStore> samples_;
  std::unique_ptr<SummaryStore> summaries_;
  std::unique_ptr<TraceEvaluator> evaluator_;
};

}  // namespace sluice::inline distributions
