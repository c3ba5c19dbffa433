#include "engine/tensor/programs/tensor_program.h"

#include <algorithm>

#include "engine/itensor/itensor.h"
#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/renumber.h"

namespace sluice::inline tensor {
namespace {

std::int64_t volumeOf(const std::vector<std::int64_t>& shape) {
  return boundedProduct(shape).value_or(most_itensor_size);
}

}  // namespace

std::int64_t elementCount(const TensorValue& tensor) {
  return volumeOf(tensor.shape);
}

std::int64_t storedBytes(const TensorValue& tensor) {
  return bytesOf(elementCount(tensor) * tensor.scalar.bits);
}

std::int64_t operationCount(const TensorProgram& program, const TensorOperator& op) {
  const auto& tensors = program.tensors;
  const std::int64_t results = elementCount(tensors[op.output]);
  std::int64_t count =
      results * (traitsOf(op.kind).operations + static_cast<std::int64_t>(op.after_steps.size()));
  if (!op.before_steps.empty())
    count += elementCount(tensors[op.inputs[0]]) * static_cast<std::int64_t>(op.before_steps.size());
  count += 2 * productCount(program, op);
  if (isProduct(op.kind) && op.inputs.size() == 3) count += results;
  if (isReduction(op.kind)) count += elementCount(tensors[op.inputs[0]]);
  if (hasWindow(op.kind) && !op.window.size.empty()) count += results * op.window.size[0] * op.window.size[1];
  return count;
}

std::int64_t operationCount(const TensorProgram& program) {
  std::int64_t count = 0;
  for (const TensorOperator& op : program.operators) count += operationCount(program, op);
  return count;
}

std::int64_t parameterCount(const TensorProgram& program) {
  std::int64_t count = 0;
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role == TensorRole::Weight) count += elementCount(tensor);
  return count;
}

std::vector<std::size_t> readTensors(const TensorOperator& op) {
  std::vector<std::size_t> read = op.inputs;
  for (const auto* steps : {&op.before_steps, &op.after_steps})
    for (const ElementwiseStep& step : *steps)
      if (step.operand) read.push_back(*step.operand);
  return read;
}

bool isLookedUp(const TensorOperator& op, std::size_t read) {
  return op.kind == TensorOperatorKind::Lookup && read == 1;
}

std::vector<std::optional<std::size_t>> writers(const TensorProgram& program) {
  std::vector<std::optional<std::size_t>> found(program.tensors.size());
  for (std::size_t i = 0; i < program.operators.size(); ++i) found[program.operators[i].output] = i;
  return found;
}

std::vector<std::size_t> useCounts(const TensorProgram& program) {
  std::vector<std::size_t> uses(program.tensors.size(), 0);
  for (const TensorOperator& op : program.operators)
    for (const std::size_t tensor : readTensors(op)) ++uses[tensor];
  for (const std::size_t tensor : program.results) ++uses[tensor];
  return uses;
}

std::vector<std::size_t> intermediates(const TensorProgram& program) {
  std::vector<std::size_t> found;
  for (const TensorOperator& op : program.operators)
    if (std::find(program.results.begin(), program.results.end(), op.output) == program.results.end())
      found.push_back(op.output);
  return found;
}

TensorProgram withoutUnusedTensors(const TensorProgram& program) {
  std::vector<bool> used(program.tensors.size(), false);
  for (const TensorOperator& op : program.operators) {
    used[op.output] = true;
    for (const std::size_t tensor : readTensors(op)) used[tensor] = true;
  }
  for (const std::size_t tensor : program.results) used[tensor] = true;
  TensorProgram kept{program.name, {}, program.operators, program.results};
  std::vector<std::size_t> number(program.tensors.size(), 0);
  for (std::size_t tensor = 0; tensor < used.size(); ++tensor) {
    number[tensor] = kept.tensors.size();
    if (used[tensor]) kept.tensors.push_back(program.tensors[tensor]);
  }
  for (TensorOperator& op : kept.operators)
    op = renumbered(std::move(op), [&](std::size_t tensor) { return number[tensor]; });
  for (std::size_t& tensor : kept.results) tensor = number[tensor];
  return kept;
}

}  // namespace sluice::inline tensor
