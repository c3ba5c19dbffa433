// What the padding of every tensor holds, operator by operator.

#include "engine/tensor/programs/padding_values.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/tensor/programs/operator_nest.h"
#include "engine/tensor/programs/operator_traits.h"

namespace sluice::inline tensor {
namespace {

/// Elements outside of what counts: zero wherever a dimension is past its valid extent, of each dimension
/// that is padded; all of them finite. True of dimensions without padding.
struct Padding {
  std::vector<bool> zero;
  bool finite = true;
};

constexpr std::array<float, 5> samples{0.0f, 1.0f, -1.0f, 1e4f, -1e4f};
constexpr std::array<float, 2> nonzero{1.0f, -2.0f};  // what counts is taken not to be 0 where it divides

template <class Function>
bool isFinite(const Function& function) {
  return std::ranges::all_of(samples, [&](float x) { return std::isfinite(function(x)); });
}

class PaddingValues {
 public:
  explicit PaddingValues(const TensorProgram& program) : program_(program) {
    for (const TensorValue& tensor : program.tensors)
      all_.push_back({std::vector(tensor.shape.size(), true)});
  }

  std::optional<TensorDimension> run() {
    for (const TensorOperator& op : program_.operators) {
      Padding first = op.inputs.empty() ? Padding{} : all_[op.inputs[0]];
      for (const ElementwiseStep& step : op.before_steps) apply(step, op.inputs[0], first);
      Padding result = passed(op, first);
      if (isElementwise(op.kind))
        apply({op.kind, op.inputs.size() == 2 ? std::optional(op.inputs[1]) : std::nullopt, op.number},
              op.output, result = first);
      else if (const auto spoilt = compute(op, first, result))
        return spoilt;
      for (const ElementwiseStep& step : op.after_steps) apply(step, op.output, result);
      all_[op.output] = std::move(result);
    }
    return {};
  }

 private:
  bool isPadded(std::size_t tensor, std::size_t k) const {
    const TensorValue& value = program_.tensors[tensor];
    return !value.valid.empty() && value.valid[k] != value.shape[k];
  }
  std::size_t rank(std::size_t tensor) const { return program_.tensors[tensor].shape.size(); }

  /// Each dimension of the result as the dimension of the first input that the same loop runs over.
  Padding passed(const TensorOperator& op, const Padding& first) const {
    Padding result{std::vector(rank(op.output), false), first.finite};
    const OperatorNest nest = nestOf(program_, op);
    const auto& out = nest.accesses.back().index;
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (!isPadded(op.output, k)) result.zero[k] = true;
      if (op.inputs.empty()) continue;
      const auto& in = nest.accesses.front().index;
      for (std::size_t i = 0; i < in.size(); ++i)
        if (out[k].bareLoop() && in[i].bareLoop() == out[k].bareLoop()) result.zero[k] = first.zero[i];
    }
    return result;
  }

  /// An operand has the last dimensions of what it goes with.
  void apply(const ElementwiseStep& step, std::size_t tensor, Padding& padding) const {
    const OperatorTraits& traits = traitsOf(step.kind);
    if (!step.operand) {
      const auto function = [&](float x) {
        return traits.of_one != nullptr ? traits.of_one(x) : traits.of_two(x, step.number.value_or(0.0f));
      };
      const bool zeros = std::ranges::find(padding.zero, false) == padding.zero.end();
      padding.finite = padding.finite && (isFinite(function) || (zeros && std::isfinite(function(0.0f))));
      if (function(0.0f) != 0.0f) lose(tensor, padding);
      return;
    }
    const Padding& other = all_[*step.operand];
    const auto of = [&](float a, float b) { return traits.of_two(a, b); };
    const std::size_t less = padding.zero.size() - other.zero.size();
    bool pads = false;
    for (std::size_t k = 0; k < other.zero.size(); ++k) pads = pads || isPadded(*step.operand, k);
    const auto with_any = [&](auto&& test) {
      return pads ? std::ranges::all_of(samples, test) : std::ranges::all_of(nonzero, test);
    };
    padding.finite = padding.finite && other.finite &&
                     with_any([&](float b) { return isFinite([&](float a) { return of(a, b); }); });
    for (std::size_t k = 0; k < padding.zero.size(); ++k) {
      if (!isPadded(tensor, k)) continue;
      const bool left = padding.zero[k], right = k >= less && other.zero[k - less];
      const bool both = left && right && of(0.0f, 0.0f) == 0.0f;
      const bool by_left = left && other.finite && with_any([&](float b) { return of(0.0f, b) == 0.0f; });
      const bool by_right = right && padding.finite &&
                            std::ranges::all_of(samples, [&](float a) { return of(a, 0.0f) == 0.0f; });
      padding.zero[k] = both || by_left || by_right;
    }
  }

  void lose(std::size_t tensor, Padding& padding) const {
    for (std::size_t k = 0; k < padding.zero.size(); ++k)
      if (isPadded(tensor, k)) padding.zero[k] = false;
  }

  /// What the operator makes of what was passed; a dimension that it cannot have padded.
  std::optional<TensorDimension> compute(const TensorOperator& op, const Padding& first,
                                         Padding& result) const {
    switch (op.kind) {
      case TensorOperatorKind::Linear:
      case TensorOperatorKind::BatchedMatmul:
        return product(op, first, result);
      case TensorOperatorKind::Softmax:
      case TensorOperatorKind::LayerNorm:
      case TensorOperatorKind::RmsNorm:
        return row(op, result);
      case TensorOperatorKind::Rotary:
        if (const std::size_t last = rank(op.output) - 1; isPadded(op.output, last))
          return TensorDimension{op.output, last};
        return withOthers(op, result, false);
      case TensorOperatorKind::Concat:
        return withOthers(op, result, true);
      case TensorOperatorKind::Where:
        return choice(op, result);
      case TensorOperatorKind::Lookup:  // what pads the places names a row
        lose(op.output, result);
        return {};
      case TensorOperatorKind::Fill:
        result.finite = std::isfinite(op.number.value_or(0.0f));
        if (op.number.value_or(0.0f) != 0.0f) lose(op.output, result);
        return {};
      default:
        return hasWindow(op.kind) ? window(op) : std::nullopt;
    }
  }

  /// A sum needs zeros on one side, and numbers on the other.
  std::optional<TensorDimension> product(const TensorOperator& op, const Padding& first,
                                         Padding& result) const {
    const std::size_t right = op.inputs[1], last = rank(op.inputs[0]) - 1, columns = rank(op.output) - 1;
    const Padding& other = all_[right];
    const bool by_rows = op.kind == TensorOperatorKind::Linear || op.transposed_right;
    const std::size_t depth = rank(right) - (by_rows ? 1 : 2), column = rank(right) - (by_rows ? 2 : 1);
    const bool numbers = first.finite && other.finite;
    if (isPadded(op.inputs[0], last) && !(numbers && (first.zero[last] || other.zero[depth])))
      return TensorDimension{op.inputs[0], last};
    result.finite = numbers;
    if (isPadded(op.output, columns)) result.zero[columns] = other.zero[column] && numbers;
    for (std::size_t k = 0; k < columns; ++k)
      if (isPadded(op.output, k)) result.zero[k] = result.zero[k] && numbers;
    if (op.inputs.size() == 3) apply({TensorOperatorKind::Add, op.inputs[2]}, op.output, result);
    return {};
  }

  /// The part of a row that counts is known to the operator.
  std::optional<TensorDimension> row(const TensorOperator& op, Padding& result) const {
    const std::size_t last = rank(op.output) - 1;
    const bool padded = isPadded(op.output, last);
    const bool softmax = op.kind == TensorOperatorKind::Softmax;
    bool scaled_to_zero = true;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      result.finite = result.finite && all_[op.inputs[i]].finite;
      scaled_to_zero = scaled_to_zero && all_[op.inputs[i]].zero.back();
    }
    if (!softmax && op.epsilon <= 0) result.finite = false;
    if (op.kind != TensorOperatorKind::RmsNorm || !result.finite) lose(op.output, result);
    if (padded) result.zero[last] = softmax || (scaled_to_zero && result.finite);
    return {};
  }

  std::optional<TensorDimension> withOthers(const TensorOperator& op, Padding& result, bool zeros) const {
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      result.finite = result.finite && all_[op.inputs[i]].finite;
      for (std::size_t k = 0; zeros && k < result.zero.size(); ++k)
        if (isPadded(op.output, k)) result.zero[k] = result.zero[k] && all_[op.inputs[i]].zero[k];
    }
    return {};
  }

  std::optional<TensorDimension> choice(const TensorOperator& op, Padding& result) const {
    result.finite = all_[op.inputs[1]].finite && all_[op.inputs[2]].finite;
    lose(op.output, result);
    return {};
  }

  std::optional<TensorDimension> window(const TensorOperator& op) const {
    std::vector<std::size_t> touched = readTensors(op);
    touched.push_back(op.output);
    for (const std::size_t tensor : touched)
      for (std::size_t k = 0; k < rank(tensor); ++k)
        if (isPadded(tensor, k)) return TensorDimension{tensor, k};
    return {};
  }

  const TensorProgram& program_;
  std::vector<Padding> all_;
};

}  // namespace

std::optional<TensorDimension> spoiltByPadding(const TensorProgram& program) {
  return PaddingValues(program).run();
}

}  // namespace sluice::inline tensor
