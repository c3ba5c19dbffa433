#pragma once
// HIDA's parallelization (ASPLOS '24): each nest unrolled in proportion to its share of the work
// (intensity-aware), by factors that suit the banks of the arrays it shares with others (connection-aware).

#include "engine/tensor/loop_nests/factor_distribution.h"

namespace sluice::inline tensor {

enum class ParallelizationMode { IntensityAndConnection, Intensity, Connection, Naive };

/// "ia+ca", "ia", "ca", "naive".
std::string text(ParallelizationMode mode);
std::optional<ParallelizationMode> parallelizationModeNamed(const std::string& name);

struct ParallelizationOptions {
  ParallelizationMode mode = ParallelizationMode::IntensityAndConnection;
  std::int64_t max_parallel_factor = 32;  ///< of the most intense nest
  UnrollFactors factors = UnrollFactors::PowersOfTwo;
  /// Loops are unrolled within tiles of at most this; absent: over their whole extent.
  std::optional<std::int64_t> tile_size = {};
};

struct NestParallelization {
  std::int64_t intensity = 1;
  std::size_t connections = 0;
  std::int64_t parallel_factor = 1;  ///< the product of its factors is at most this
  Constraints constraints;           ///< from the neighbours decided before it
  std::vector<std::int64_t> unroll;  ///< per loop

  std::int64_t unrolled() const;
};

struct Parallelization {
  std::vector<std::size_t> order;  ///< in which the nests were decided
  std::vector<NestParallelization> nests;
};

/// The most that max_parallel_factor may be.
inline constexpr std::int64_t largest_parallel_factor = std::int64_t{1} << 14;

/// Refuses a program that fails its check, and a factor below 1 or above the largest.
Result<Parallelization> parallelize(const LoopProgram& program, const ParallelizationOptions& options);

}  // namespace sluice::inline tensor
