// The shape rules of tensor_program.h.

#include <algorithm>
#include <cmath>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/reassociation.h"
#include "engine/tensor/programs/tensor_program.h"

namespace sluice::inline tensor {
namespace {

using Extents = std::vector<std::int64_t>;
constexpr std::size_t most_rank = 16;

/// Checks one operator; every report says where.
class OperatorCheck {
 public:
  OperatorCheck(const TensorProgram& program, const TensorOperator& op, Diagnostics& found)
      : program_(program), op_(op), found_(found) {}

  void run() {
    const std::size_t least = traitsOf(op_.kind).least_inputs, most = traitsOf(op_.kind).most_inputs;
    if (op_.inputs.size() < least || op_.inputs.size() > most)
      return report("operator-rule", "it has " + std::to_string(op_.inputs.size()) + " inputs",
                    "a " + std::string(text(op_.kind)) + " takes " + std::to_string(least) +
                        (most == least ? "" : (most > least + 1 ? " to " : " or ") + std::to_string(most)));
    checkNumber();
    checkShapes();
    checkValid();
    checkSteps(op_.before_steps, op_.inputs.empty() ? op_.output : op_.inputs[0]);
    checkSteps(op_.after_steps, op_.output);
  }

 private:
  const Extents& shape(std::size_t tensor) const { return program_.tensors[tensor].shape; }
  const Extents& input(std::size_t i) const { return shape(op_.inputs[i]); }

  void report(Code code, std::string cause, std::string fix, std::vector<std::size_t> tensors = {}) {
    found_.push_back(error(code, Location(Where::Operator, op_.name), std::move(cause), std::move(fix)));
    for (const std::size_t tensor : tensors)
      found_.back().related.emplace_back(Where::Tensor, program_.tensors[tensor].name);
  }

  void expect(std::size_t tensor, const Extents& wanted) {
    if (shape(tensor) != wanted)
      report("shape-mismatch",
             "tensor '" + program_.tensors[tensor].name + "' is " + shapeText(shape(tensor)) + ", but the " +
                 std::string(text(op_.kind)) + " needs " + shapeText(wanted),
             "change that tensor or the operator's other tensors so that the shapes agree", {tensor});
  }

  bool hasRank(std::size_t tensor, std::size_t least) {
    if (shape(tensor).size() >= least) return true;
    report("rank-mismatch",
           "tensor '" + program_.tensors[tensor].name + "' has rank " + std::to_string(shape(tensor).size()),
           "give it at least " + std::to_string(least) + " dimensions", {tensor});
    return false;
  }

  void checkShapes() {
    switch (op_.kind) {
      case TensorOperatorKind::Linear:
        return linear();
      case TensorOperatorKind::BatchedMatmul:
        return matmul();
      case TensorOperatorKind::LayerNorm:
      case TensorOperatorKind::RmsNorm:
        return norm();
      case TensorOperatorKind::Softmax:
        if (hasRank(op_.inputs[0], 1)) expect(op_.output, input(0));
        return;
      case TensorOperatorKind::Rotary:
        return rotary();
      case TensorOperatorKind::Reshape:
        return reshape();
      case TensorOperatorKind::Transpose:
        return transpose();
      case TensorOperatorKind::Slice:
        return slice();
      case TensorOperatorKind::Concat:
        return concat();
      case TensorOperatorKind::Expand:
        return expand();
      case TensorOperatorKind::Lookup:
        return lookup();
      case TensorOperatorKind::Where:
        for (const std::size_t tensor : op_.inputs) suffix(tensor, shape(op_.output));
        return;
      case TensorOperatorKind::Fill:
        return;
      default:
        if (isReduction(op_.kind)) return reduce();
        if (hasWindow(op_.kind)) return window();
        if (op_.inputs.size() == 2) suffix(op_.inputs[1], input(0));
        return expect(op_.output, input(0));
    }
  }

  /// In the place of a second tensor, or what a Fill fills with.
  void checkNumber() {
    const bool of_two = traitsOf(op_.kind).of_two != nullptr;
    if (of_two && (op_.inputs.size() == 2) == op_.number.has_value())
      report("operator-rule", "it has " + std::string(op_.number ? "two tensors and a number" : "one tensor"),
             "a " + std::string(text(op_.kind)) + " takes two tensors, or one and a number");
    if (op_.number && !of_two && op_.kind != TensorOperatorKind::Fill)
      report("operator-rule", "it has a number that it does not use", "leave the number out");
    const bool mask = op_.kind == TensorOperatorKind::Fill && op_.number && !std::isnan(*op_.number);
    if (op_.number && !mask && !std::isfinite(*op_.number))
      report("out-of-range", "its number is not finite", "give one, as in number = 0.5");
  }

  void checkValid() {
    if (op_.valid == 0) return;
    if (!hasRows(op_.kind)) {
      report("operator-rule", "it has no rows of which a part could count", "leave valid out");
    } else if (hasRank(op_.inputs[0], 1) && (op_.valid < 0 || op_.valid > input(0).back())) {
      report("out-of-range",
             "of its rows of " + std::to_string(input(0).back()) + " elements " + std::to_string(op_.valid) +
                 " are to count",
             "give 1 to " + std::to_string(input(0).back()));
    }
  }

  bool hasAxis(const Extents& shape) {
    if (op_.axis < shape.size()) return true;
    report("operator-rule",
           "its axis is " + std::to_string(op_.axis) + ", of " + std::to_string(shape.size()) + " dimensions",
           "count the dimensions from 0");
    return false;
  }

  void slice() {
    if (!hasAxis(input(0)) || !hasRank(op_.output, input(0).size())) return;
    Extents wanted = input(0);
    wanted[op_.axis] = shape(op_.output)[op_.axis];
    expect(op_.output, wanted);
    if (op_.begin < 0 || op_.begin > input(0)[op_.axis] - wanted[op_.axis])
      report("out-of-range",
             "it takes " + std::to_string(wanted[op_.axis]) + " elements from " + std::to_string(op_.begin) +
                 " on, of " + std::to_string(input(0)[op_.axis]),
             "begin further to the front, or take fewer");
  }

  void concat() {
    if (!hasAxis(shape(op_.output))) return;
    Extents sum = shape(op_.output);
    sum[op_.axis] = 0;
    for (const std::size_t tensor : op_.inputs) {
      if (!hasRank(tensor, sum.size())) return;
      Extents wanted = shape(op_.output);
      wanted[op_.axis] = shape(tensor)[op_.axis];
      expect(tensor, wanted);
      sum[op_.axis] += wanted[op_.axis];
    }
    expect(op_.output, sum);
  }

  void expand() {
    if (!hasRank(op_.output, input(0).size())) return;
    Extents wanted = input(0);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (wanted[k] == 1) wanted[k] = shape(op_.output)[k];
    expect(op_.output, wanted);
  }

  void lookup() {
    if (!hasRank(op_.inputs[0], 1) || !hasRank(op_.inputs[1], 2)) return;
    const TensorValue& table = program_.tensors[op_.inputs[1]];
    if (table.shape.size() != 2)
      return report("rank-mismatch", "its table '" + table.name + "' is " + shapeText(table.shape),
                    "give it rows and columns", {op_.inputs[1]});
    if (table.role == TensorRole::Activation)
      report("operator-rule", "its table '" + table.name + "' is written by the program",
             "look up in a tensor that comes from outside", {op_.inputs[1]});
    Extents wanted = input(0);
    wanted.push_back(table.shape[1]);
    expect(op_.output, wanted);
  }

  void reduce() {
    if (!hasRank(op_.inputs[0], 1)) return;
    Extents wanted = input(0);
    wanted.back() = 1;
    expect(op_.output, wanted);
  }

  static bool twoFrom(const Extents& numbers, std::int64_t least) {
    return numbers.size() == 2 && std::ranges::all_of(numbers, [&](std::int64_t n) {
             return n >= least && n <= (std::int64_t{1} << 20);
           });
  }

  void window() {
    const TensorWindow& window = op_.window;
    const bool pool = op_.inputs.size() == 1;
    if (!twoFrom(window.strides, 1) || !twoFrom(window.dilations, 1) || !twoFrom(window.padding, 0) ||
        (pool ? !twoFrom(window.size, 1) : !window.size.empty()))
      return report("operator-rule", "strides, padding, dilations or the size of its window are missing",
                    "give two numbers of each, the size where it is a pool");
    for (const std::size_t tensor : {op_.inputs[0], op_.output, op_.inputs[pool ? 0 : 1]})
      if (shape(tensor).size() != 4)
        return report("rank-mismatch",
                      "tensor '" + program_.tensors[tensor].name + "' has not four dimensions",
                      "give it batch, channels, height and width", {tensor});
    Extents wanted = shape(op_.output);
    wanted[0] = input(0)[0];
    wanted[1] = input(pool ? 0 : 1)[pool ? 1 : 0];
    expect(op_.output, wanted);
    if (!pool) {
      const bool deep = op_.kind == TensorOperatorKind::Conv;
      if (!deep && input(1)[0] != input(0)[1])
        expect(op_.inputs[1], {input(0)[1], 1, input(1)[2], input(1)[3]});
      expect(op_.inputs[1], {input(1)[0], deep ? input(0)[1] : 1, input(1)[2], input(1)[3]});
      if (op_.inputs.size() == 3) expect(op_.inputs[2], {input(1)[0]});
      Extents products = wanted;
      products.insert(products.end(), input(1).begin() + 1, input(1).end());
      const auto multiplications = boundedProduct(products);
      if (!multiplications || *multiplications > (std::int64_t{1} << 50))
        report("too-many", "it takes more than 2^50 multiplications", "use smaller extents");
    }
    // The first and the last window touch the image.
    for (const std::size_t k : {0, 1}) {
      const std::int64_t taps = pool ? window.size[k] : input(1)[2 + k];
      const std::int64_t last = (wanted[2 + k] - 1) * window.strides[k] - window.padding[k];
      if (last >= input(0)[2 + k] || (taps - 1) * window.dilations[k] < window.padding[k])
        report("out-of-range", "a window of it lies beside the image",
               "use a smaller result or less padding");
    }
  }

  void linear() {
    if (!hasRank(op_.inputs[0], 1) || !hasRank(op_.inputs[1], 2)) return;
    expect(op_.inputs[1], {input(1)[0], input(0).back()});
    if (op_.inputs.size() == 3) expect(op_.inputs[2], {input(1)[0]});
    Extents wanted = input(0);
    wanted.back() = input(1)[0];
    expectProduct(wanted);
  }

  void matmul() {
    if (!hasRank(op_.inputs[0], 2) || !hasRank(op_.inputs[1], 2)) return;
    const Extents &a = input(0), &b = input(1);
    const std::size_t batches = b.size() - 2;
    if (b.size() > a.size())
      return report("rank-mismatch", "its second input has more batch dimensions than its first",
                    "share the second among the trailing batch dimensions of the first, not the reverse");
    const std::int64_t n = op_.transposed_right ? b[batches] : b[batches + 1];
    Extents right(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(batches));
    right.insert(right.end(), {op_.transposed_right ? n : a.back(), op_.transposed_right ? a.back() : n});
    expect(op_.inputs[1], right);
    Extents wanted = a;
    wanted.back() = n;
    expectProduct(wanted);
  }

  /// The output, and a number of multiplications that sums and streams can be computed with.
  void expectProduct(Extents output) {
    expect(op_.output, output);
    output.push_back(input(0).back());
    const auto multiplications = boundedProduct(output);
    if (!multiplications || *multiplications > (std::int64_t{1} << 50))
      report("too-many", "it takes more than 2^50 multiplications", "use smaller extents");
  }

  void norm() {
    if (!hasRank(op_.inputs[0], 1)) return;
    for (std::size_t i = 1; i < op_.inputs.size(); ++i) expect(op_.inputs[i], {input(0).back()});
    expect(op_.output, input(0));
    if (!(op_.epsilon >= 0) || !std::isfinite(op_.epsilon))
      report("out-of-range", "its epsilon is no positive number", "give a small one, as in epsilon = 1e-06");
  }

  void rotary() {
    if (!hasRank(op_.inputs[0], 2)) return;
    if (input(0).back() % 2 != 0)
      report("operator-rule", "its last dimension, " + std::to_string(input(0).back()) + ", is odd",
             "rotary embedding turns pairs: use an even head size");
    for (std::size_t i = 1; i < op_.inputs.size(); ++i)
      expect(op_.inputs[i], Extents(input(0).end() - 2, input(0).end()));
    expect(op_.output, input(0));
  }

  void reshape() {
    if (!reassociation(input(0), shape(op_.output)))
      report("shape-mismatch",
             "it turns " + shapeText(input(0)) + " into " + shapeText(shape(op_.output)) +
                 ", which neither splits nor merges neighbouring dimensions",
             "let each dimension of one side be the product of consecutive dimensions of the other");
  }

  void transpose() {
    Extents wanted;
    std::vector<bool> taken(input(0).size(), false);
    for (const std::size_t from : op_.permutation) {
      if (from >= taken.size() || taken[from]) break;
      taken[from] = true;
      wanted.push_back(input(0)[from]);
    }
    if (wanted.size() != taken.size() || op_.permutation.size() != taken.size())
      return report(
          "operator-rule", "its permutation does not name every dimension of its input once",
          "list 0 to " + std::to_string(taken.size()) + ", the last one not included, in some order");
    expect(op_.output, wanted);
  }

  void suffix(std::size_t tensor, const Extents& of) {
    const Extents& part = shape(tensor);
    if (part.size() > of.size() || !std::equal(part.rbegin(), part.rend(), of.rbegin()))
      report("shape-mismatch",
             "tensor '" + program_.tensors[tensor].name + "' is " + shapeText(part) +
                 ", which is no suffix of " + shapeText(of),
             "broadcasting repeats a tensor over leading dimensions only; swap the operands or transpose",
             {tensor});
  }

  void checkSteps(const std::vector<ElementwiseStep>& steps, std::size_t tensor) {
    for (const ElementwiseStep& step : steps) {
      const bool binary = traitsOf(step.kind).of_two != nullptr;
      const bool number = step.number.has_value();
      if (!isElementwise(step.kind) || binary != (step.operand.has_value() || number) ||
          (step.operand && number) || (number && !std::isfinite(*step.number)))
        report("operator-rule",
               "its fused step '" + std::string(text(step.kind)) + "' is no complete elementwise operator",
               "fuse gelu and silu without, add and mul with a second tensor or a number");
      else if (step.operand)
        suffix(*step.operand, shape(tensor));
    }
  }

  const TensorProgram& program_;
  const TensorOperator& op_;
  Diagnostics& found_;
};

void checkTensor(const TensorValue& tensor, Diagnostics& found) {
  const auto report = [&](Code code, std::string cause, std::string fix) {
    found.push_back(error(code, Location(Where::Tensor, tensor.name), std::move(cause), std::move(fix)));
  };
  if (tensor.shape.size() > most_rank)
    report("too-many", "it has more than 16 dimensions", "collapse some of them");
  if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](std::int64_t e) { return e < 1; }))
    return report("out-of-range", "an extent of its shape " + shapeText(tensor.shape) + " is not positive",
                  "use extents of at least 1");
  Extents bits = tensor.shape;
  bits.push_back(std::max<std::int64_t>(tensor.scalar.bits, 1));
  // Operations and streams multiply sizes by further extents, hence the lower limit.
  const auto size = boundedProduct(bits);
  if (tensor.scalar.bits < 1)
    report("out-of-range", "its scalar has no bits", "use a scalar such as i4, i8, bf16 or f32");
  if (!size || *size > (std::int64_t{1} << 48))
    report("too-many", "it has more than 2^48 bits", "use smaller extents");
}

/// Every number names a tensor, every tensor is there before it is read and is written once.
void checkOrder(const TensorProgram& program, Diagnostics& found) {
  std::vector<bool> ready;
  for (const TensorValue& tensor : program.tensors) ready.push_back(tensor.role != TensorRole::Activation);
  const auto report = [&](Code code, const Location& place, std::size_t tensor, const std::string& cause,
                          std::string fix) {
    found.push_back(error(code, place, cause, std::move(fix)));
    if (tensor < ready.size()) found.back().related.emplace_back(Where::Tensor, program.tensors[tensor].name);
  };
  const auto read = [&](std::size_t tensor, const Location& place) {
    if (tensor >= ready.size())
      report("unknown-tensor", place, tensor,
             "it names tensor " + std::to_string(tensor) + ", of " + std::to_string(ready.size()),
             "number the tensors from 0");
    else if (!ready[tensor])
      report("unknown-tensor", place, tensor,
             "it reads '" + program.tensors[tensor].name + "' before anything has written it",
             "put the operator that writes it first, or make the tensor an input");
  };
  for (const TensorOperator& op : program.operators) {
    const Location place(Where::Operator, op.name);
    const char* const fix = "give every operator an activation tensor of its own to write";
    for (const std::size_t tensor : readTensors(op)) read(tensor, place);
    if (op.output >= ready.size())
      report("unknown-tensor", place, op.output, "its output is no tensor of the program", fix);
    else if (ready[op.output])
      report("operator-rule", place, op.output,
             "it writes '" + program.tensors[op.output].name +
                 "', which is constant, an input or already written",
             fix);
    else
      ready[op.output] = true;
  }
  for (const std::size_t tensor : program.results) read(tensor, "the results of '" + program.name + "'");
}

}  // namespace

Diagnostics verify(const TensorProgram& program) {
  Diagnostics found;
  for (const TensorValue& tensor : program.tensors) checkTensor(tensor, found);
  checkOrder(program, found);
  if (!found.empty()) return found;
  for (const TensorOperator& op : program.operators) OperatorCheck(program, op, found).run();
  return found;
}

}  // namespace sluice::inline tensor
