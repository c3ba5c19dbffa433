#pragma once
// SearchContext: what a search strategy sees of an exploration. It asks for points by their index in the
// design space, a batch at a time, and gets their objectives; who evaluates them, what is stored, known
// already or over budget is not its business. What a strategy does next must depend on the answers and the
// seed alone: then the same seed gives the same result on any number of threads.

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "engine/explorer/explore.h"
#include "engine/explorer/search/knob_exchange.h"
#include "engine/explorer/search/numbering.h"

namespace sluice::inline explorer {

class SearchContext {
 public:
  /// `exchange`: points that are the same are evaluated once; null: all are taken for different.
  SearchContext(const DesignSpace& space, PointEvaluator& evaluator, const ExploreOptions& options,
                KnobExchange* exchange = nullptr);

  std::uint64_t size() const { return size_; }  ///< of the space
  /// Values of each knob; the digits of an index, the last the fastest.
  const std::vector<std::uint64_t>& radices() const { return numbering_.radices(); }
  /// Whether the knob's values have no order (Numbering::isCategory).
  bool isCategory(std::size_t knob) const { return numbering_.isCategory(knob); }
  std::uint64_t seed() const { return options_.seed; }
  std::size_t objectives() const { return options_.objectives.size(); }
  /// Whole evaluations that may still be made.
  std::uint64_t left() const;
  /// Stopped, budget spent or nothing new to see.
  bool over() const;
  std::uint64_t visited() const { return visits_.size(); }
  bool known(std::uint64_t index) const { return at_.contains(representative(index)); }
  const std::optional<ExploreOptions::Shard>& shard() const { return options_.shard; }
  /// Points known from elsewhere (a warm start), the best first.
  const std::vector<std::uint64_t>& start() const { return start_; }

  /// Row-major objectives of the points, all to be minimised; `infinite_cost` for one that is not done,
  /// breaks a constraint, or is over the budget. Points seen before cost nothing.
  std::vector<double> evaluate(std::span<const std::uint64_t> indices);
  /// By how much a point that was evaluated breaks the constraints, in shares of their bounds: 0 if by
  /// nothing, infinity if it was not done.
  double violation(std::uint64_t index) const;
  /// Whether bounds() tells something of every objective that an evaluation does not.
  bool bounded() const;
  /// Lower bounds of the same; `infinite_cost` for points that cannot fulfil the constraints or be
  /// elaborated, -infinity for what has no bound.
  std::vector<double> bounds(std::span<const std::uint64_t> indices);
  /// An estimate of the same by short runs; each costs `share` of an evaluation.
  std::vector<double> estimate(std::span<const std::uint64_t> indices, double share);
  /// That the bounds of these points made their evaluation pointless.
  void prune(std::uint64_t points) { pruned_ += points; }
  /// That the search is left to another strategy, of this name.
  void handOver(const char* strategy) { strategy_ = strategy; }
  static constexpr double infinite_cost = 1e300;

  // For explore().
  void warmStart();
  /// The points in the order of the space, their indices there, and the order in which they were visited.
  void take(Exploration& into);
  /// What the store could not do, or the diagnostics of the first point if every one was refused.
  const Diagnostics& trouble() const { return trouble_; }

 private:
  struct Fresh {
    std::uint64_t index, visit;
  };
  std::uint64_t representative(std::uint64_t index) const {
    return exchange_ ? exchange_->representative(index) : index;
  }
  std::vector<std::uint64_t> representatives(std::span<const std::uint64_t> indices) const;
  std::uint64_t addVisit(std::uint64_t index);
  std::string whyNot(const DesignPoint& bounds) const;  ///< the constraint that it breaks
  void rate(const DesignPoint& point, const std::vector<Constraint>& constraints,
            std::span<double> row) const;
  void rateBounds(const DesignPoint& point, std::span<double> row) const;
  /// Calls `finished` with position and outcome of each point, from the store where it knows it.
  using Seen = std::function<void(std::size_t, PointOutcome, bool stored)>;
  void run(std::span<const std::uint64_t> indices, Fidelity fidelity, double share, const Seen& seen);
  void runBatch(std::span<const std::uint64_t> indices, Fidelity fidelity, double share, const Seen& seen);
  void keep(std::uint64_t index, std::uint64_t visit, PointOutcome outcome, bool stored);

  const ExploreOptions& options_;
  PointEvaluator& evaluator_;
  Numbering numbering_;
  std::vector<std::uint64_t> start_;
  KnobExchange* const exchange_;
  std::uint64_t size_, different_;     ///< points of the space, and those that are not the same
  std::vector<std::uint64_t> visits_;  ///< indices in the order of their visit
  std::unordered_map<std::uint64_t, std::uint64_t> at_;  ///< index -> visit
  std::vector<std::optional<DesignPoint>> points_;       ///< by visit
  std::vector<double> rows_;                             ///< objectives, by visit
  std::uint64_t pruned_ = 0, reused_ = 0, refused_ = 0, retimed_ = 0;
  std::map<std::string, std::uint64_t> not_retimed_;
  std::uint64_t given_ = 0;  ///< visits that the budget paid for
  double spent_ = 0;         ///< on short runs, in whole evaluations
  std::uint64_t first_refused_ = std::numeric_limits<std::uint64_t>::max();
  Diagnostics first_refusal_, trouble_;
  std::vector<Constraint> estimable_;     ///< constraints that a short run can judge
  std::optional<DesignPoint> ruled_out_;  ///< the first whose bounds break a constraint, and why
  std::string strategy_;                  ///< that the points are chosen by
  ExploreProgress progress_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace sluice::inline explorer
