// Operators of ONNX that become several: padding, slices that step, convolutions in groups, attention,
// quantization. What they compute is compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_blocks_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

Model modelOf(const Shape& shape) {
  return Model().input("x", shape).output("y");
}

FloatTensor madeOf(const Model& model, const FloatTensor& x) {
  const OnnxImport imported = import(model);
  EXPECT_TRUE(imported.coverage.cuts.empty()) << wanting(imported.coverage);
  return resultOf(imported.program, {{"x", x}});
}

TEST(OnnxBlocks, PaddingIsANumber) {
  const FloatTensor x = tensorOf({2, 3});
  Model model = modelOf({2, 3}).integers("pads", {1, -1, 0, 2}).scalar("c", 0.5f);
  model.node("Pad", {"x", "pads", "c"}, "y");
  std::vector<double> wanted;
  for (int row = -1; row < 2; ++row)
    for (int column = 1; column < 5; ++column)
      wanted.push_back(row < 0 || column > 2
                           ? 0.5
                           : static_cast<double>(x.data[static_cast<std::size_t>(row * 3 + column)]));
  expectNear(madeOf(model, x), {3, 4}, wanted);
  EXPECT_THAT(refusal(modelOf({2, 3})
                          .integers("p", {0, 1, 0, 0})
                          .node("Pad", {"x", "p"}, "y", Model::word("mode", "mirror"))),
              HasSubstr("what it fills in is 'mirror'"));
}

TEST(OnnxBlocks, PaddingIsOfElements) {
  const FloatTensor x = tensorOf({2, 4});
  const std::map<std::string, std::vector<std::size_t>> modes{{"edge", {0, 0, 0, 1, 2, 3, 3, 3, 3}},
                                                              {"reflect", {2, 1, 0, 1, 2, 3, 2, 1, 0}},
                                                              {"wrap", {2, 3, 0, 1, 2, 3, 0, 1, 2}}};
  for (const auto& [mode, columns] : modes) {
    SCOPED_TRACE(mode);
    Model model = modelOf({2, 4}).integers("pads", {0, 2, 0, 3});
    model.node("Pad", {"x", "pads"}, "y", Model::word("mode", mode));
    std::vector<double> wanted;
    for (std::size_t row = 0; row < 2; ++row)
      for (const std::size_t column : columns) wanted.push_back(x.data[row * 4 + column]);
    expectNear(madeOf(model, x), {2, 9}, wanted, 0);
  }
  EXPECT_THAT(refusal(modelOf({2, 4})
                          .integers("p", {0, 4, 0, 0})
                          .node("Pad", {"x", "p"}, "y", Model::word("mode", "reflect"))),
              HasSubstr("more elements than there are"));
}

/// Whole groups; a last one that ends behind the tensor; one that could only begin before it.
TEST(OnnxBlocks, SlicesStep) {
  for (const auto& [begin, end, step] :
       {std::array<std::int64_t, 3>{0, 6, 2}, {1, 7, 3}, {0, 7, 2}, {3, 7, 3}, {2, 100, 2}}) {
    Model model = modelOf({7, 2}).integers("b", {begin}).integers("e", {end}).integers("a", {0});
    model.integers("s", {step}).node("Slice", {"x", "b", "e", "a", "s"}, "y");
    const FloatTensor x = tensorOf({7, 2});
    std::vector<double> wanted;
    for (std::int64_t row = begin; row < std::min<std::int64_t>(end, 7); row += step)
      for (const std::int64_t column : {0, 1})
        wanted.push_back(static_cast<double>(x.data[static_cast<std::size_t>(row * 2 + column)]));
    expectNear(madeOf(model, x), {wanted.size() / 2, 2}, wanted);
  }
}

/// Groups of channels, each channel for itself with two results, and none.
TEST(OnnxBlocks, ConvolutionsInGroups) {
  for (const std::int64_t groups : {1, 2, 4}) {
    const std::size_t each = static_cast<std::size_t>(4 / groups);
    const std::vector<float> weight = numbers(8 * each * 2, 3);
    Model model = modelOf({1, 4, 5}).floats("w", {8, 4 / groups, 2}, weight);
    model.node("Conv", {"x", "w"}, "y", Model::integer("group", groups));
    const OnnxImport imported = import(model);
    const FloatTensor x = tensorOf({1, 4, 5});
    TensorSet given{{"x", x}};
    for (const TensorValue& tensor : imported.program.tensors)
      if (tensor.role == TensorRole::Weight)
        given[tensor.name] = {{tensor.shape.begin(), tensor.shape.end()}, weight};
    std::vector<double> wanted;
    for (std::size_t m = 0; m < 8; ++m)
      for (std::size_t i = 0; i < 4; ++i) {
        double sum = 0;
        const std::size_t first = m / (8 / static_cast<std::size_t>(groups)) * each;
        for (std::size_t c = 0; c < each; ++c)
          for (std::size_t tap = 0; tap < 2; ++tap)
            sum += static_cast<double>(weight[(m * each + c) * 2 + tap]) *
                   static_cast<double>(x.data[(first + c) * 5 + i + tap]);
        wanted.push_back(sum);
      }
    expectNear(resultOf(imported.program, given), {1, 8, 4}, wanted);
  }
}

TEST(OnnxBlocks, ExponentialsOfOneSide) {
  const FloatTensor x = tensorOf({2, 3});
  const auto expect = [&](const std::string& op, double (*function)(double), const std::string& attributes) {
    std::vector<double> wanted;
    for (const float value : x.data) wanted.push_back(function(static_cast<double>(value)));
    expectNear(madeOf(modelOf({2, 3}).node(op, {"x"}, "y", attributes), x), {2, 3}, wanted);
  };
  expect(
      "Softplus", [](double v) { return std::log(1 + std::exp(v)); }, "");
  expect(
      "Elu", [](double v) { return v > 0 ? v : 0.5 * (std::exp(v) - 1); }, Model::real("alpha", 0.5f));
}

/// Four heads of queries, two of keys; queries see no later keys.
TEST(OnnxBlocks, AttentionWithSharedHeads) {
  constexpr std::size_t length = 3, size = 2;
  Model model = Model().opset("", 23).input("q", {1, 3, 8}).input("k", {1, 3, 4}).input("v", {1, 3, 4});
  model.output("y").node(
      "Attention", {"q", "k", "v"}, "y",
      Model::integer("q_num_heads", 4) + Model::integer("kv_num_heads", 2) + Model::integer("is_causal", 1));
  const OnnxImport imported = import(model);
  EXPECT_EQ(imported.coverage.products, 2 * 3 * 3 * 8);
  const FloatTensor q = tensorOf({1, 3, 8}, 1), k = tensorOf({1, 3, 4}, 2), v = tensorOf({1, 3, 4}, 3);
  TensorSet given{{"q", q}, {"k", k}, {"v", v}};
  for (const TensorValue& tensor : imported.program.tensors)
    if (tensor.role == TensorRole::Table)
      given[tensor.name] = {{3, 3}, {0, -1e30f, -1e30f, 0, 0, -1e30f, 0, 0, 0}};
  std::vector<double> wanted(length * 8);
  const auto at = [](const FloatTensor& tensor, std::size_t row, std::size_t head, std::size_t d) {
    return static_cast<double>(tensor.data[row * tensor.shape[2] + head * size + d]);
  };
  for (std::size_t head = 0; head < 4; ++head)
    for (std::size_t i = 0; i < length; ++i) {
      std::vector<double> weights;
      double sum = 0;
      for (std::size_t j = 0; j <= i; ++j) {
        double score = 0;
        for (std::size_t d = 0; d < size; ++d) score += at(q, i, head, d) * at(k, j, head / 2, d);
        weights.push_back(std::exp(score / std::sqrt(2.0)));
        sum += weights.back();
      }
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t d = 0; d < size; ++d)
          wanted[i * 8 + head * size + d] += weights[j] / sum * at(v, j, head / 2, d);
    }
  expectNear(resultOf(imported.program, given), {1, 3, 8}, wanted);
}

TEST(OnnxBlocks, QuantizedAndBack) {
  const FloatTensor x = tensorOf({2, 3});
  Model model = modelOf({2, 3}).floats("s", {3}, {0.25f, 0.001f, 0.5f}).small("z", {3}, {1, 0, -2});
  model.node("QuantizeLinear", {"x", "s", "z"}, "q").node("DequantizeLinear", {"q", "s", "z"}, "y");
  const OnnxImport imported = import(model);
  const double scales[] = {0.25, 0.001f, 0.5}, points[] = {1, 0, -2};
  TensorSet given{{"x", x}};
  for (const TensorValue& tensor : imported.program.tensors)
    if (tensor.role != TensorRole::Activation && tensor.name != "x")
      given[tensor.name] = {{tensor.shape.begin(), tensor.shape.end()},
                            tensor.name.starts_with("s") ? std::vector<float>{0.25f, 0.001f, 0.5f}
                                                         : std::vector<float>{1, 0, -2}};
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 6; ++i) {
    const double whole = std::nearbyint(static_cast<double>(x.data[i]) / scales[i % 3]) + points[i % 3];
    wanted.push_back((std::clamp(whole, -128.0, 127.0) - points[i % 3]) * scales[i % 3]);
  }
  expectNear(resultOf(imported.program, given), {2, 3}, wanted);
}

/// The scale is that of the row's range, 0 within it; the product is one of integers.
TEST(OnnxBlocks, AProductOfIntegers) {
  const FloatTensor x = tensorOf({2, 4});
  Model model = modelOf({2, 4}).small("w", {4, 3}, {1, -2, 3, 4, 5, -6, 7, 8, 9, -10, 11, 12});
  model.small("p", {}, {2});
  model.named("d", "DynamicQuantizeLinear", {"x"}, {"q", "s", "z"})
      .node("MatMulInteger", {"q", "w", "z", "p"}, "i")
      .node("Cast", {"i"}, "f", Model::integer("to", 1))
      .node("Mul", {"f", "s"}, "y");
  const OnnxImport imported = import(model);
  EXPECT_TRUE(imported.coverage.cuts.empty()) << wanting(imported.coverage);
  const std::vector<float> weight{1, -2, 3, 4, 5, -6, 7, 8, 9, -10, 11, 12};
  TensorSet given{{"x", x}};
  for (const TensorValue& tensor : imported.program.tensors)
    if (tensor.role == TensorRole::Weight) {
      EXPECT_EQ(tensor.scalar.bits, 8);
      given[tensor.name] = {{4, 3}, weight};
    }
  const auto [least, most] = std::minmax_element(x.data.begin(), x.data.end());
  const float scale = (std::max(*most, 0.0f) - std::min(*least, 0.0f)) / 255.0f;
  const float zero = std::nearbyint(std::clamp(-std::min(*least, 0.0f) / scale, 0.0f, 255.0f));
  std::vector<double> wanted;
  for (std::size_t row = 0; row < 2; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const float q = std::clamp(std::nearbyint(x.data[row * 4 + k] / scale) + zero, 0.0f, 255.0f);
        sum += static_cast<double>(q - zero) * static_cast<double>(weight[k * 3 + column] - 2);
      }
      wanted.push_back(sum * static_cast<double>(scale));
    }
  expectNear(resultOf(imported.program, given), {2, 3}, wanted);
}

/// A weight that is read back from few bits is stored in these.
TEST(OnnxBlocks, WeightsAreStoredInFewBits) {
  Model model = modelOf({2, 4}).small("w", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).scalar("s", 0.5f);
  model.node("DequantizeLinear", {"w", "s"}, "d").node("MatMul", {"x", "d"}, "y");
  const TensorProgram program = import(model).program;
  EXPECT_EQ(kinds(program), "linear");
  const TensorValue& weight = program.tensors[program.operators[0].inputs[1]];
  EXPECT_EQ(weight.role, TensorRole::Weight);
  EXPECT_EQ(weight.scalar.bits, 8);
}

}  // namespace sluice::onnx_blocks_test
