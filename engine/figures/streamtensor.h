#pragma once
// The parts of the page "streamtensor": what StreamTensor (MICRO '25) and HIDA (ASPLOS '24) publish, beside
// ours. Each adds its points, claims, charts and notes.

#include "engine/figures/experiment.h"

namespace sluice::inline figures {

/// Latency of GPT-2 on the U55C beside four other systems.
Result<Done> addGpt2Latency(FigureResult& figure, const FigureRequest& request);
/// What fusion leaves on chip of one block's intermediates.
Result<Done> addMemoryReduction(FigureResult& figure);
/// HIDA's example: unroll factors and array partitions.
Result<Done> addHidaTables(FigureResult& figure);
/// Figure 8(f): the rate over the depth of a FIFO beside a slow path.
Result<Done> addDepthSweep(FigureResult& figure);

}  // namespace sluice::inline figures
