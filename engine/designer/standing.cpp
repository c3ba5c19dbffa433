#include "engine/designer/standing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::inline designer {

bool Standing::counts(const DesignPoint& point) const {
  return point.fidelity != Fidelity::Symbolic && point.state == PointState::Done &&
         fulfils(point, request_.constraints);
}

std::vector<double> Standing::rowOf(const DesignPoint& point) const {
  std::vector<double> row;
  for (const std::string& name : request_.objectives)
    row.push_back(counts(point) ? minimised(name, metric(point, name)) : std::nan(""));
  return row;
}

bool Standing::add(const DesignPoint& point) {
  const std::vector<double> row = rowOf(point);
  values_.insert(values_.end(), row.begin(), row.end());
  frontier_ = paretoFrontier(values_, objectives());
  return counts(point) && rows_.insert(row).second;
}

std::vector<double> Standing::boundsBy(const BoundOf& bound_of) const {
  std::vector<double> bounds;
  for (const std::string& name : request_.objectives)
    bounds.push_back(findMetric(name)->smaller_is_better ? bound_of(name) : std::nan(""));
  return bounds;
}

bool Standing::isNoWorse(std::size_t design, const std::vector<double>& objectives) const {
  return std::ranges::equal(rowOf(design), objectives, std::less_equal<>());
}

bool Standing::isMet(const std::vector<double>& objectives) const {
  return std::ranges::any_of(frontier_, [&](std::size_t design) { return isNoWorse(design, objectives); });
}

bool Standing::isRuledOut(const BoundOf& bound_of) const {
  for (const Constraint& constraint : request_.constraints)
    if (constraint.at_most && bound_of(constraint.metric) > constraint.value) return true;
  return isMet(boundsBy(bound_of));
}

Cycles Standing::horizonOf(const DesignPoint& bounds) const {
  double horizon = std::numeric_limits<double>::infinity();
  for (const Constraint& constraint : request_.constraints)
    if (constraint.metric == "cycles" && constraint.at_most) horizon = constraint.value + 1;
  const auto cycles = std::ranges::find(request_.objectives, "cycles");
  if (cycles != request_.objectives.end()) {
    const auto at = static_cast<std::size_t>(cycles - request_.objectives.begin());
    std::vector<double> others = boundsBy([&](const std::string& name) { return metric(bounds, name); });
    others[at] = std::numeric_limits<double>::infinity();
    for (const std::size_t design : frontier_)
      if (isNoWorse(design, others)) horizon = std::min(horizon, rowOf(design)[at]);
  }
  return horizon < 0x1p62 ? static_cast<Cycles>(horizon) : std::numeric_limits<Cycles>::max();
}

void endsFirst(std::vector<std::size_t>& members) {
  if (members.size() < 3) return;
  const std::size_t last = members.size() - 1;
  std::vector<std::size_t> spread;
  std::vector<bool> there(members.size());
  const auto add = [&](std::size_t at) {
    if (!there[at]) spread.push_back(members[at]);
    there[at] = true;
  };
  add(0);
  add(last);
  for (std::size_t parts = 2; parts <= members.size(); parts *= 2)
    for (std::size_t part = 1; part < parts; part += 2) add(part * last / parts);
  for (std::size_t at = 0; at < members.size(); ++at) add(at);
  members = std::move(spread);
}

}  // namespace sluice::inline designer
