#include "engine/tensor/elementwise_fusion.h"

#include <utility>

namespace sluice {
namespace {

using Steps = std::vector<ElementwiseStep>;

void append(Steps& steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

/// All that an elementwise operator does to its input `flowing` (0 or 1).
Steps stepsOf(const TensorOperator& op, std::size_t flowing) {
  Steps steps = op.before_steps;
  ElementwiseStep own{op.kind, {}};
  if (op.inputs.size() == 2) own.operand = op.inputs[1 - flowing];
  steps.push_back(own);
  append(steps, op.after_steps);
  return steps;
}

bool takesStepsAfter(TensorOperatorKind kind) {
  return kind != TensorOperatorKind::Reshape && kind != TensorOperatorKind::Transpose &&
         kind != TensorOperatorKind::Fill;
}

bool readsOnce(TensorOperatorKind kind) {
  return kind != TensorOperatorKind::Linear && kind != TensorOperatorKind::BatchedMatmul &&
         kind != TensorOperatorKind::Fill;
}

/// Into the operator that makes one of the inputs; that one moves to where the other inputs are ready.
bool fuseIntoProducer(TensorProgram& program, std::size_t index) {
  const TensorOperator op = program.operators[index];
  const auto written_by = writers(program);
  const std::vector<std::size_t> uses = useCounts(program);
  for (std::size_t flowing = 0; flowing < op.inputs.size(); ++flowing) {
    const std::size_t tensor = op.inputs[flowing];
    if (flowing == 1 && !op.before_steps.empty()) break;  // they belong to the first input
    if (!written_by[tensor] || uses[tensor] != 1 ||
        program.tensors[tensor].shape != program.tensors[op.output].shape)
      continue;
    TensorOperator producer = program.operators[*written_by[tensor]];
    if (!takesStepsAfter(producer.kind)) continue;
    append(producer.after_steps, stepsOf(op, flowing));
    producer.output = op.output;
    program.operators[index] = std::move(producer);
    program.operators.erase(program.operators.begin() + static_cast<std::ptrdiff_t>(*written_by[tensor]));
    return true;
  }
  return false;
}

bool fuseIntoConsumer(TensorProgram& program, std::size_t index) {
  const TensorOperator& op = program.operators[index];
  if (useCounts(program)[op.output] != 1) return false;
  for (TensorOperator& consumer : program.operators) {
    if (consumer.inputs.empty() || consumer.inputs[0] != op.output || !readsOnce(consumer.kind)) continue;
    Steps steps = stepsOf(op, 0);
    append(steps, consumer.before_steps);
    consumer.before_steps = std::move(steps);
    consumer.inputs[0] = op.inputs[0];
    program.operators.erase(program.operators.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
  }
  return false;
}

bool fuseOne(TensorProgram& program, bool (*fuse)(TensorProgram&, std::size_t)) {
  for (std::size_t index = 0; index < program.operators.size(); ++index)
    if (isElementwise(program.operators[index].kind) && fuse(program, index)) return true;
  return false;
}

}  // namespace

TensorProgram withElementwiseFused(const TensorProgram& program) {
  TensorProgram fused = program;
  while (fuseOne(fused, fuseIntoProducer) || fuseOne(fused, fuseIntoConsumer)) {
  }
  return withoutUnusedTensors(fused);
}

}  // namespace sluice
