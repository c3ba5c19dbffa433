#pragma once
// Small transformer blocks and the dataflow designs of some fusion plans of them.

#include <algorithm>

#include "engine/core/random.h"
#include "engine/tensor/dataflow/dataflow_build.h"
#include "engine/tensor/fusion/program_fusion.h"
#include "engine/tensor/programs/elementwise_fusion.h"
#include "engine/tensor/programs/llm_blocks.h"
#include "engine/tensor/programs/tensor_values.h"
#include "engine/tensor/programs/unit_dimensions.h"

namespace sluice::testing_support {

/// The published models with sizes that an interpreter computes in no time; heads, gates, norms and biases as
/// published.
inline TransformerModel scaledDown(TransformerModel model) {
  const std::int64_t shared = std::min<std::int64_t>(model.heads / model.kv_heads, 2);
  model.kv_heads = std::min<std::int64_t>(model.kv_heads, 2);
  model.heads = model.kv_heads * shared;
  model.head_size = 4;
  model.hidden = 8;
  model.feed_forward = 12;
  return model;
}

inline TensorProgram fusedBlock(const TransformerModel& model, BlockPhase phase) {
  const auto block = transformerBlock(model, phase, *quantisationNamed("W4A8"));
  return withoutUnitDimensions(withElementwiseFused(*block));
}

/// A plan of `groups` groups at most, cut at random kernels.
inline FusionPlan randomPlan(const FusionGraph& graph, std::size_t groups, SplitMix64& random) {
  std::vector<std::size_t> group_of(graph.kernels.size(), 0);
  const std::vector<std::size_t> order = fusionOrder(graph);
  std::size_t group = 0;
  for (const std::size_t kernel : order) {
    if (group + 1 < groups && kernel != order.front() && random.below(order.size()) < groups) ++group;
    group_of[kernel] = group;
  }
  return planOf(graph, group_of, FusionMemory::DmaBuffers);
}

/// The results of the program itself, computed densely.
inline std::vector<FloatTensor> denseResults(const TensorProgram& program) {
  const std::vector<FloatTensor> all = tensorValues(program);
  std::vector<FloatTensor> results;
  for (const std::size_t tensor : program.results) results.push_back(all[tensor]);
  return results;
}

}  // namespace sluice::testing_support
