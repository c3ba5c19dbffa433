#include "engine/tensor/loop_nests/tiling.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace sluice::inline tensor {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 20;

/// Iterations between two additions to one sum: those of the loops inside the innermost reduction that still
/// iterates.
std::int64_t initiationInterval(const LoopNest& nest, const NestTiling& tiling, std::int64_t latency) {
  std::int64_t distance = 1;
  for (auto at = tiling.order.rbegin(); at != tiling.order.rend(); ++at) {
    const NestLoop& loop = nest.loops[*at];
    if (loop.kind == LoopKind::Parallel)
      distance *= tiling.tile[*at] / tiling.unroll[*at];
    else if (loop.extent > tiling.unroll[*at])
      return (latency + distance - 1) / distance;
    if (distance >= latency) return 1;
  }
  return 1;
}

/// Cycles until all iterations that are unrolled have found their elements: an element that several of them
/// read is read once.
std::int64_t portInterval(const LoopNest& nest, const NestTiling& tiling, std::int64_t most_banks) {
  constexpr std::int64_t ports = 2;
  std::int64_t interval = 1;
  for (const ArrayAccess& access : nest.accesses) {
    std::int64_t at_once = 1;
    for (const AccessIndex& index : access.indices)
      if (index.loop) at_once *= tiling.unroll[*index.loop];
    interval = std::max(interval, (at_once + ports * most_banks - 1) / (ports * most_banks));
  }
  return interval;
}

/// One kernel while it is unrolled.
class Unrolling {
 public:
  Unrolling(const LoopNest& nest, const TilingOptions& options) : nest_(nest), options_(options) {
    for (const NestLoop& loop : nest.loops) {
      tiling_.tile.push_back(tileSize(loop.extent, options.default_tile_size));
      growing_.push_back({loop.name, tiling_.tile.back(), loop.kind});
    }
    tiling_.order.resize(nest.loops.size());
    std::iota(tiling_.order.begin(), tiling_.order.end(), std::size_t{0});
    if (options.reductions_outward) tiling_.order = reductionsOutward(nest);
    tiling_.unroll.assign(nest.loops.size(), 1);
    update(tiling_);
  }

  const NestTiling& tiling() const { return tiling_; }

  void unrollBy(std::vector<std::int64_t> factors) {
    tiling_.unroll = std::move(factors);
    update(tiling_);
  }

  /// One step that makes it faster, with at most `most` iterations at once; false where there is none.
  bool grow(std::int64_t most) {
    while (const auto growth =
               FactorDistribution(growing_, {}, options_.factors).grow(tiling_.unroll, most)) {
      NestTiling grown = tiling_;
      grown.unroll[growth->loop] = growth->factor;
      update(grown);
      if (grown.cycles < tiling_.cycles) {
        tiling_ = std::move(grown);
        return true;
      }
      // Fewer iterations between two additions to a sum cost what the step gains: this loop stays as it is.
      growing_[growth->loop].extent = tiling_.unroll[growth->loop];
    }
    return false;
  }

 private:
  void update(NestTiling& tiling) const {
    tiling.initiation_interval = std::max(initiationInterval(nest_, tiling, options_.accumulation_latency),
                                          portInterval(nest_, tiling, options_.most_banks));
    tiling.cycles = tiling.initiation_interval * (iterations(nest_) / tiling.unrolled());
  }

  const LoopNest& nest_;
  const TilingOptions& options_;
  std::vector<NestLoop> growing_;  ///< extents: what may still be unrolled
  NestTiling tiling_;
};

/// How far one kernel may be unrolled while the others stay as they are.
class UnrollRoom {
 public:
  explicit UnrollRoom(std::span<const Unrolling> kernels, const TilingOptions& options) : options_(options) {
    for (const Unrolling& kernel : kernels) count(0, kernel.tiling().unrolled());
  }

  std::int64_t of(std::int64_t unrolled) const {
    const std::int64_t whole = options_.overall_unroll_size;
    if (options_.budget == UnrollBudget::Sum) return whole - (sum_ - unrolled);
    if (options_.budget == UnrollBudget::Product) return whole / (product_ / unrolled);
    return whole;
  }

  void count(std::int64_t before, std::int64_t after) {
    sum_ += after - before;
    // Only where it is the budget do kernels not grow beyond a product that can be counted.
    if (options_.budget == UnrollBudget::Product)
      product_ = product_ / std::max<std::int64_t>(before, 1) * after;
  }

 private:
  const TilingOptions& options_;
  std::int64_t sum_ = 0, product_ = 1;
};

void unrollSlowestFirst(std::span<Unrolling> kernels, const TilingOptions& options) {
  UnrollRoom room(kernels, options);
  // The slowest on top, of several the first.
  const auto later = [&](std::size_t a, std::size_t b) {
    const std::int64_t left = kernels[a].tiling().cycles, right = kernels[b].tiling().cycles;
    return left != right ? left < right : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> growing(later);
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) growing.push(kernel);
  while (!growing.empty()) {
    const std::size_t slowest = growing.top();
    growing.pop();
    const std::int64_t before = kernels[slowest].tiling().unrolled();
    if (!kernels[slowest].grow(room.of(before))) continue;
    room.count(before, kernels[slowest].tiling().unrolled());
    growing.push(slowest);
  }
}

Result<Done> unrollInParallel(const LoopProgram& program, std::span<Unrolling> kernels,
                              const TilingOptions& options) {
  SLUICE_TRY(Parallelization decided,
             parallelize(program, {*options.parallelization, options.overall_unroll_size, options.factors,
                                   options.default_tile_size}));
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel)
    kernels[kernel].unrollBy(std::move(decided.nests[kernel].unroll));
  return Done{};
}

std::vector<std::vector<std::int64_t>> vectorFactors(const LoopNest& nest,
                                                     std::span<const std::int64_t> unroll) {
  std::vector<std::vector<std::int64_t>> vectors;
  for (const ArrayAccess& access : nest.accesses) {
    vectors.emplace_back();
    for (const AccessIndex& index : access.indices)
      vectors.back().push_back(index.loop ? unroll[*index.loop] : 1);
  }
  return vectors;
}

}  // namespace

Diagnostics check(const TilingOptions& options, std::size_t kernels) {
  Diagnostics found;
  const auto in_range = [&](const Location& place, std::int64_t size, std::int64_t least,
                            const std::string& why) {
    if (size < least || size > largest_size)
      found.push_back(error("invalid-tiling", place, std::to_string(size) + why,
                            "give " + std::to_string(least) + " to " + std::to_string(largest_size)));
  };
  const bool sum = options.budget == UnrollBudget::Sum && !options.parallelization;
  in_range("default tile size", options.default_tile_size, 1, " iterations");
  in_range("accumulation latency", options.accumulation_latency, 1, " cycles");
  in_range("most banks", options.most_banks, 1, " banks of an array");
  in_range("overall unroll size", options.overall_unroll_size,
           sum ? std::max<std::int64_t>(1, static_cast<std::int64_t>(kernels)) : 1,
           sum ? " iterations at once, and every kernel needs one" : " iterations at once");
  return found;
}

std::int64_t NestTiling::unrolled() const {
  return std::accumulate(unroll.begin(), unroll.end(), std::int64_t{1}, std::multiplies<>());
}

std::int64_t tileSize(std::int64_t extent, std::int64_t default_tile_size) {
  if (extent <= default_tile_size) return extent;
  std::int64_t tile = default_tile_size;
  while (extent % tile != 0) --tile;
  return tile;
}

std::vector<std::size_t> reductionsOutward(const LoopNest& nest) {
  std::vector<std::size_t> order(nest.loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t loop) { return nest.loops[loop].kind == LoopKind::Reduction; });
  return order;
}

Result<std::vector<NestTiling>> tileNests(const LoopProgram& program, const TilingOptions& options) {
  if (Diagnostics found = check(program); hasErrors(found)) return found;
  if (Diagnostics found = check(options, program.nests.size()); hasErrors(found)) return found;
  std::vector<Unrolling> kernels;
  for (const LoopNest& nest : program.nests) kernels.emplace_back(nest, options);
  if (!options.parallelization)
    unrollSlowestFirst(kernels, options);
  else
    SLUICE_CHECK(unrollInParallel(program, kernels, options));
  std::vector<NestTiling> tilings;
  for (std::size_t nest = 0; nest < kernels.size(); ++nest) {
    tilings.push_back(kernels[nest].tiling());
    tilings.back().vectors = vectorFactors(program.nests[nest], tilings.back().unroll);
  }
  return tilings;
}

}  // namespace sluice::inline tensor
