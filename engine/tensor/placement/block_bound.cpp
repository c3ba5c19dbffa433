#include "engine/tensor/placement/block_bound.h"

#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {

ProgramBound boundOf(const TensorProgram& program, const Platform& platform, const BoundOptions& options) {
  ProgramBound bound;
  // Without the bias and what was fused into it.
  for (const TensorOperator& op : program.operators) bound.products += productCount(program, op);
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role != TensorRole::Activation) bound.external_bytes += storedBytes(tensor);
  for (const std::size_t result : program.results)
    bound.external_bytes += storedBytes(program.tensors[result]);
  const double dsps =
      static_cast<double>(totalResources(platform)[Resource::Dsp]) * options.fill * options.products_per_dsp;
  bound.compute_cycles = static_cast<double>(bound.products) / dsps;
  bound.memory_cycles = static_cast<double>(bound.external_bytes) / bytesPerCycle(platform);
  return bound;
}

}  // namespace sluice::inline tensor
