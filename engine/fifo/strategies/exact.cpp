// The fewest bytes with which kernels keep their exact throughput.

#include "engine/fifo/strategies/strategies.h"
#include "engine/tensor/sizing/kernel_dataflow.h"

namespace sluice::inline fifo {

Result<ChosenDepths> chooseExactly(const DepthRequest& request) {
  ChosenDepths chosen{presentDepths(request.problem)};
  for (const TimedDesign& design : request.designs) {
    SLUICE_TRY(const ExactDepths exact,
               exactDepths(design.timed, request.options.most_simulations, request.options.stop));
    FifoSizing sizing;
    for (const std::int64_t depth : exact.depths) sizing.fifos.emplace_back().depth = depth;
    if (design.compilation) fitToMemory(design.compilation->compiled, sizing);
    design.take(sizing, chosen.depths);
    chosen.long_run.push_back(exact.cycles);
  }
  return chosen;
}

}  // namespace sluice::inline fifo
