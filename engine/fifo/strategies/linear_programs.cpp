// Depths from the kernels' curves: a linear program, or the earliest starts, chooses the delays between them.

#include "engine/fifo/strategies/strategies.h"
#include "engine/tensor/dataflow/dataflow_graph.h"

namespace sluice::inline fifo {
namespace {

Result<ChosenDepths> choose(const DepthRequest& request, SizingMethod method) {
  SizingOptions options = request.options.programs;
  options.stop = request.options.stop;
  ChosenDepths chosen{presentDepths(request.problem)};
  for (const TimedDesign& design : request.designs) {
    SLUICE_TRY(FifoSizing sizing, design.size(method, options));
    design.take(sizing, chosen.depths);
    chosen.sizings.push_back(std::move(sizing));
  }
  return chosen;
}

}  // namespace

Result<FifoSizing> TimedDesign::size(SizingMethod method, const SizingOptions& options) const {
  return compilation ? sizeDesign(compilation->compiled, method, options) : sizeFifos(timed, method, options);
}

void TimedDesign::take(const FifoSizing& sizing, std::vector<std::int64_t>& depths) const {
  for (std::size_t stream = 0; stream < sizing.fifos.size(); ++stream) {
    if (!groups[stream]) continue;
    const DataflowDesign* design = compilation ? &compilation->compiled.design : nullptr;
    const std::int64_t vectors = design ? vectorsPerTile(*design, design->streams[stream]) : 1;
    depths[*groups[stream]] = sizing.fifos[stream].depth * vectors;
  }
}

Result<ChosenDepths> chooseByPaths(const DepthRequest& request) {
  return choose(request, SizingMethod::PathProgram);
}

Result<ChosenDepths> chooseByStartTimes(const DepthRequest& request) {
  return choose(request, SizingMethod::StartTime);
}

Result<ChosenDepths> chooseAsSoonAsPossible(const DepthRequest& request) {
  return choose(request, SizingMethod::AsSoonAsPossible);
}

}  // namespace sluice::inline fifo
