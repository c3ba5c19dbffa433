#pragma once
// StreamTensor's choices for every kernel (MICRO '25): tile sizes, loop order, unroll factors and vector
// factors.

#include "engine/tensor/loop_nests/parallelization.h"

namespace sluice::inline tensor {

/// What the overall unroll size bounds; the paper does not say.
enum class UnrollBudget { Sum, Product, PerKernel };

struct TilingOptions {
  std::int64_t default_tile_size = 16;
  std::int64_t overall_unroll_size = 64;
  UnrollBudget budget = UnrollBudget::Sum;
  UnrollFactors factors = UnrollFactors::PowersOfTwo;
  /// HIDA's factors in place of StreamTensor's: overall_unroll_size is then of the most intense kernel.
  std::optional<ParallelizationMode> parallelization = {};
  bool reductions_outward = true;         ///< inside a tile; otherwise the order of the nest
  std::int64_t accumulation_latency = 4;  ///< cycles until a sum can be added to: a float addition
  /// Banks of one array, of two ports each: iterations that find no port take turns.
  std::int64_t most_banks = std::int64_t{1} << 20;
};

struct NestTiling {
  std::vector<std::int64_t> tile;    ///< per loop; the extent where the loop is not tiled
  std::vector<std::size_t> order;    ///< the loops inside a tile, outermost first
  std::vector<std::int64_t> unroll;  ///< per loop; divides the tile
  std::int64_t initiation_interval = 1;
  std::int64_t cycles = 1;                         ///< interval * iterations / unrolled
  std::vector<std::vector<std::int64_t>> vectors;  ///< per access and dimension: elements at once

  std::int64_t unrolled() const;
};

/// The largest divisor of the extent that is at most the default: tiles cover a tensor exactly.
std::int64_t tileSize(std::int64_t extent, std::int64_t default_tile_size);

/// Reduction loops first, both kinds in the order of the nest: consecutive iterations then add to different
/// sums.
std::vector<std::size_t> reductionsOutward(const LoopNest& nest);

/// Sizes out of range, and an overall unroll size that does not give each of so many kernels an iteration.
Diagnostics check(const TilingOptions& options, std::size_t kernels);

/// Unrolls the slowest kernel step by step while the overall unroll size allows it and it gets faster; or as
/// the mode of parallelization says. Refuses a program that fails its check and sizes that are too small or
/// large.
Result<std::vector<NestTiling>> tileNests(const LoopProgram& program, const TilingOptions& options);

}  // namespace sluice::inline tensor
