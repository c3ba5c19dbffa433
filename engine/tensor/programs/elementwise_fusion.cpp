#include "engine/tensor/programs/elementwise_fusion.h"

#include <optional>
#include <utility>
#include <vector>

#include "engine/tensor/programs/operator_traits.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
namespace {

using Steps = std::vector<ElementwiseStep>;

void append(Steps& steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

/// All that an elementwise operator does to its input `flowing` (0 or 1).
Steps stepsOf(const TensorOperator& op, std::size_t flowing) {
  Steps steps = op.before_steps;
  ElementwiseStep own{op.kind, {}, op.number};
  if (op.inputs.size() == 2) own.operand = op.inputs[1 - flowing];
  steps.push_back(own);
  append(steps, op.after_steps);
  return steps;
}

bool takesStepsAfter(TensorOperatorKind kind) {
  return kind != TensorOperatorKind::Reshape && kind != TensorOperatorKind::Transpose &&
         kind != TensorOperatorKind::Fill;
}

/// Each element of the first input once, and nothing in its stead.
bool readsOnce(TensorOperatorKind kind) {
  switch (kind) {
    case TensorOperatorKind::Slice:
    case TensorOperatorKind::Concat:
    case TensorOperatorKind::Expand:
    case TensorOperatorKind::Where:
    case TensorOperatorKind::Fill:
    case TensorOperatorKind::Lookup:
      return false;
    default:
      return !isProduct(kind) && !hasWindow(kind);
  }
}

/// The operators of a program while some go into others. Those that remain keep their places, those that are
/// gone leave theirs empty, so that nothing has to be found or numbered anew.
class ElementwiseFusion {
 public:
  explicit ElementwiseFusion(const TensorProgram& program)
      : program_(program),
        uses_(useCounts(program)),
        writer_(writers(program)),
        reader_(program.tensors.size()) {
    for (std::size_t place = 0; place < program.operators.size(); ++place) {
      operators_.emplace_back(program.operators[place]);
      noteReader(place);
    }
  }

  TensorProgram run() {
    // One into its producer leaves those before it as they are; one into its consumer changes the consumer.
    bool again = true;
    while (again) {
      again = false;
      forEachElementwise([this](std::size_t place) { fuseIntoProducer(place); });
      forEachElementwise([&](std::size_t place) {
        const std::optional<std::size_t> consumer = fuseIntoConsumer(place);
        again = again || (consumer && isElementwise(operators_[*consumer]->kind));
      });
    }
    program_.operators.clear();
    for (std::optional<TensorOperator>& op : operators_)
      if (op) program_.operators.push_back(*std::move(op));
    return withoutUnusedTensors(program_);
  }

 private:
  template <class Visit>
  void forEachElementwise(const Visit& visit) {
    for (std::size_t place = 0; place < operators_.size(); ++place)
      if (operators_[place] && isElementwise(operators_[place]->kind)) visit(place);
  }

  void noteReader(std::size_t place) {
    if (!operators_[place]->inputs.empty()) reader_[operators_[place]->inputs[0]] = place;
  }

  /// Whether steps are of integers that must be exact is what the result's type says.
  bool countAlike(std::size_t a, std::size_t b) const {
    return countsExactly(program_.tensors[a].scalar) == countsExactly(program_.tensors[b].scalar);
  }

  /// Into the operator that makes one of the inputs; that one moves to where the other inputs are ready.
  void fuseIntoProducer(std::size_t place) {
    const TensorOperator& op = *operators_[place];
    for (std::size_t flowing = 0; flowing < op.inputs.size(); ++flowing) {
      const std::size_t tensor = op.inputs[flowing];
      if (flowing == 1 && !op.before_steps.empty()) return;  // they belong to the first input
      if (flowing == 1 && !traitsOf(op.kind).commutative) return;
      if (!writer_[tensor] || uses_[tensor] != 1 ||
          program_.tensors[tensor].shape != program_.tensors[op.output].shape)
        continue;
      std::optional<TensorOperator>& before = operators_[*writer_[tensor]];
      if (!takesStepsAfter(before->kind)) continue;
      if (!countAlike(tensor, op.output)) continue;
      TensorOperator producer = *std::move(before);
      before.reset();
      append(producer.after_steps, stepsOf(op, flowing));
      producer.output = op.output;
      operators_[place] = std::move(producer);
      noteReader(place);
      return;
    }
  }

  /// Into the only operator that reads it, which is returned.
  std::optional<std::size_t> fuseIntoConsumer(std::size_t place) {
    const TensorOperator& op = *operators_[place];
    const std::optional<std::size_t> reader = reader_[op.output];
    if (uses_[op.output] != 1 || !reader || !operators_[*reader]) return {};
    TensorOperator& consumer = *operators_[*reader];
    if (consumer.inputs[0] != op.output || !readsOnce(consumer.kind)) return {};
    if (!countAlike(op.output, consumer.output)) return {};
    Steps steps = stepsOf(op, 0);
    append(steps, consumer.before_steps);
    consumer.before_steps = std::move(steps);
    consumer.inputs[0] = op.inputs[0];
    operators_[place].reset();
    noteReader(*reader);
    return reader;
  }

  TensorProgram program_;
  std::vector<std::optional<TensorOperator>> operators_;
  std::vector<std::size_t> uses_;                   ///< of each tensor; fusing keeps them
  std::vector<std::optional<std::size_t>> writer_;  ///< of each tensor: its operator's place
  std::vector<std::optional<std::size_t>> reader_;  ///< the last that was seen with it as its first input
};

}  // namespace

TensorProgram withElementwiseFused(const TensorProgram& program) {
  return ElementwiseFusion(program).run();
}

}  // namespace sluice::inline tensor
