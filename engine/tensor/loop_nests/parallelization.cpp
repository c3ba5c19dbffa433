#include "engine/tensor/loop_nests/parallelization.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "engine/tensor/loop_nests/tiling.h"

namespace sluice::inline tensor {
namespace {

constexpr std::array<std::pair<ParallelizationMode, const char*>, 4> mode_names{
    {{ParallelizationMode::IntensityAndConnection, "ia+ca"},
     {ParallelizationMode::Intensity, "ia"},
     {ParallelizationMode::Connection, "ca"},
     {ParallelizationMode::Naive, "naive"}}};

bool knowsIntensity(ParallelizationMode mode) {
  return mode == ParallelizationMode::IntensityAndConnection || mode == ParallelizationMode::Intensity;
}

bool knowsConnections(ParallelizationMode mode) {
  return mode == ParallelizationMode::IntensityAndConnection || mode == ParallelizationMode::Connection;
}

/// Most connections first, then most work; both are what others have to suit.
std::vector<std::size_t> decisionOrder(const Parallelization& result) {
  std::vector<std::size_t> order(result.nests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const NestParallelization& left = result.nests[a];
    const NestParallelization& right = result.nests[b];
    return std::tie(left.connections, left.intensity) > std::tie(right.connections, right.intensity);
  });
  return order;
}

Constraints constraintsOn(std::size_t nest, std::span<const NestConnection> all,
                          const Parallelization& result) {
  Constraints constraints;
  for (const NestConnection& connection : all) {
    if (connection.source != nest && connection.target != nest) continue;
    const std::size_t other = connection.source == nest ? connection.target : connection.source;
    const std::vector<std::int64_t>& unroll = result.nests[other].unroll;
    // A nest that is not decided yet has no factors; one without loops asks for nothing.
    if (!unroll.empty()) constraints.push_back(constraintOn(nest, connection, unroll));
  }
  return constraints;
}

/// What factors are spread over: the loops, or of each a tile.
std::vector<NestLoop> unrolledLoops(const LoopNest& nest, const ParallelizationOptions& options) {
  std::vector<NestLoop> loops = nest.loops;
  if (options.tile_size)
    for (NestLoop& loop : loops) loop.extent = tileSize(loop.extent, *options.tile_size);
  return loops;
}

}  // namespace

std::string text(ParallelizationMode mode) {
  return std::find_if(mode_names.begin(), mode_names.end(),
                      [&](const auto& entry) { return entry.first == mode; })
      ->second;
}

std::optional<ParallelizationMode> parallelizationModeNamed(const std::string& name) {
  for (const auto& [mode, mode_name] : mode_names)
    if (mode_name == name) return mode;
  return std::nullopt;
}

std::int64_t NestParallelization::unrolled() const {
  return std::accumulate(unroll.begin(), unroll.end(), std::int64_t{1}, std::multiplies<>());
}

Result<Parallelization> parallelize(const LoopProgram& program, const ParallelizationOptions& options) {
  if (Diagnostics found = check(program); hasErrors(found)) return found;
  if (options.max_parallel_factor < 1 || options.max_parallel_factor > largest_parallel_factor)
    return error("out-of-range", "maximum parallel factor",
                 std::to_string(options.max_parallel_factor) + " iterations at once",
                 "give 1 to " + std::to_string(largest_parallel_factor));
  const std::vector<NestConnection> all = connections(program);
  Parallelization result;
  std::int64_t most = 1;
  for (std::size_t nest = 0; nest < program.nests.size(); ++nest) {
    NestParallelization decided;
    decided.intensity = intensity(program.nests[nest]);
    decided.connections =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const NestConnection& c) {
          return c.source == nest || c.target == nest;
        }));
    most = std::max(most, decided.intensity);
    result.nests.push_back(std::move(decided));
  }
  result.order = decisionOrder(result);
  for (const std::size_t nest : result.order) {
    NestParallelization& decided = result.nests[nest];
    decided.parallel_factor = options.max_parallel_factor;
    if (knowsIntensity(options.mode))
      decided.parallel_factor =
          std::max<std::int64_t>(1, options.max_parallel_factor * decided.intensity / most);
    if (knowsConnections(options.mode)) decided.constraints = constraintsOn(nest, all, result);
    decided.unroll =
        FactorDistribution(unrolledLoops(program.nests[nest], options), decided.constraints, options.factors)
            .distribute(decided.parallel_factor);
  }
  return result;
}

}  // namespace sluice::inline tensor
