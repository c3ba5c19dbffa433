// Elementwise fusion and dropped unit dimensions: the programs compute the same numbers with the same
// operations, and what is outside stays as it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/tensor/programs/elementwise_fusion.h"
#include "engine/tensor/programs/llm_blocks.h"
#include "engine/tensor/programs/tensor_program_text.h"
#include "engine/tensor/programs/unit_dimensions.h"
#include "tests/engine/support/tensor_evaluator.h"

namespace sluice::tensor_rewrite_test {

using testing_support::evaluate;

/// Small blocks of every architecture, heads and tokens down to one.
std::vector<TensorProgram> smallBlocks() {
  std::vector<TensorProgram> programs;
  for (TransformerModel model : publishedModels()) {
    for (const std::int64_t kv_heads : {1, 2}) {
      model.hidden = 12;
      model.feed_forward = 10;
      model.heads = model.kv_heads == model.heads ? kv_heads : 2 * kv_heads;
      model.kv_heads = kv_heads;
      model.head_size = 4;
      for (const BlockPhase phase : {promptPhase(5), promptPhase(1), decodePhase(6)})
        programs.push_back(*transformerBlock(model, phase, *quantisationNamed("FP32")));
    }
  }
  return programs;
}

/// Name, shape and role of what enters and leaves.
using Outside = std::vector<std::tuple<std::string, std::vector<std::int64_t>, TensorRole>>;
Outside outside(const TensorProgram& program) {
  Outside found;
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role != TensorRole::Activation) found.emplace_back(tensor.name, tensor.shape, tensor.role);
  std::sort(found.begin(), found.end());
  for (const std::size_t tensor : program.results)
    found.emplace_back(program.tensors[tensor].name, program.tensors[tensor].shape, TensorRole::Activation);
  return found;
}

void expectSame(const TensorProgram& before, const TensorProgram& after) {
  SCOPED_TRACE(before.name);
  ASSERT_EQ(text(verify(after)), "");
  EXPECT_EQ(operationCount(after), operationCount(before));
  EXPECT_EQ(outside(after), outside(before));
  const auto expected = evaluate(before), found = evaluate(after);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (std::size_t j = 0; j < found[i].size(); ++j) EXPECT_NEAR(found[i][j], expected[i][j], 1e-9);
  }
}

std::size_t count(const TensorProgram& program, TensorOperatorKind kind) {
  return static_cast<std::size_t>(std::count_if(program.operators.begin(), program.operators.end(),
                                                [&](const TensorOperator& op) { return op.kind == kind; }));
}

TEST(TensorRewrites, ElementwiseFusionKeepsWhatIsComputed) {
  for (const TensorProgram& program : smallBlocks()) {
    const TensorProgram fused = withElementwiseFused(program);
    expectSame(program, fused);
    for (const TensorOperator& op : fused.operators) EXPECT_FALSE(isElementwise(op.kind)) << op.name;
  }
}

/// Weights that operators make keep theirs, as those of one direction of an LSTM.
TEST(TensorRewrites, WeightsOfOneColumnKeepIt) {
  const Result<TensorProgram> program = parseTensorProgram(R"(program @recurrence {
  %x = input tensor<1x3x1xf32>
  %both = weight tensor<2x3x1xf32>
  %biases = weight tensor<2x6xf32>
  %one = slice(%both) tensor<1x3x1xf32>
  %w = reshape(%one) tensor<3x1xf32>
  %two = slice(%biases) {begin = 1} tensor<1x6xf32>
  %row = reshape(%two) tensor<6xf32>
  %b = slice(%row) {begin = 3} tensor<3xf32>
  %y = linear(%x, %w, %b) tensor<1x3x3xf32>
  return %y
})",
                                                           {});
  ASSERT_TRUE(program) << text(program.diagnostics());
  expectSame(*program, withoutUnitDimensions(*program));
}

TEST(TensorRewrites, DroppedUnitDimensionsKeepWhatIsComputed) {
  for (const TensorProgram& program : smallBlocks()) {
    const TensorProgram dropped = withoutUnitDimensions(program);
    expectSame(program, dropped);
    expectSame(program, withoutUnitDimensions(withElementwiseFused(program)));
    expectSame(program, withElementwiseFused(dropped));
    EXPECT_EQ(withoutUnitDimensions(dropped).operators.size(), dropped.operators.size());
  }
}

TEST(TensorRewrites, DecodingNeedsNoTransposition) {
  for (const TransformerModel& model : publishedModels()) {
    const Quantisation widths = *quantisationNamed("W4A8");
    const TensorProgram decode = *transformerBlock(model, decodePhase(128), widths);
    EXPECT_EQ(count(decode, TensorOperatorKind::Transpose), 4u);
    EXPECT_EQ(count(withoutUnitDimensions(decode), TensorOperatorKind::Transpose), 0u);
    const TensorProgram prompt = *transformerBlock(model, promptPhase(128), widths);
    // Gemma's single key and value head is a unit dimension in itself.
    EXPECT_EQ(count(withoutUnitDimensions(prompt), TensorOperatorKind::Transpose),
              model.kv_heads == 1 ? 2u : 4u);
    if (model.kv_heads == 1) continue;
    EXPECT_EQ(withoutUnitDimensions(prompt).operators.size(), prompt.operators.size());
  }
}

/// Operators the blocks do not have: chains before rows, fills, tensors read twice, broadcasts that grow.
TEST(TensorRewrites, ElementwiseOperatorsInOddPlaces) {
  using enum TensorOperatorKind;
  TensorProgram program;
  program.name = "odd places";
  const auto add = [&](std::string name, std::vector<std::int64_t> shape, TensorRole role) {
    program.tensors.push_back({std::move(name), std::move(shape), {}, role});
    return program.tensors.size() - 1;
  };
  const auto apply = [&](TensorOperatorKind kind, std::vector<std::size_t> inputs) {
    const std::size_t output =
        add("t" + std::to_string(program.tensors.size()),
            inputs.empty() ? std::vector<std::int64_t>{4, 6} : program.tensors[inputs[0]].shape,
            TensorRole::Activation);
    program.operators.push_back({program.tensors[output].name, kind, inputs, output, false, {}, {}, {}});
    return output;
  };
  const std::size_t x = add("x", {4, 6}, TensorRole::Input), row = add("row", {6}, TensorRole::Input);
  const std::size_t twice = apply(Gelu, {x});
  const std::size_t square = apply(Mul, {twice, twice});                           // reads one tensor twice
  const std::size_t soft = apply(Softmax, {apply(Add, {apply(Silu, {x}), row})});  // a chain before a row
  const std::size_t narrow = apply(Silu, {row});
  const std::size_t wide = apply(Add, {apply(Fill, {}), narrow});  // grows: not into its producer
  program.results = {apply(Add, {square, soft}), apply(Mul, {wide, x}), square};
  ASSERT_EQ(text(verify(program)), "");
  const TensorProgram fused = withElementwiseFused(program);
  expectSame(program, fused);
  EXPECT_LT(fused.operators.size(), program.operators.size());
  EXPECT_EQ(count(fused, Softmax), 1u);
}

}  // namespace sluice::tensor_rewrite_test
