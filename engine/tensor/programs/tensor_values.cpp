#include "engine/tensor/programs/tensor_values.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/operators/tensor_memory.h"
#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/padded_program.h"
#include "engine/tensor/programs/region_values.h"

namespace sluice::inline tensor {
namespace {

using Row = std::span<float>;
using ConstRow = std::span<const float>;

/// An elementwise operator in place; the operand is repeated over leading dimensions.
void step(const ElementwiseStep& own, std::vector<float>& values, const FloatTensor* operand) {
  const OperatorTraits& traits = traitsOf(own.kind);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (traits.of_one != nullptr)
      values[i] = traits.of_one(values[i]);
    else
      values[i] = traits.of_two(values[i],
                                operand != nullptr ? operand->data[i % operand->data.size()] : *own.number);
  }
}

void softmax(const TensorOperator& op, Row whole) {
  const Row row = op.valid > 0 ? whole.first(static_cast<std::size_t>(op.valid)) : whole;
  std::ranges::fill(whole.subspan(row.size()), 0.0f);
  const float most = *std::max_element(row.begin(), row.end());
  float sum = 0;
  for (float& x : row) sum += x = std::exp(x - most);
  for (float& x : row) x /= sum;
}

void norm(const TensorOperator& op, Row row, ConstRow gain, ConstRow bias) {
  const ConstRow counting = op.valid > 0 ? row.first(static_cast<std::size_t>(op.valid)) : row;
  const auto count = static_cast<float>(counting.size());
  float mean = 0, squares = 0;
  if (!bias.empty()) {
    for (const float x : counting) mean += x;
    mean /= count;
  }
  for (const float x : counting) squares += (x - mean) * (x - mean);
  const float scale = 1.0f / std::sqrt(squares / count + op.epsilon);
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = (row[i] - mean) * scale * gain[i] + (bias.empty() ? 0.0f : bias[i]);
}

void rotary(Row row, ConstRow cosines, ConstRow sines) {
  const std::size_t half = row.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const float a = row[i], b = row[i + half];
    row[i] = a * cosines[i] - b * sines[i];
    row[i + half] = b * cosines[i + half] + a * sines[i + half];
  }
}

template <class F>
void forEachRow(FloatTensor& tensor, F&& apply) {
  const std::size_t length = tensor.shape.back();
  for (std::size_t begin = 0; begin < tensor.data.size(); begin += length)
    apply(Row(tensor.data).subspan(begin, length), begin / length);
}

/// By angles, or by their cosines and sines.
void rotaryRows(const TensorOperator& op, std::span<const FloatTensor> operands, FloatTensor& result) {
  FloatTensor cosines = operands[1], sines = operands[op.inputs.size() == 3 ? 2 : 1];
  if (op.inputs.size() == 2) {
    for (float& angle : cosines.data) angle = std::cos(angle);
    for (float& angle : sines.data) angle = std::sin(angle);
  }
  forEachRow(result, [&](Row row, std::size_t number) {
    const std::size_t at = number * row.size() % cosines.data.size();
    rotary(row, ConstRow(cosines.data).subspan(at, row.size()), ConstRow(sines.data).subspan(at, row.size()));
  });
}

/// Rows of `a` times the rows (columns, where not transposed) of `b`; `shared` batches of a use one of b.
/// `Sum` of integers is double, which has all below 2^53.
template <class Sum>
void product(const FloatTensor& a, const FloatTensor& b, bool transposed, bool batched, FloatTensor& result) {
  const std::size_t depth = a.shape.back(), columns = result.shape.back();
  const std::size_t rows = batched ? a.shape[a.shape.size() - 2] : a.data.size() / depth;
  const std::size_t batches = a.data.size() / (rows * depth);
  const std::size_t shared = batches / (b.data.size() / (depth * columns));
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const ConstRow right = ConstRow(b.data).subspan(batch / shared * depth * columns, depth * columns);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      const std::size_t row = batch * rows + i / columns, column = i % columns;
      Sum sum = 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum += Sum{a.data[row * depth + k]} * right[transposed ? column * depth + k : k * columns + column];
      result.data[row * columns + column] = static_cast<float>(sum);
    }
  }
}

void transpose(const FloatTensor& from, const std::vector<std::size_t>& permutation, FloatTensor& to) {
  std::vector<std::size_t> stride(from.shape.size(), 1), index(to.shape.size(), 0);
  for (std::size_t k = from.shape.size() - 1; k-- > 0;) stride[k] = stride[k + 1] * from.shape[k + 1];
  for (float& value : to.data) {
    std::size_t at = 0;
    for (std::size_t k = 0; k < index.size(); ++k) at += index[k] * stride[permutation[k]];
    value = from.data[at];
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < to.shape[k]) break;
      index[k] = 0;
    }
  }
}

std::size_t sizeOf(const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return size;
}

}  // namespace

bool areExactIntegers(std::span<const float> elements) {
  return std::ranges::all_of(elements, isExactInteger);
}

FloatTensor applied(const TensorOperator& op, std::span<const FloatTensor> operands,
                    std::vector<std::size_t> shape, bool* exact) {
  const auto see = [&](std::span<const float> made) {
    if (exact != nullptr) *exact = *exact && areExactIntegers(made);
  };
  const auto multiply = exact != nullptr ? product<double> : product<float>;
  FloatTensor result{std::move(shape), {}};
  std::size_t next = op.inputs.size();  // operand of a step
  const auto steps = [&](const std::vector<ElementwiseStep>& list, std::vector<float>& values) {
    for (const ElementwiseStep& own : list) {
      step(own, values, own.operand ? &operands[next++] : nullptr);
      see(values);
    }
  };
  FloatTensor first = op.inputs.empty() ? FloatTensor{} : operands[0];
  steps(op.before_steps, first.data);
  result.data = first.data;
  result.data.resize(sizeOf(result.shape));
  switch (op.kind) {
    case TensorOperatorKind::Linear:
      multiply(first, operands[1], true, false, result);
      if (op.inputs.size() == 3) step({TensorOperatorKind::Add, 0}, result.data, &operands[2]);
      break;
    case TensorOperatorKind::BatchedMatmul:
      multiply(first, operands[1], op.transposed_right, true, result);
      break;
    case TensorOperatorKind::Softmax:
      forEachRow(result, [&](Row row, std::size_t) { softmax(op, row); });
      break;
    case TensorOperatorKind::LayerNorm:
      forEachRow(result, [&](Row row, std::size_t) { norm(op, row, operands[1].data, operands[2].data); });
      break;
    case TensorOperatorKind::RmsNorm:
      forEachRow(result, [&](Row row, std::size_t) { norm(op, row, operands[1].data, {}); });
      break;
    case TensorOperatorKind::Rotary:
      rotaryRows(op, operands, result);
      break;
    case TensorOperatorKind::Transpose:
      transpose(first, op.permutation, result);
      break;
    case TensorOperatorKind::Reshape:
      break;
    case TensorOperatorKind::Fill:
      std::fill(result.data.begin(), result.data.end(), op.number.value_or(0.0f));
      break;
    default:
      if (isElementwise(op.kind))
        step({op.kind, {}, op.number}, result.data, op.inputs.size() == 2 ? &operands[1] : nullptr);
      else
        applyRegion(op, first, operands, result, exact != nullptr);
      break;
  }
  see(result.data);
  steps(op.after_steps, result.data);
  return result;
}

TensorProgram programOf(const TensorOperator& op, std::span<const std::vector<std::int64_t>> operands,
                        const std::vector<std::int64_t>& result) {
  TensorProgram program{op.name, {}, {op}, {operands.size()}};
  for (std::size_t i = 0; i < operands.size(); ++i)
    program.tensors.push_back({"operand " + std::to_string(i), operands[i], {}, TensorRole::Input});
  program.tensors.push_back({"result", result, {}, TensorRole::Activation});
  TensorOperator& own = program.operators[0];
  std::size_t next = 0;
  for (std::size_t& input : own.inputs) input = next++;
  for (auto* list : {&own.before_steps, &own.after_steps})
    for (ElementwiseStep& fused : *list)
      if (fused.operand) fused.operand = next++;
  own.output = operands.size();
  return program;
}

FloatTensor outsideTensor(const TensorValue& tensor, const TensorSet& given) {
  const auto found = given.find(tensor.name);
  const std::vector<std::int64_t>& own = tensor.valid.empty() ? tensor.shape : tensor.valid;
  const std::vector<std::size_t> shape(own.begin(), own.end());
  const bool fits = found != given.end() && found->second.shape == shape;
  if (fits) return withPadding(tensor, found->second);
  FloatTensor made = filledTensor(tensor.name, shape);  // from -32/64 to 31/64
  if (!isFloat(tensor.scalar) && tensor.scalar.bits >= 32)
    for (float& element : made.data) element = 64 * element + 32;
  return withPadding(tensor, made);
}

namespace {

/// `inexact`: the first tensor with an integer that float32 does not have; null: nobody asks.
std::vector<FloatTensor> allValues(const TensorProgram& program, const TensorSet& given,
                                   std::optional<std::size_t>* inexact) {
  std::vector<FloatTensor> values(program.tensors.size());
  const auto check = [&](std::size_t tensor, bool exact) {
    if (inexact != nullptr && !*inexact && !exact) *inexact = tensor;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (program.tensors[i].role == TensorRole::Activation) continue;
    values[i] = outsideTensor(program.tensors[i], given);
    check(i, !countsExactly(program.tensors[i].scalar) || areExactIntegers(values[i].data));
  }
  for (const TensorOperator& op : program.operators) {
    std::vector<FloatTensor> operands;
    for (const std::size_t tensor : readTensors(op)) operands.push_back(values[tensor]);
    const auto& shape = program.tensors[op.output].shape;
    bool exact = true;
    values[op.output] = applied(op, operands, {shape.begin(), shape.end()},
                                countsExactly(program.tensors[op.output].scalar) ? &exact : nullptr);
    check(op.output, exact);
  }
  return values;
}

}  // namespace

std::vector<FloatTensor> tensorValues(const TensorProgram& program, const TensorSet& given) {
  return allValues(program, given, nullptr);
}

Result<std::vector<FloatTensor>> exactTensorValues(const TensorProgram& program, const TensorSet& given) {
  std::optional<std::size_t> inexact;
  std::vector<FloatTensor> values = allValues(program, given, &inexact);
  if (!inexact) return values;
  return error("out-of-range", Location(Where::Tensor, program.tensors[*inexact].name), inexact_integers,
               inexact_integers_fix);
}

}  // namespace sluice::inline tensor
