#pragma once
// Standing: the objectives of the designs of a search, which of them are on the frontier, and what a design
// would have to be to get there.

#include <functional>
#include <set>
#include <span>
#include <vector>

#include "engine/designer/designer.h"
#include "engine/explorer/pareto.h"

namespace sluice::inline designer {

class Standing {
 public:
  /// Of a metric, what is certain of a design; NaN: nothing.
  using BoundOf = std::function<double(const std::string& metric)>;

  /// The request must live as long.
  explicit Standing(const DesignRequest& request) : request_(request) {}

  /// The next design. Whether its numbers are new: most that are not have a step that does nothing for them.
  bool add(const DesignPoint& point);

  /// Designs, by the first objective.
  const std::vector<std::size_t>& frontier() const { return frontier_; }
  /// The frontier, that of the rest, and so on.
  std::vector<std::vector<std::size_t>> fronts() const { return paretoFronts(values_, objectives()); }
  RelativeHypervolume volume() const { return relativeHypervolume(values_, objectives()); }
  /// The share of the box up to `reference` after each design.
  std::vector<double> progress(const std::vector<double>& reference) const {
    return hypervolumeByVisit(values_, objectives(), reference);
  }

  /// Objectives, to be minimised; NaN for what no frontier takes: it did not run, or breaks a constraint.
  std::vector<double> rowOf(const DesignPoint& point) const;
  std::span<const double> rowOf(std::size_t design) const {
    return std::span(values_).subspan(design * objectives(), objectives());
  }
  /// What is certain of the objectives, to be minimised; NaN: nothing.
  std::vector<double> boundsBy(const BoundOf& bound_of) const;

  /// Whether a design is there that is no worse than this in any objective.
  bool isMet(const std::vector<double>& objectives) const;
  /// Whether what is certain of a design, or of all that begin with it, is no better than a design that is
  /// there, or breaks a constraint.
  bool isRuledOut(const BoundOf& bound_of) const;
  /// When a run is no better than a design that is there, whatever else it may be: at the cycles of the
  /// fastest that is at least as good in all other objectives.
  Cycles horizonOf(const DesignPoint& bounds) const;

 private:
  std::size_t objectives() const { return request_.objectives.size(); }
  bool counts(const DesignPoint& point) const;
  bool isNoWorse(std::size_t design, const std::vector<double>& objectives) const;

  const DesignRequest& request_;
  std::vector<double> values_;  ///< rows of the designs
  std::set<std::vector<double>> rows_;
  std::vector<std::size_t> frontier_;
};

/// Of a front in the order of the first objective: both ends, the middle, the quarters ...
void endsFirst(std::vector<std::size_t>& members);

}  // namespace sluice::inline designer
