// The page of StreamTensor and HIDA: latency of GPT-2, memory of intermediates, unroll factors and
// partitions, the depth of a FIFO against the rate.

#include "engine/figures/streamtensor.h"

namespace sluice::inline figures {

Result<FigureResult> streamTensor(const FigureRequest& request) {
  FigureResult figure;
  SLUICE_CHECK(addGpt2Latency(figure, request));
  SLUICE_CHECK(addMemoryReduction(figure));
  SLUICE_CHECK(addHidaTables(figure));
  SLUICE_CHECK(addDepthSweep(figure));
  return figure;
}

}  // namespace sluice::inline figures
