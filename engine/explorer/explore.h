#pragma once
// Exploration of a document's design space by a search strategy.

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>

#include "engine/core/executor.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/pareto.h"
#include "engine/explorer/point_evaluator.h"

namespace sluice::inline explorer {

struct DesignSpace {
  std::vector<Knob> knobs;
  std::uint64_t size() const;                   ///< number of points; saturates at 2^63
  KnobValues point(std::uint64_t index) const;  ///< mixed radix, the last knob fastest
};
/// Of all knobs; those of `fixed` have that value only.
DesignSpace designSpace(const Document& document, const KnobValues& fixed = {});

struct ExploreProgress {
  std::uint64_t evaluated = 0, total = 0;
  double seconds_spent = 0, seconds_left = -1;  ///< -1: not known yet
};

/// "on_chip_bytes <= 4e6": points that break it are never on the frontier.
struct Constraint {
  std::string metric;
  bool at_most = true;  ///< else at least
  double value = 0;
};
/// Of the form METRIC<=NUMBER or METRIC>=NUMBER: a name or title, and a number with or without its unit.
Result<Constraint> parseConstraint(const std::string& text);

/// Where points come from and go to besides: a result store (store/sqlite_point_store.h).
class PointStore {
 public:
  virtual ~PointStore() = default;
  /// Calls with (position, point) for those of `points` that need no evaluation any more.
  virtual Result<Done> known(std::span<const KnobValues> points, Fidelity fidelity,
                             const std::function<void(std::size_t, DesignPoint)>& found) = 0;
  /// The number-th point of this exploration is there; `known`: it came from here. Does not wait for the
  /// disk.
  virtual void add(std::uint64_t number, const DesignPoint& point, bool known) = 0;
  /// A point at another level, met on the way.
  virtual void addAside(const DesignPoint& point) = 0;
  /// Points of this workload that somebody else has evaluated, for a warm start.
  virtual Result<std::vector<DesignPoint>> others() = 0;
};

struct ExploreOptions {
  std::string strategy = "exhaustive";  ///< a name of strategies()
  std::vector<std::string> objectives = defaultObjectives();
  std::uint64_t budget = 100000;  ///< most points; a larger space is an error if all of it is to be evaluated
  static constexpr std::uint64_t most_points = 10'000'000;  ///< kept in memory, half a kilobyte each
  std::uint64_t seed = 1;
  Fidelity fidelity = Fidelity::Count;
  KnobValues fixed;  ///< knobs that do not vary, with their values
  std::vector<Constraint> constraints;
  bool warm_start = false;  ///< begins with what the store knows of others
  /// Every count-th point from `number` on; only where the strategy lists points beforehand.
  struct Shard {
    std::uint64_t number = 0, count = 1;
  };
  std::optional<Shard> shard;
  PointStore* store = nullptr;
  std::stop_token stop;
  /// Called under a lock, from any worker, for every finished point and with its index in the space.
  std::function<void(std::uint64_t index, const DesignPoint&, const ExploreProgress&)> on_point;
};

struct Exploration {
  std::vector<DesignPoint>
      points;  ///< in the order of the space, whatever thread was first; cancelled ones left out
  std::vector<std::uint64_t> indices;  ///< of the points in the space
  std::vector<std::size_t> order;      ///< indices into points as the strategy visited them
  std::string strategy;                ///< that chose the points: what `auto` picked, or the one asked for
  std::vector<std::string> objectives;
  std::vector<std::size_t> frontier;  ///< indices into points, by the first objective
  std::vector<double> reference;      ///< corner of the hypervolume's box, as relativeHypervolume() has it
  double hypervolume = 0;             ///< share of the box that the points dominate, 0 to 1
  std::uint64_t pruned = 0;           ///< points whose bounds made their evaluation pointless
  std::uint64_t reused = 0;           ///< points that the store knew
  std::uint64_t retimed = 0;  ///< points whose run was taken from that of a point with other depths or times
  /// Why others, that differ from one in no more than these, were simulated, and how many.
  std::map<std::string, std::uint64_t> not_retimed;
  /// Where the bounds left no point to be evaluated: the first of them, with its cause.
  std::optional<DesignPoint> ruled_out;
  bool cancelled = false;
  double wall_seconds = 0;
};

/// Why explore() would refuse; nothing where it would begin.
Diagnostics checkExploration(const Document& document, const ExploreOptions& options);
Result<Exploration> explore(const Workload& workload, Executor& executor, const ExploreOptions& options);
/// The same, evaluated by whom one likes.
Result<Exploration> explore(const Workload& workload, PointEvaluator& evaluator,
                            const ExploreOptions& options);

/// Hypervolume after every visit, by a common reference (signed as Exploration::reference).
std::vector<double> hypervolumeByVisit(const Exploration& exploration,
                                       const std::vector<Constraint>& constraints,
                                       std::span<const double> reference);
/// Reference of several explorations with the same objectives: 1.1 x the worst Done value of all.
std::vector<double> commonReference(std::span<const Exploration> explorations,
                                    const std::vector<Constraint>& constraints);
/// Fulfils all of them; unknown metrics do not.
bool fulfils(const DesignPoint& point, const std::vector<Constraint>& constraints);

}  // namespace sluice::inline explorer
