#pragma once
// ScaleHLS's exploration (HPCA '22): each kernel for itself, tiles and initiation intervals on a latency-area
// frontier, kernels then combined. Knows nothing of what a kernel's neighbours do.

#include <span>

#include "engine/tensor/loop_nests/loop_nest.h"

namespace sluice::inline tensor {

/// What an estimate is made of; the defaults are ScaleHLS's, with a multiplication and an addition in
/// float32.
struct KernelCosts {
  std::int64_t load = 2;           ///< cycles
  std::int64_t store = 1;          ///< cycles
  std::int64_t multiply = 3;       ///< cycles of what an iteration computes before it accumulates
  std::int64_t accumulate = 4;     ///< cycles of an addition
  std::int64_t operation_dsp = 5;  ///< per operation of an iteration: three to multiply, two to add
  std::int64_t memory_ports = 2;   ///< per bank
};

struct ExplorationOptions {
  KernelCosts costs;
  std::int64_t dsp_budget = 220;
  std::size_t iterations = 30;
  std::uint64_t seed = 0;
};

/// The iterations of a tile run at once, the tiles in a pipeline.
struct KernelPoint {
  std::vector<std::int64_t> tile;  ///< per loop
  std::int64_t initiation_interval = 1;
  std::int64_t latency = 1;
  std::int64_t dsp = 1;
};

/// One point per interval from the lowest that ports and accumulation allow to the latency of an iteration.
std::vector<KernelPoint> pointsOf(const LoopNest& nest, std::span<const std::int64_t> tile,
                                  const KernelCosts& costs);

/// Ascending latency, descending DSPs.
std::vector<KernelPoint> exploreKernel(const LoopNest& nest, const ExplorationOptions& options);

struct ProgramPoint {
  std::vector<KernelPoint> kernels;  ///< one per nest
  std::int64_t latency = 0;          ///< one after the other
  std::int64_t dsp = 0;
};

/// The points within 1.1 times the DSPs, ascending in latency, descending in DSPs: the first is the one to
/// take. Refuses a program that fails its check, and a budget that no point keeps.
Result<std::vector<ProgramPoint>> exploreProgram(const LoopProgram& program,
                                                 const ExplorationOptions& options);

}  // namespace sluice::inline tensor
