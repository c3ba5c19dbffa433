#include "engine/tensor/loop_nests/kernel_exploration.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/core/random.h"

namespace sluice::inline tensor {
namespace {

using Indices = std::vector<std::size_t>;  ///< per loop, into its divisors

constexpr std::int64_t largest_tile_entry = 128;
constexpr std::int64_t exhaustive_product = 32;
constexpr std::int64_t largest_product = 1024;
constexpr std::size_t squared_radius = 9;
constexpr std::size_t exported_points = 30;
constexpr std::int64_t largest_budget = std::int64_t{1} << 20;

/// Sorted by latency, then DSPs; a point stays where it has fewer DSPs than all before it.
template <class Point>
void keepFrontier(std::vector<Point>& points) {
  const auto cost = [](const Point& point) { return std::tuple(point.latency, point.dsp); };
  std::stable_sort(points.begin(), points.end(),
                   [&](const Point& a, const Point& b) { return cost(a) < cost(b); });
  std::vector<Point> kept;
  for (Point& point : points)
    if (kept.empty() || point.dsp < kept.back().dsp) kept.push_back(std::move(point));
  points = std::move(kept);
}

/// Accesses to one array at once take turns at the ports of its banks.
std::int64_t portInterval(const LoopNest& nest, std::int64_t ports) {
  std::map<std::size_t, std::int64_t> accesses;
  for (const ArrayAccess& access : nest.accesses) ++accesses[access.array];
  std::int64_t interval = 1;
  for (const auto& [array, count] : accesses) interval = std::max(interval, (count + ports - 1) / ports);
  return interval;
}

/// The tiles of one kernel that were looked at, and what they gave.
class Search {
 public:
  Search(const LoopNest& nest, const ExplorationOptions& options)
      : nest_(nest), options_(options), random_(options.seed) {
    for (const NestLoop& loop : nest.loops) {
      divisors_.emplace_back();
      for (std::int64_t factor = 1; factor <= std::min(loop.extent, largest_tile_entry); ++factor)
        if (loop.extent % factor == 0) divisors_.back().push_back(factor);
    }
  }

  std::vector<KernelPoint> run() {
    evaluateSmall(Indices(), 1);
    keepFrontier(frontier_);
    for (std::size_t iteration = 0; iteration < options_.iterations && step(); ++iteration) {
    }
    return std::move(frontier_);
  }

 private:
  std::vector<std::int64_t> tileAt(const Indices& at) const {
    std::vector<std::int64_t> tile;
    for (std::size_t loop = 0; loop < at.size(); ++loop) tile.push_back(divisors_[loop][at[loop]]);
    return tile;
  }

  void evaluate(const Indices& at) {
    if (!seen_.insert(at).second) return;
    const std::vector<std::int64_t> tile = tileAt(at);
    std::vector<KernelPoint> points = pointsOf(nest_, tile, options_.costs);
    for (const KernelPoint& point : points) where_[point.tile] = at;
    frontier_.insert(frontier_.end(), points.begin(), points.end());
  }

  void evaluateSmall(Indices at, std::int64_t product) {
    if (at.size() == divisors_.size()) {
      if (!unrollsAll(product)) evaluate(at);
      return;
    }
    const std::vector<std::int64_t>& divisors = divisors_[at.size()];
    at.push_back(0);
    for (; at.back() < divisors.size() && product * divisors[at.back()] <= exhaustive_product; ++at.back())
      evaluateSmall(at, product * divisors[at.back()]);
  }

  /// A kernel of one iteration has no other point.
  bool unrollsAll(std::int64_t product) const { return product == iterations(nest_) && product > 1; }

  struct Neighbours {
    std::size_t distance = squared_radius + 1;  ///< squared
    std::vector<Indices> nearest;
  };

  void collect(const Indices& centre, Indices& at, std::int64_t product, std::size_t distance,
               Neighbours& found) const {
    if (at.size() == centre.size()) {
      if (distance > found.distance || unrollsAll(product) || seen_.contains(at)) return;
      if (distance < found.distance) found.nearest.clear();
      found.distance = distance;
      found.nearest.push_back(at);
      return;
    }
    const std::size_t loop = at.size();
    for (std::size_t index = 0; index < divisors_[loop].size(); ++index) {
      const std::size_t away = index > centre[loop] ? index - centre[loop] : centre[loop] - index;
      if (distance + away * away > squared_radius || product > largest_product / divisors_[loop][index])
        continue;
      at.push_back(index);
      collect(centre, at, product * divisors_[loop][index], distance + away * away, found);
      at.pop_back();
    }
  }

  /// Looks at a neighbour of some point of the frontier; false where none has a new one.
  bool step() {
    Indices order(frontier_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random_.shuffle(std::span(order));
    for (const std::size_t point : order) {
      const Indices centre = where_.at(frontier_[point].tile);
      if (exhausted_.contains(centre)) continue;
      Neighbours found;
      Indices at;
      collect(centre, at, 1, 0, found);
      if (found.nearest.empty()) {
        exhausted_.insert(centre);
        continue;
      }
      evaluate(found.nearest[random_.below(found.nearest.size())]);
      keepFrontier(frontier_);
      return true;
    }
    return false;
  }

  const LoopNest& nest_;
  const ExplorationOptions& options_;
  SplitMix64 random_;
  std::vector<std::vector<std::int64_t>> divisors_;  ///< per loop, ascending
  std::set<Indices> seen_, exhausted_;
  std::map<std::vector<std::int64_t>, Indices> where_;  ///< by tile
  std::vector<KernelPoint> frontier_;
};

/// At most `exported_points`, evenly over the frontier, both ends included.
void thin(std::vector<KernelPoint>& points) {
  if (points.size() <= exported_points) return;
  std::vector<KernelPoint> kept;
  for (std::size_t i = 0; i < exported_points; ++i)
    kept.push_back(points[i * (points.size() - 1) / (exported_points - 1)]);
  points = std::move(kept);
}

/// A point of the program so far with one of the next kernel.
struct Pair {
  std::size_t before, kernel;
  std::int64_t latency, dsp;
};

/// Points of more than `most` DSPs are dropped: further kernels only add to them.
std::vector<ProgramPoint> combine(const std::vector<ProgramPoint>& program,
                                  const std::vector<KernelPoint>& kernel, std::int64_t most) {
  std::vector<Pair> pairs;
  for (std::size_t before = 0; before < program.size(); ++before) {
    for (std::size_t point = 0; point < kernel.size(); ++point) {
      const std::int64_t dsp = program[before].dsp + kernel[point].dsp;
      if (dsp <= most) pairs.push_back({before, point, program[before].latency + kernel[point].latency, dsp});
    }
  }
  keepFrontier(pairs);
  std::vector<ProgramPoint> combined;
  for (const Pair& pair : pairs) {
    combined.push_back(program[pair.before]);
    combined.back().kernels.push_back(kernel[pair.kernel]);
    combined.back().latency = pair.latency;
    combined.back().dsp = pair.dsp;
  }
  return combined;
}

}  // namespace

std::vector<KernelPoint> pointsOf(const LoopNest& nest, std::span<const std::int64_t> tile,
                                  const KernelCosts& costs) {
  std::int64_t at_once = 1, added = 1, tiles = 1, distance = 1;
  bool accumulates = false;
  for (std::size_t loop = 0; loop < tile.size(); ++loop) {
    const std::int64_t trips = nest.loops[loop].extent / tile[loop];
    const bool reduces = nest.loops[loop].kind == LoopKind::Reduction;
    at_once *= tile[loop];
    tiles *= trips;
    if (reduces)
      added *= tile[loop];
    else
      distance *= trips;
    accumulates = accumulates || (reduces && nest.loops[loop].extent > 1);
  }
  // Additions keep their order: those of one tile follow each other. Reductions are outermost, so that all
  // parallel iterations lie between two additions to one sum.
  const std::int64_t chain = accumulates ? costs.accumulate * added : 0;
  const std::int64_t iteration = costs.load + costs.multiply + chain + costs.store;
  const std::int64_t least =
      std::max(portInterval(nest, costs.memory_ports), (chain + distance - 1) / distance);
  const std::int64_t work = nest.operations * at_once * costs.operation_dsp;
  std::vector<KernelPoint> points;
  for (std::int64_t interval = least; interval <= std::max(least, iteration); ++interval) {
    points.push_back(
        {{tile.begin(), tile.end()}, interval, iteration + interval * (tiles - 1) + 2, work / interval + 1});
  }
  return points;
}

std::vector<KernelPoint> exploreKernel(const LoopNest& nest, const ExplorationOptions& options) {
  return Search(nest, options).run();
}

Result<std::vector<ProgramPoint>> exploreProgram(const LoopProgram& program,
                                                 const ExplorationOptions& options) {
  if (Diagnostics found = check(program); hasErrors(found)) return found;
  const std::int64_t budget = std::clamp<std::int64_t>(options.dsp_budget, 0, largest_budget);
  const std::int64_t most = (budget * 11 + 9) / 10;
  std::vector<ProgramPoint> frontier = {{{}, 2, 0}};
  std::int64_t least = 0;
  for (const LoopNest& nest : program.nests) {
    std::vector<KernelPoint> kernel = exploreKernel(nest, options);
    thin(kernel);
    least += kernel.back().dsp;
    frontier = combine(frontier, kernel, most);
  }
  if (frontier.empty())
    return error(
        "does-not-fit", "DSP budget",
        std::to_string(options.dsp_budget) + " DSPs, but the smallest design has " + std::to_string(least),
        "give a larger budget");
  return frontier;
}

}  // namespace sluice::inline tensor
