#include "engine/tensor/programs/unit_dimensions.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/reassociation.h"

namespace sluice::inline tensor {
namespace {

/// Which dimensions of which tensors must stay: those longer than 1, those of constants, what operators need,
/// and what is tied to any of these.
class KeptDimensions {
 public:
  explicit KeptDimensions(const TensorProgram& program) : program_(program) {
    for (const TensorValue& tensor : program.tensors) {
      const bool constant = tensor.role == TensorRole::Weight || tensor.role == TensorRole::Table;
      std::vector<bool> dimensions;
      for (const std::int64_t extent : tensor.shape) dimensions.push_back(constant || extent != 1);
      keep_.push_back(std::move(dimensions));
    }
    do {
      changed_ = false;
      for (const TensorOperator& op : program.operators) visit(op);
    } while (changed_);
  }

  const std::vector<bool>& of(std::size_t tensor) const { return keep_[tensor]; }

 private:
  std::size_t rank(std::size_t tensor) const { return keep_[tensor].size(); }

  void keep(std::size_t tensor, std::size_t dimension) {
    if (!keep_[tensor][dimension]) changed_ = keep_[tensor][dimension] = true;
  }

  void tie(std::size_t a, std::size_t i, std::size_t b, std::size_t j) {
    if (keep_[a][i]) keep(b, j);
    if (keep_[b][j]) keep(a, i);
  }

  /// Dimensions counted from the last.
  void tieFromBehind(std::size_t a, std::size_t b) {
    for (std::size_t i = 1; i <= std::min(rank(a), rank(b)); ++i) tie(a, rank(a) - i, b, rank(b) - i);
  }

  void keepLast(std::size_t tensor, std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) keep(tensor, rank(tensor) - i);
  }

  void visit(const TensorOperator& op) {
    for (const ElementwiseStep& step : op.before_steps)
      if (step.operand) tieFromBehind(op.inputs[0], *step.operand);
    for (const ElementwiseStep& step : op.after_steps)
      if (step.operand) tieFromBehind(op.output, *step.operand);
    switch (op.kind) {
      case TensorOperatorKind::Reshape:
      case TensorOperatorKind::Fill:
        return;
      case TensorOperatorKind::Transpose:
        for (std::size_t i = 0; i < op.permutation.size(); ++i)
          tie(op.output, i, op.inputs[0], op.permutation[i]);
        return;
      case TensorOperatorKind::Linear:
        leading(op, 1);
        return keepOthers(op);
      case TensorOperatorKind::BatchedMatmul:
        leading(op, 2);
        for (std::size_t i = 0; i + 2 < rank(op.inputs[1]); ++i) tie(op.inputs[0], i, op.inputs[1], i);
        return keepLast(op.inputs[1], 2);
      case TensorOperatorKind::Slice:
      case TensorOperatorKind::Concat:
      case TensorOperatorKind::Expand:
        return alongAxis(op);
      case TensorOperatorKind::Lookup:
        for (std::size_t i = 0; i + 1 < rank(op.output); ++i) tie(op.inputs[0], i, op.output, i);
        keepLast(op.inputs[0], 1);
        keepLast(op.output, 2);
        return keepOthers(op);
      default:
        if (isReduction(op.kind)) return leading(op, 1);
        if (hasWindow(op.kind)) return keepAll(op);
        for (const std::size_t input : op.inputs) tieFromBehind(op.output, input);
        if (!isElementwise(op.kind)) keepLast(op.output, op.kind == TensorOperatorKind::Rotary ? 2 : 1);
    }
  }

  /// All of one rank. The axis stays, and so does what is repeated.
  void alongAxis(const TensorOperator& op) {
    for (const std::size_t input : op.inputs) {
      tieFromBehind(op.output, input);
      if (op.kind != TensorOperatorKind::Expand) keep(input, op.axis);
    }
    if (op.kind != TensorOperatorKind::Expand) keep(op.output, op.axis);
  }

  void keepAll(const TensorOperator& op) {
    keepLast(op.output, rank(op.output));
    keepLast(op.inputs[0], rank(op.inputs[0]));
    keepOthers(op);
  }
  /// Weights and biases, which operators may have made.
  void keepOthers(const TensorOperator& op) {
    for (std::size_t i = 1; i < op.inputs.size(); ++i) keepLast(op.inputs[i], rank(op.inputs[i]));
  }

  /// First input and output correspond but for the last `own` dimensions, which stay.
  void leading(const TensorOperator& op, std::size_t own) {
    for (std::size_t i = 0; i + own < rank(op.output); ++i) tie(op.inputs[0], i, op.output, i);
    keepLast(op.inputs[0], own);
    keepLast(op.output, own);
  }

  const TensorProgram& program_;
  std::vector<std::vector<bool>> keep_;
  bool changed_ = false;
};

TensorOperator reshapeOf(std::string name, std::size_t from, std::size_t to) {
  return {std::move(name), TensorOperatorKind::Reshape, {from}, to, false, {}, {}, {}};
}

/// Transpositions that leave the order of the elements in memory.
void turnTranspositionsIntoReshapes(TensorProgram& program) {
  for (TensorOperator& op : program.operators) {
    if (op.kind != TensorOperatorKind::Transpose) continue;
    std::vector<std::size_t> moved;
    for (const std::size_t from : op.permutation)
      if (program.tensors[op.inputs[0]].shape[from] != 1) moved.push_back(from);
    if (!std::is_sorted(moved.begin(), moved.end()) || !op.before_steps.empty()) continue;
    op.kind = TensorOperatorKind::Reshape;
    op.permutation.clear();
  }
}

/// Inputs and results get a tensor inside the program, which may lose dimensions.
TensorProgram withBoundary(const TensorProgram& program) {
  TensorProgram result{program.name, program.tensors, {}, program.results};
  std::map<std::size_t, std::size_t> inside;
  std::set<std::size_t> tables;  // that are looked up in stay outside
  for (const TensorOperator& op : program.operators)
    if (op.kind == TensorOperatorKind::Lookup) tables.insert(op.inputs[1]);
  const auto add_inside = [&](std::size_t tensor) {
    TensorValue copy = program.tensors[tensor];
    if (std::find(copy.shape.begin(), copy.shape.end(), 1) == copy.shape.end()) return false;
    copy.name += " inside";
    copy.role = TensorRole::Activation;
    inside[tensor] = result.tensors.size();
    result.tensors.push_back(std::move(copy));
    return true;
  };
  const auto number = [&](std::size_t tensor) {
    const auto found = inside.find(tensor);
    return found == inside.end() ? tensor : found->second;
  };
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (program.tensors[tensor].role == TensorRole::Input && !tables.contains(tensor) && add_inside(tensor))
      result.operators.push_back(
          reshapeOf(program.tensors[tensor].name + " taken in", tensor, inside[tensor]));
  }
  for (TensorOperator op : program.operators) {
    const std::size_t output = op.output;
    for (std::size_t& tensor : op.inputs) tensor = number(tensor);
    for (auto* steps : {&op.before_steps, &op.after_steps})
      for (ElementwiseStep& step : *steps)
        if (step.operand) step.operand = number(*step.operand);
    const bool leaves =
        std::find(program.results.begin(), program.results.end(), output) != program.results.end() &&
        add_inside(output);
    op.output = number(output);
    result.operators.push_back(std::move(op));
    if (leaves)
      result.operators.push_back(
          reshapeOf(program.tensors[output].name + " handed out", inside[output], output));
  }
  return result;
}

void dropDimensions(TensorProgram& program) {
  const std::vector<std::optional<std::size_t>> written_by = writers(program);
  const KeptDimensions kept(program);
  const auto inside = [&](std::size_t tensor) {
    return written_by[tensor] &&
           std::find(program.results.begin(), program.results.end(), tensor) == program.results.end();
  };
  for (TensorOperator& op : program.operators) {
    if (op.kind == TensorOperatorKind::Slice || op.kind == TensorOperatorKind::Concat) {
      const std::vector<bool>& keep = kept.of(op.output);
      op.axis = static_cast<std::size_t>(
          std::count(keep.begin(), keep.begin() + static_cast<std::ptrdiff_t>(op.axis), true));
    }
    if (op.kind != TensorOperatorKind::Transpose) continue;
    const std::vector<bool>& keep = kept.of(op.inputs[0]);
    std::vector<std::size_t> permutation;
    for (const std::size_t from : op.permutation)
      if (keep[from])
        permutation.push_back(static_cast<std::size_t>(
            std::count(keep.begin(), keep.begin() + static_cast<std::ptrdiff_t>(from), true)));
    op.permutation = std::move(permutation);
  }
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor) {
    if (!inside(tensor)) continue;
    std::vector<std::int64_t> shape;
    for (std::size_t k = 0; k < program.tensors[tensor].shape.size(); ++k)
      if (kept.of(tensor)[k]) shape.push_back(program.tensors[tensor].shape[k]);
    program.tensors[tensor].shape = std::move(shape);
  }
}

/// A reshape of a reshape, or to the same shape: true where one was taken out.
bool simplifyReshape(TensorProgram& program) {
  const auto written_by = writers(program);
  const auto plain = [](const TensorOperator& op) {
    return op.kind == TensorOperatorKind::Reshape && op.before_steps.empty() && op.after_steps.empty();
  };
  const std::vector<std::size_t> uses = useCounts(program);
  for (std::size_t index = 0; index < program.operators.size(); ++index) {
    TensorOperator& op = program.operators[index];
    if (!plain(op)) continue;
    const std::size_t from = op.inputs[0], to = op.output;
    const TensorValue &source = program.tensors[from], &target = program.tensors[to];
    const bool result =
        std::find(program.results.begin(), program.results.end(), to) != program.results.end();
    if (!result && source.shape == target.shape && source.scalar == target.scalar) {
      program.operators.erase(program.operators.begin() + static_cast<std::ptrdiff_t>(index));
      for (TensorOperator& reader : program.operators) {
        std::replace(reader.inputs.begin(), reader.inputs.end(), to, from);
        for (auto* steps : {&reader.before_steps, &reader.after_steps})
          for (ElementwiseStep& step : *steps)
            if (step.operand == to) step.operand = from;
      }
      return true;
    }
    if (!written_by[from] || uses[from] != 1) continue;
    const TensorOperator& before = program.operators[*written_by[from]];
    if (!plain(before) || !reassociation(program.tensors[before.inputs[0]].shape, target.shape)) continue;
    op.inputs[0] = before.inputs[0];
    program.operators.erase(program.operators.begin() + static_cast<std::ptrdiff_t>(*written_by[from]));
    return true;
  }
  return false;
}

}  // namespace

TensorProgram withoutUnitDimensions(const TensorProgram& program) {
  TensorProgram result = withBoundary(program);
  turnTranspositionsIntoReshapes(result);
  dropDimensions(result);
  while (simplifyReshape(result)) {
  }
  return withoutUnusedTensors(result);
}

}  // namespace sluice::inline tensor
