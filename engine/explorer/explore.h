#pragma once
// Exhaustive exploration of a document's design space.

#include <functional>
#include <span>
#include <stop_token>

#include "engine/core/executor.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/pareto.h"

namespace sluice {

struct DesignSpace {
  std::vector<Knob> knobs;
  std::uint64_t size() const;                   ///< number of points; saturates at 2^63
  KnobValues point(std::uint64_t index) const;  ///< mixed radix, the last knob fastest
};
DesignSpace designSpace(const Document& document);

struct ExploreProgress {
  std::uint64_t evaluated = 0, total = 0;
  double seconds_spent = 0, seconds_left = -1;  ///< -1: not known yet
};

struct ExploreOptions {
  std::vector<std::string> objectives = {"cycles", "on_chip_bytes"};
  std::uint64_t budget = 100000;  ///< a larger space is an error that says so
  std::stop_token stop;
  /// Called under a lock, from any worker, for every finished point and with its index in the space.
  std::function<void(std::uint64_t index, const DesignPoint&, const ExploreProgress&)> on_point;
};

struct Exploration {
  std::vector<DesignPoint>
      points;  ///< in the order of the space, whatever thread was first; cancelled ones left out
  std::vector<std::string> objectives;
  std::vector<std::size_t> frontier;  ///< indices into points, by the first objective
  std::vector<double> reference;      ///< hypervolume reference: 1.1 x the worst Done value of each objective
  double hypervolume = 0;
  bool cancelled = false;
  double wall_seconds = 0;
};

Result<Exploration> explore(const Workload& workload, Executor& executor, const ExploreOptions& options);

}  // namespace sluice
