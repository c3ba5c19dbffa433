#include "tests/engine/support/tensor_evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/random.h"

namespace sluice::testing_support {
namespace {

using Values = std::vector<double>;

Values fromName(const TensorValue& tensor) {
  std::uint64_t seed = 7;
  for (const char c : tensor.name) seed = seed * 131 + static_cast<unsigned char>(c);
  SplitMix64 random(seed);
  Values values(static_cast<std::size_t>(elementCount(tensor)));
  for (double& value : values) value = static_cast<double>(random.below(2001)) / 1000.0 - 1.0;
  return values;
}

double elementwise(TensorOperatorKind kind, double a, double b) {
  switch (kind) {
    case TensorOperatorKind::Add:
      return a + b;
    case TensorOperatorKind::Mul:
      return a * b;
    case TensorOperatorKind::Gelu:
      return 0.5 * a * (1 + std::erf(a / std::sqrt(2.0)));
    case TensorOperatorKind::GeluTanh:
      return 0.5 * a * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (a + 0.044715 * a * a * a)));
    default:
      return a / (1 + std::exp(-a));
  }
}

void softmax(double* row, std::size_t n) {
  const double most = *std::max_element(row, row + n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += row[i] = std::exp(row[i] - most);
  for (std::size_t i = 0; i < n; ++i) row[i] /= sum;
}

class Evaluator {
 public:
  explicit Evaluator(const TensorProgram& program) : program_(program) {
    for (const TensorValue& tensor : program.tensors)
      values_.push_back(tensor.role == TensorRole::Activation ? Values{} : fromName(tensor));
    for (const TensorOperator& op : program.operators) {
      Values first = op.inputs.empty() ? Values{} : values_[op.inputs[0]];
      applySteps(op.before_steps, first);
      Values result = apply(op, std::move(first));
      applySteps(op.after_steps, result);
      values_[op.output] = std::move(result);
    }
  }

  const Values& of(std::size_t tensor) const { return values_[tensor]; }

 private:
  const std::vector<std::int64_t>& shape(std::size_t tensor) const { return program_.tensors[tensor].shape; }
  std::size_t last(std::size_t tensor) const { return static_cast<std::size_t>(shape(tensor).back()); }

  void applySteps(const std::vector<ElementwiseStep>& steps, Values& values) const {
    for (const ElementwiseStep& step : steps)
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = elementwise(step.kind, values[i],
                                step.operand ? values_[*step.operand][i % values_[*step.operand].size()]
                                             : static_cast<double>(step.number.value_or(0)));
  }

  Values apply(const TensorOperator& op, Values x) const {
    switch (op.kind) {
      case TensorOperatorKind::Linear:
        return linear(op, x);
      case TensorOperatorKind::BatchedMatmul:
        return matmul(op, x);
      case TensorOperatorKind::Softmax:
      case TensorOperatorKind::LayerNorm:
      case TensorOperatorKind::RmsNorm:
        for (std::size_t row = 0; row < x.size(); row += last(op.inputs[0])) rowOperator(op, &x[row]);
        return x;
      case TensorOperatorKind::Rotary:
        return rotary(op, x);
      case TensorOperatorKind::Reshape:
        return x;
      case TensorOperatorKind::Transpose:
        return transpose(op, x);
      case TensorOperatorKind::Fill:
        return Values(static_cast<std::size_t>(elementCount(program_.tensors[op.output])), 0.5);
      default: {
        std::vector<ElementwiseStep> own{{op.kind, {}}};
        if (op.inputs.size() == 2) own[0].operand = op.inputs[1];
        applySteps(own, x);
        return x;
      }
    }
  }

  Values linear(const TensorOperator& op, const Values& x) const {
    const std::size_t k = last(op.inputs[0]), n = last(op.output);
    const Values& w = values_[op.inputs[1]];
    Values y(x.size() / k * n, 0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (op.inputs.size() == 3) y[i] = values_[op.inputs[2]][i % n];
      for (std::size_t j = 0; j < k; ++j) y[i] += x[i / n * k + j] * w[i % n * k + j];
    }
    return y;
  }

  Values matmul(const TensorOperator& op, const Values& a) const {
    const auto& out = shape(op.output);
    const std::size_t m = static_cast<std::size_t>(out[out.size() - 2]), n = last(op.output);
    const std::size_t k = last(op.inputs[0]);
    const Values& b = values_[op.inputs[1]];
    const std::size_t batches = a.size() / (m * k), sharing = batches / (b.size() / (k * n));
    Values y(batches * m * n, 0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t batch = i / (m * n), row = i / n % m, column = i % n;
      const double* right = &b[batch / sharing * k * n];
      for (std::size_t j = 0; j < k; ++j)
        y[i] += a[(batch * m + row) * k + j] * right[op.transposed_right ? column * k + j : j * n + column];
    }
    return y;
  }

  void rowOperator(const TensorOperator& op, double* row) const {
    const std::size_t n = last(op.inputs[0]);
    if (op.kind == TensorOperatorKind::Softmax) return softmax(row, n);
    const bool layer = op.kind == TensorOperatorKind::LayerNorm;
    const double mean = layer ? std::accumulate(row, row + n, 0.0) / static_cast<double>(n) : 0;
    double square = 0;
    for (std::size_t i = 0; i < n; ++i) square += (row[i] - mean) * (row[i] - mean);
    const double scale = 1 / std::sqrt(square / static_cast<double>(n) + static_cast<double>(op.epsilon));
    for (std::size_t i = 0; i < n; ++i)
      row[i] = (row[i] - mean) * scale * values_[op.inputs[1]][i] + (layer ? values_[op.inputs[2]][i] : 0);
  }

  Values rotary(const TensorOperator& op, const Values& x) const {
    const std::size_t d = last(op.inputs[0]), half = d / 2;
    const Values& angles = values_[op.inputs[1]];
    Values y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double angle = angles[i % angles.size()];
      const double other = i % d < half ? -x[i + half] : x[i - half];
      y[i] = x[i] * std::cos(angle) + other * std::sin(angle);
    }
    return y;
  }

  Values transpose(const TensorOperator& op, const Values& x) const {
    const auto &from = shape(op.inputs[0]), &to = shape(op.output);
    std::vector<std::size_t> stride(from.size(), 1);
    for (std::size_t i = from.size(); i-- > 1;) stride[i - 1] = stride[i] * static_cast<std::size_t>(from[i]);
    Values y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::size_t rest = i, at = 0;
      for (std::size_t k = to.size(); k-- > 0; rest /= static_cast<std::size_t>(to[k]))
        at += rest % static_cast<std::size_t>(to[k]) * stride[op.permutation[k]];
      y[i] = x[at];
    }
    return y;
  }

  const TensorProgram& program_;
  std::vector<Values> values_;
};

}  // namespace

std::vector<std::vector<double>> evaluate(const TensorProgram& program) {
  const Evaluator evaluator(program);
  std::vector<std::vector<double>> results;
  for (const std::size_t tensor : program.results) results.push_back(evaluator.of(tensor));
  return results;
}

}  // namespace sluice::testing_support
