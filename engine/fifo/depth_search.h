#pragma once
// Searches the FIFO depths that free a deadlocked graph with the fewest bytes, by running it.
//
// No depth of a FIFO outside a wait cycle opens it: every solution enlarges one of the full FIFOs
// in it. So the search branches on these, cheapest first (uniform cost), with lower bounds: a FIFO must hold
// at least what it needs when all others are unlimited. Growing them all (Parks) and shrinking each again
// gives a solution to begin with, which stands if the budget ends before a cheaper one is ruled out.
//
// Where the order of arrival decides what happens, a wait cycle may go away for other reasons and deeper need
// not be better. There it branches on every FIFO that was ever full, a token at a time: a deeper FIFO that
// never held anybody up leaves the run as it is.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/operators/depth_problem.h"
#include "engine/operators/simulate.h"

namespace sluice::inline fifo {

struct SearchProgress {
  std::size_t runs = 0;
  double fraction = 0;          ///< of the budget; the search may end long before
  std::optional<double> bytes;  ///< of the best repair so far
};

struct SearchBudget {
  std::size_t runs = 20000;
  std::chrono::milliseconds time{4000};
  std::stop_token stop;
  std::function<void(const SearchProgress&)> progress = {};  ///< after each run, by the searching thread
};

struct DepthSolution {
  std::map<std::size_t, std::uint64_t> depths;  ///< group -> its new depth; others stay
  double bytes = 0;                             ///< more than before
  Cycles cycles = 0;                            ///< of the run with them
  bool minimal = false;                         ///< no cheaper one exists
};

class DepthSearch {
 public:
  /// `also`: other inputs under which the graph has to end too; what deadlocks under one of them has not
  /// ended.
  DepthSearch(DepthProblem problem, const SearchBudget& budget, std::vector<InputSet> also = {});

  /// Every FIFO that can be deepened is unlimited. What happens then is beyond any depth.
  SimulationResult runUnlimited();
  /// Bytes of a token of every stream; 1 where unknown. Before solve().
  void setTokenBytes(const std::vector<double>& bytes) { sluice::setTokenBytes(problem_, bytes); }
  /// Absent: none was found within the budget.
  std::optional<DepthSolution> solve();

  /// A run with other depths of some groups, shallower ones too; absent: the budget has ended.
  std::optional<SimulationResult> runWith(const std::map<std::size_t, std::uint64_t>& depths);

  /// What the streams carry does not depend on when it arrives: deeper FIFOs never deadlock.
  bool determinate() const;
  /// How much they carry does not, though it may come in another order: what unlimited FIFOs do not end, no
  /// depths do.
  bool countsDeterminate() const;
  const std::vector<DepthGroup>& groups() const { return problem_.groups; }
  std::size_t runs() const { return runs_; }
  bool gaveUp() const { return gave_up_; }

 private:
  using Depths = std::vector<std::uint64_t>;
  struct Node;
  struct Costlier;

  /// Under each of the inputs, until it deadlocks under one.
  std::optional<SimulationResult> run(const Depths& depths, RecordMode mode = RecordMode::Count);
  std::optional<SimulationResult> runUnder(const InputSet& inputs, RecordMode mode);
  bool determinateUnder(const InputSet& inputs) const;
  bool finishes(const Depths& depths);
  double cost(const Depths& depths) const;
  std::vector<std::size_t> fullGroups(const CircularWait& cycle, const DeadlockReport& report) const;
  std::optional<Depths> grow();
  void shrink(Depths& depths);
  std::uint64_t least(Depths& depths, std::size_t group, std::uint64_t from);
  std::vector<Node> branches(const Node& node, const DeadlockReport& report);
  bool mayHoldUp(std::size_t group, const SimulationResult& result) const;
  std::vector<Node> branchesAnywhere(const Node& node, const SimulationResult& result) const;

  DepthProblem problem_;  ///< its graph has the depths of the last run
  std::vector<InputSet> also_;
  std::size_t hardest_ = 0;  ///< of all inputs, the problem's first: those under which it deadlocked last
  SearchBudget budget_;
  std::chrono::steady_clock::time_point end_;
  Depths start_;                                      ///< of every stream
  std::vector<std::optional<std::size_t>> group_of_;  ///< by stream; absent: its depth is not open
  std::size_t runs_ = 0;
  std::optional<double> best_bytes_;
  bool gave_up_ = false;
};

}  // namespace sluice::inline fifo
