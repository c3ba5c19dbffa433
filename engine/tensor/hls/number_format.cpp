#include "engine/tensor/hls/number_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

using Kind = TensorOperatorKind;

NumberFormat formatOf(const Scalar& scalar) {
  using enum NumberFormat::Kind;
  if (scalar == Scalar::BF16) return {BFloat16, 16};
  if (scalar == Scalar::F16) return {Float16, 16};
  const bool integer = scalar.format == Scalar::Format::Signless || scalar.format == Scalar::Format::Signed;
  if (integer && (scalar.bits == 8 || scalar.bits == 4)) return {Integer, scalar.bits};
  return {};
}

float largestOf(const NumberFormat& format) {
  return static_cast<float>((1 << (format.bits - 1)) - 1);
}

/// To so many significant bits, none below 2^lowest.
float toBits(float value, int bits, int lowest) {
  if (!std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int shift = std::max(exponent - bits, lowest);
  return static_cast<float>(
      std::ldexp(std::nearbyint(std::ldexp(static_cast<double>(value), -shift)), shift));
}

void setScale(NumberFormat& format, const FloatTensor& tensor) {
  if (format.kind != NumberFormat::Kind::Integer) return;
  float most = 0;
  bool whole = true;
  for (const float value : tensor.data) {
    if (!std::isfinite(value)) continue;
    most = std::max(most, std::fabs(value));
    whole = whole && value == std::nearbyint(value);
  }
  const bool itself = most == 0 || (whole && most <= largestOf(format));
  format.scale = itself ? 1 : most / largestOf(format);
}

/// Whether the operator gives the elements of its one input, and keeps their numbers.
bool keepsNumbers(const TensorProgram& program, const TensorOperator& op) {
  const bool moves = op.kind == Kind::Reshape || op.kind == Kind::Transpose || op.kind == Kind::Slice ||
                     op.kind == Kind::Expand;
  return moves && op.before_steps.empty() && op.after_steps.empty() &&
         program.tensors[op.inputs[0]].scalar == program.tensors[op.output].scalar;
}

/// Integers that the elements stand for times the scale.
std::vector<std::int64_t> stepsOf(const FloatTensor& tensor, const NumberFormat& format) {
  std::vector<std::int64_t> steps;
  for (const float value : tensor.data) steps.push_back(std::llround(value / format.scale));
  return steps;
}

/// The product of integers, each sum times both scales; then what follows the sum.
FloatTensor integerProduct(const TensorOperator& op, std::span<const FloatTensor> operands,
                           const NumberFormat& left, const NumberFormat& right,
                           const std::vector<std::size_t>& shape) {
  const std::vector<std::int64_t> a = stepsOf(operands[0], left), b = stepsOf(operands[1], right);
  const bool batched = op.kind == Kind::BatchedMatmul, transposed = !batched || op.transposed_right;
  const std::size_t depth = operands[0].shape.back(), columns = shape.back();
  const std::size_t rows = batched ? shape[shape.size() - 2] : a.size() / depth;
  const std::size_t batches = a.size() / (rows * depth), shared = batches / (b.size() / (depth * columns));
  FloatTensor sums{shape, {}};
  for (std::size_t at = 0; at < batches * rows * columns; ++at) {
    const std::size_t row = at / columns, column = at % columns;
    const std::size_t matrix = row / rows / shared * depth * columns;
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < depth; ++k)
      sum += a[row * depth + k] * b[matrix + (transposed ? column * depth + k : k * columns + column)];
    sums.data.push_back(static_cast<float>(sum));
  }
  TensorOperator rest;
  rest.kind = Kind::Mul;
  rest.number = left.scale * right.scale;
  rest.inputs = {0};
  std::vector<FloatTensor> others{std::move(sums)};
  for (std::size_t i = 2; i < operands.size(); ++i) others.push_back(operands[i]);
  std::size_t next = 1;
  if (op.inputs.size() == 3) rest.after_steps.push_back({Kind::Add, next++});
  for (ElementwiseStep step : op.after_steps) {
    if (step.operand) step.operand = next++;
    rest.after_steps.push_back(step);
  }
  return applied(rest, others, shape);
}

/// A sum of `depth` products may reach 2^31.
bool overflows(std::size_t depth, const NumberFormat& left, const NumberFormat& right) {
  const double most = static_cast<double>(depth) * largestOf(left) * largestOf(right);
  return most > static_cast<double>(std::numeric_limits<std::int32_t>::max());
}

void keep(FloatTensor& tensor, const NumberFormat& format) {
  for (float& value : tensor.data) value = format.rounded(value);
}

}  // namespace

std::string NumberFormat::type() const {
  switch (kind) {
    case Kind::Float32:
      return "float";
    case Kind::BFloat16:
      return "numbers::bfloat16";
    case Kind::Float16:
      return "numbers::float16";
    case Kind::Integer:
      return "ap_int<" + std::to_string(bits) + ">";
  }
  return {};
}

float NumberFormat::rounded(float value) const {
  switch (kind) {
    case Kind::Float32:
      return value;
    case Kind::BFloat16:
      return toBits(value, 8, -133);
    case Kind::Float16: {
      const float near = toBits(value, 11, -24);
      return std::fabs(near) > 65504.0f ? std::copysign(std::numeric_limits<float>::infinity(), near) : near;
    }
    case Kind::Integer: {
      const float most = largestOf(*this), steps = std::nearbyint(value / scale);
      return (std::isnan(steps) ? 0.0f : std::clamp(steps, -most, most) + 0.0f) * scale;  // no negative 0
    }
  }
  return value;
}

bool multipliesIntegers(const TensorOperator& op, std::span<const NumberFormat> formats) {
  if (formats.empty() || (op.kind != Kind::Linear && op.kind != Kind::BatchedMatmul)) return false;
  return op.before_steps.empty() && formats[op.inputs[0]].kind == NumberFormat::Kind::Integer &&
         formats[op.inputs[1]].kind == NumberFormat::Kind::Integer;
}

Result<NarrowValues> narrowValues(const TensorProgram& program, const TensorSet& given) {
  NarrowValues all;
  all.values.resize(program.tensors.size());
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    all.formats.push_back(formatOf(program.tensors[i].scalar));
    if (program.tensors[i].role == TensorRole::Activation) continue;
    all.values[i] = outsideTensor(program.tensors[i], given);
    setScale(all.formats[i], all.values[i]);
    keep(all.values[i], all.formats[i]);
  }
  for (const TensorOperator& op : program.operators) {
    std::vector<FloatTensor> operands;
    for (const std::size_t tensor : readTensors(op)) operands.push_back(all.values[tensor]);
    const auto& own = program.tensors[op.output].shape;
    const std::vector<std::size_t> shape(own.begin(), own.end());
    FloatTensor& result = all.values[op.output];
    if (multipliesIntegers(op, all.formats)) {
      const NumberFormat &left = all.formats[op.inputs[0]], &right = all.formats[op.inputs[1]];
      if (overflows(operands[0].shape.back(), left, right))
        return error("too-many", Location(Where::Operator, op.name),
                     "sums of " + std::to_string(operands[0].shape.back()) + " products of " + left.type() +
                         " and " + right.type() + " do not fit 32 bits",
                     "emit float32 numbers");
      result = integerProduct(op, operands, left, right, shape);
    } else {
      result = applied(op, operands, shape);
    }
    if (keepsNumbers(program, op)) {
      all.formats[op.output] = all.formats[op.inputs[0]];
      continue;
    }
    setScale(all.formats[op.output], result);
    keep(result, all.formats[op.output]);
  }
  return all;
}

}  // namespace sluice::inline tensor
