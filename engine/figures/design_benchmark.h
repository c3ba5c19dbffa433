#pragma once
// The designer's benchmark: problems for engine/designer, each with the points that were published for it (or
// that somebody's schedule gives), and what a search reaches of them (engine/designer/README.md).

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/designer/designer.h"
#include "engine/figures/figure.h"

namespace sluice::inline figures {

/// A point to be met: a design does that is no worse in any objective.
struct DesignTarget {
  std::string name;
  std::vector<double> values;  ///< parallel to the objectives, all to be minimised and positive
};

/// What a search begins with.
struct PosedProblem {
  std::shared_ptr<const Workload> workload;  ///< without a schedule
  KnobValues knobs;
  std::vector<DesignTarget> targets;
  FigureInputs inputs;
};

struct DesignProblem {
  std::string name;     ///< "fig9_mixtral_b64"
  std::string targets;  ///< where they come from: "Figure 9"
  std::string assumed;  ///< what the comparison takes for granted
  std::vector<std::string> objectives;
  std::uint64_t budget = 300;  ///< designs, unless another number is asked for
  std::function<Result<PosedProblem>(const FigureRequest&)> pose;
};
/// All of them, in the order of the page.
std::vector<DesignProblem> designProblems();

struct BenchmarkRequest {
  std::filesystem::path traces;  ///< as FigureRequest::traces
  Executor* executor = nullptr;  ///< must be set
  std::uint64_t seed = 1, seeds = 1;
  std::optional<std::uint64_t> budget = {};
  double seconds = std::numeric_limits<double>::infinity();  ///< of one search
  std::function<void(const std::string& problem, const DesignProgress&)> progress = {};
  std::stop_token stop = {};
};

struct BenchmarkSearch {
  std::uint64_t seed = 1, evaluations = 0;
  /// Evaluations up to the one that met the last target; nothing if one was not.
  std::optional<std::uint64_t> needed = {};
  double seconds = 0;
  double overhead = 0;                ///< DesignEffort::overhead()
  bool cancelled = false;             ///< a stop request ended it
  std::vector<double> frontier = {};  ///< rows of objectives
  /// Of each target: the least factor by which all its values have to grow until a design meets it. At most
  /// 1: it is met. NaN where no design runs.
  std::vector<double> factors = {};
  /// The greatest Pareto improvement distance of a design over the targets; NaN where none runs.
  double improvement = 0;
  double hypervolume = 0;  ///< share of the row's box
  std::size_t met() const;
};

struct BenchmarkRow {
  std::vector<DesignTarget> targets;
  FigureInputs inputs;
  std::vector<BenchmarkSearch> searches;
  /// Share of the box that the targets dominate. The box reaches from the best value of each objective to a
  /// tenth beyond the worst, over the targets and the frontiers of all searches.
  double hypervolume = 0;
};

/// Searches once a seed. After a stop request it gives what was searched by then, the last one as far as it
/// came. Errors: a trace that cannot be read, a problem that cannot be posed, a stop request before any
/// design.
Result<BenchmarkRow> runProblem(const DesignProblem& problem, const BenchmarkRequest& request);

}  // namespace sluice::inline figures
