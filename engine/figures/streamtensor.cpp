// The page of StreamTensor and HIDA: latency of GPT-2, memory of intermediates, unroll factors and
// partitions, the depth of a FIFO against the rate.

#include "engine/figures/streamtensor.h"

namespace sluice::figures {

Result<FigureResult> streamTensor(const FigureRequest& request) {
  FigureResult figure;
  if (const auto done = addGpt2Latency(figure, request); !done) return done.diagnostics();
  if (const auto done = addMemoryReduction(figure); !done) return done.diagnostics();
  if (const auto done = addHidaTables(figure); !done) return done.diagnostics();
  if (const auto done = addDepthSweep(figure); !done) return done.diagnostics();
  return figure;
}

}  // namespace sluice::figures
