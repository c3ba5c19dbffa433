// Operators of ONNX that become several simpler ones, and those around products and images: what an imported
// model computes is compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/onnx/onnx_weights.h"
#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_expansions_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

Model input(const Shape& shape) {
  return Model().input("x", shape).output("y");
}

double number(const FloatTensor& tensor, std::size_t i) {
  return static_cast<double>(tensor.data.at(i));
}

std::string equationOf(const std::string& text) {
  return bytes(5, bytes(1, "equation") + bytes(4, text));
}

TEST(OnnxExpansions, Activations) {
  const FloatTensor x = tensorOf({3, 5});
  const auto expect = [&](const Model& model, const auto& function) {
    std::vector<double> wanted;
    for (const float value : x.data) wanted.push_back(function(static_cast<double>(value)));
    expectNear(resultWithWeights(model, {{"x", x}}), {3, 5}, wanted);
  };
  expect(input({3, 5}).node("Softsign", {"x"}, "y"), [](double v) { return v / (1 + std::abs(v)); });
  expect(input({3, 5}).node("Mish", {"x"}, "y"),
         [](double v) { return v * std::tanh(std::log(1 + std::exp(v))); });
  expect(input({3, 5}).node("Celu", {"x"}, "y", Model::real("alpha", 0.5f)),
         [](double v) { return v > 0 ? v : 0.5 * (std::exp(v / 0.5) - 1); });
  expect(input({3, 5}).node("Selu", {"x"}, "y"),
         [](double v) { return 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * (std::exp(v) - 1)); });
  expect(input({3, 5}).node("QuickGelu", {"x"}, "y"),
         [](double v) { return v / (1 + std::exp(-1.702 * v)); });
  expect(input({3, 5}).scalar("slope", 0.25f).node("PRelu", {"x", "slope"}, "y"),
         [](double v) { return v > 0 ? v : 0.25 * v; });
  expect(input({3, 5}).node("Mean", {"x", "x", "x"}, "y"), [](double v) { return v; });
}

TEST(OnnxExpansions, FunctionsOfAngles) {
  const FloatTensor x = tensorOf({3, 5});
  const auto expect = [&](const Model& model, const auto& function) {
    std::vector<double> wanted;
    for (const float value : x.data) wanted.push_back(function(static_cast<double>(value)));
    expectNear(resultWithWeights(model, {{"x", x}}), {3, 5}, wanted);
  };
  const auto of = [](const char* op) { return input({3, 5}).node(op, {"x"}, "y"); };
  expect(of("Atan"), [](double v) { return std::atan(v); });
  expect(of("Tan"), [](double v) { return std::tan(v); });
  expect(of("Sinh"), [](double v) { return std::sinh(v); });
  expect(of("Cosh"), [](double v) { return std::cosh(v); });
  expect(of("Asinh"), [](double v) { return std::asinh(v); });
  // Arguments of these are within 1, of Acosh above it.
  const auto behind = [&](const char* before, const char* op) {
    return input({3, 5}).node(before, {"x"}, "z").node(op, {"z"}, "y");
  };
  expect(behind("Tanh", "Asin"), [](double v) { return std::asin(std::tanh(v)); });
  expect(behind("Tanh", "Acos"), [](double v) { return std::acos(std::tanh(v)); });
  expect(behind("Tanh", "Atanh"), [](double v) { return v; });
  expect(input({3, 5}).node("Exp", {"x"}, "e").node("Cosh", {"e"}, "z").node("Acosh", {"z"}, "y"),
         [](double v) { return std::exp(v); });
}

TEST(OnnxExpansions, Thresholds) {
  const FloatTensor x = tensorOf({3, 5});
  const auto expect = [&](const Model& model, const auto& function) {
    std::vector<double> wanted;
    for (const float value : x.data) wanted.push_back(function(static_cast<double>(value)));
    expectNear(resultWithWeights(model, {{"x", x}}), {3, 5}, wanted);
  };
  expect(input({3, 5}).node("ThresholdedRelu", {"x"}, "y", Model::real("alpha", 0.25f)),
         [](double v) { return v > 0.25 ? v : 0; });
  expect(input({3, 5}).node("Shrink", {"x"}, "y", Model::real("lambd", 0.25f) + Model::real("bias", 0.125f)),
         [](double v) { return v < -0.25  ? v + 0.125
                               : v > 0.25 ? v - 0.125
                                          : 0; });
  expect(input({3, 5}).scalar("d", 0.3f).node("Mod", {"x", "d"}, "y", Model::integer("fmod", 1)),
         [](double v) { return std::fmod(v, static_cast<double>(0.3f)); });
  expect(input({3, 5}).node("IsInf", {"x"}, "t").node("Cast", {"t"}, "y", Model::integer("to", 1)),
         [](double) { return 0; });
}

TEST(OnnxExpansions, Rows) {
  const FloatTensor x = tensorOf({3, 5});
  const auto rows = [&](const auto& of_row) {
    std::vector<double> list;
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<double> values;
      for (std::size_t k = 0; k < 5; ++k) values.push_back(number(x, 5 * row + k));
      for (const double value : of_row(values)) list.push_back(value);
    }
    return list;
  };
  const auto sum = [](const std::vector<double>& row, const auto& of) {
    double all = 0;
    for (const double v : row) all += of(v);
    return all;
  };
  using Row = std::vector<double>;
  const auto exp = [](double v) { return std::exp(v); };
  const auto abs = [](double v) { return std::abs(v); };
  expectNear(resultWithWeights(input({3, 5}).opset("", 13).node("LogSoftmax", {"x"}, "y"), {{"x", x}}),
             {3, 5}, rows([&](Row row) {
               const double all = std::log(sum(row, exp));
               for (double& v : row) v -= all;
               return row;
             }));
  const std::string last = Model::ints("axes", {1});
  expectNear(resultWithWeights(input({3, 5}).node("ReduceLogSumExp", {"x"}, "y", last), {{"x", x}}), {3, 1},
             rows([&](const Row& row) { return Row{std::log(sum(row, exp))}; }));
  expectNear(
      resultWithWeights(input({3, 5}).node("ReduceL1", {"x"}, "y", last + Model::integer("keepdims", 0)),
                        {{"x", x}}),
      {3}, rows([&](const Row& row) { return Row{sum(row, abs)}; }));
  expectNear(resultWithWeights(input({3, 5}).node("LpNormalization", {"x"}, "y", Model::integer("p", 1)),
                               {{"x", x}}),
             {3, 5}, rows([&](Row row) {
               const double all = sum(row, abs);
               for (double& v : row) v /= all;
               return row;
             }));
}

/// (x - mean) / deviation of each of `rows` runs, times scale plus bias of each channel.
std::vector<double> normalized(const FloatTensor& x, std::size_t run, std::size_t channel,
                               const FloatTensor& scale, const FloatTensor& bias) {
  std::vector<double> wanted;
  for (std::size_t begin = 0; begin < x.data.size(); begin += run) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < run; ++i) mean += number(x, begin + i) / static_cast<double>(run);
    for (std::size_t i = 0; i < run; ++i) squares += std::pow(number(x, begin + i) - mean, 2);
    for (std::size_t i = 0; i < run; ++i) {
      const std::size_t own = (begin + i) / channel % scale.data.size();
      wanted.push_back((number(x, begin + i) - mean) / std::sqrt(squares / static_cast<double>(run) + 1e-5) *
                           number(scale, own) +
                       number(bias, own));
    }
  }
  return wanted;
}

TEST(OnnxExpansions, NormsOfChannelsAndGroups) {
  const FloatTensor x = tensorOf({2, 4, 2, 3}), scale = tensorOf({4}, 2), bias = tensorOf({4}, 3);
  const Model model = input({2, 4, 2, 3}).floats("scale", {4}, scale.data).floats("bias", {4}, bias.data);
  const Names names{"x", "scale", "bias"};
  expectNear(resultWithWeights(Model(model).node("InstanceNormalization", names, "y"), {{"x", x}}),
             {2, 4, 2, 3}, normalized(x, 6, 6, scale, bias));
  const std::string two = Model::integer("num_groups", 2);
  expectNear(
      resultWithWeights(Model(model).opset("", 21).node("GroupNormalization", names, "y", two), {{"x", x}}),
      {2, 4, 2, 3}, normalized(x, 12, 6, scale, bias));
  const FloatTensor whole = tensorOf({24}, 4), shift = tensorOf({24}, 5);
  const Model over =
      input({2, 4, 2, 3}).floats("scale", {4, 2, 3}, whole.data).floats("bias", {4, 2, 3}, shift.data);
  expectNear(resultWithWeights(Model(over).node("LayerNormalization", names, "y", Model::integer("axis", 1)),
                               {{"x", x}}),
             {2, 4, 2, 3}, normalized(x, 24, 1, whole, shift));
}

TEST(OnnxExpansions, ASoftmaxWithoutNumbersIsZero) {
  const FloatTensor x = tensorOf({2, 4});
  Model model = input({2, 4}).scalar("zero", 0).opset("", 13);
  model.node("Softmax", {"x"}, "p").node("IsNaN", {"p"}, "n").node("Where", {"n", "zero", "p"}, "y");
  const OnnxImport imported = onnx::import(model);
  EXPECT_EQ(imported.coverage.cuts.size(), 0u);
  EXPECT_EQ(kinds(imported.program), "softmax, relu");
  FloatTensor nothing = x;
  std::fill_n(nothing.data.begin(), 4, -std::numeric_limits<float>::infinity());
  const FloatTensor made = resultOf(imported.program, {{"x", nothing}});
  EXPECT_EQ(made.data[0], 0.0f);
  EXPECT_GT(made.data[4], 0.0f);
}

TEST(OnnxExpansions, MinusInfinityStaysWhatItIs) {
  const float none = -std::numeric_limits<float>::infinity();
  const FloatTensor x = tensorOf({2, 4});
  const auto expectNoNumbers = [&](Model& model) {
    const FloatTensor made = resultWithWeights(model.node("Softmax", {"m"}, "y"), {{"x", x}});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(made.data[i])) << i;
    for (std::size_t i = 4; i < 8; ++i) EXPECT_GT(made.data[i], 0.0f) << i;
  };
  Model mask = input({2, 4}).floats("mask", {2, 4}, {none, none, none, none, 0, 0, 0, 0}).opset("", 13);
  expectNoNumbers(mask.node("Add", {"x", "mask"}, "m"));
  Model choice = input({2, 4}).scalar("none", none).scalar("far", -9.0f).opset("", 13);
  choice.floats("rows", {2, 1}, {-8, -10}).node("Less", {"far", "rows"}, "c");
  expectNoNumbers(choice.node("Where", {"c", "none", "x"}, "m"));
}

TEST(OnnxExpansions, EinsumIsAProductOfMatrices) {
  const FloatTensor a = tensorOf({2, 3, 4, 5}, 1), b = tensorOf({2, 6, 4, 5}, 2);
  const Model model = Model().input("a", {2, 3, 4, 5}).input("b", {2, 6, 4, 5}).output("y");
  const auto made = [&](const std::string& equation) {
    return resultWithWeights(Model(model).node("Einsum", {"a", "b"}, "y", equationOf(equation)),
                             {{"a", a}, {"b", b}});
  };
  const auto at = [](const FloatTensor& t, std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    return number(t, ((i * t.shape[1] + j) * t.shape[2] + k) * t.shape[3] + l);
  };
  std::vector<double> scores, contracted;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t m = 0; m < 6; ++m) {
          double sum = 0;
          for (std::size_t l = 0; l < 5; ++l) sum += at(a, i, j, k, l) * at(b, i, m, k, l);
          scores.push_back(sum);
        }
  expectNear(made("bind,bjnd->bnij"), {2, 4, 3, 6}, scores);
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t m = 0; m < 6; ++m) {
      double sum = 0;
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 4; ++k)
          for (std::size_t l = 0; l < 5; ++l) sum += at(a, i, j, k, l) * at(b, i, m, k, l);
      contracted.push_back(sum);
    }
  expectNear(made("bikd, bjkd"), {3, 6}, contracted);  // what is in one operand only, in the order of letters
  std::vector<double> sums;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 4; ++k) {
        double sum = 0;
        for (std::size_t m = 0; m < 6; ++m)
          for (std::size_t l = 0; l < 5; ++l) sum += at(a, i, j, k, l) * at(b, i, m, k, l);
        sums.push_back(sum);
      }
  expectNear(made("bind,bjnd->bin"), {2, 3, 4}, sums);
  for (const std::string wrong : {"b...d,b...d->b...", "biid,bjnd->bn"})
    EXPECT_THAT(refusal(Model(model).node("Einsum", {"a", "b"}, "y", equationOf(wrong))),
                testing::Not(HasSubstr("accepted")))
        << wrong;
}

TEST(OnnxExpansions, EinsumOfDotsAndOfManyOperands) {
  const FloatTensor a = tensorOf({2, 3, 4}, 1), b = tensorOf({2, 5, 4}, 2), c = tensorOf({5}, 3);
  const Model model = Model().input("a", {2, 3, 4}).input("b", {2, 5, 4}).input("c", {5}).output("y");
  const auto made = [&](const Names& inputs, const std::string& equation) {
    return resultWithWeights(Model(model).node("Einsum", inputs, "y", equationOf(equation)),
                             {{"a", a}, {"b", b}, {"c", c}}, true);
  };
  std::vector<double> products, weighted, rows;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double all = 0, row = 0;
      for (std::size_t m = 0; m < 5; ++m) {
        double sum = 0;
        for (std::size_t l = 0; l < 4; ++l)
          sum += number(a, (i * 3 + j) * 4 + l) * number(b, (i * 5 + m) * 4 + l);
        products.push_back(sum);
        all += sum * number(c, m);
      }
      for (std::size_t l = 0; l < 4; ++l) row += number(a, (i * 3 + j) * 4 + l);
      weighted.push_back(all), rows.push_back(row);
    }
  expectNear(made({"a", "b"}, "...jl,...ml->...jm"), {2, 3, 5}, products);
  expectNear(made({"a", "b", "c"}, "ijl,iml,m->ij"), {2, 3}, weighted);
  expectNear(made({"a"}, "...l->..."), {2, 3}, rows);
}

TEST(OnnxExpansions, AProductIsScaledAndAddedTo) {
  const FloatTensor x = tensorOf({3, 2}), b = tensorOf({3, 4}, 1), c = tensorOf({2, 1}, 2);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = 2 * number(c, i);
      for (std::size_t k = 0; k < 3; ++k) sum += 0.5 * number(x, k * 2 + i) * number(b, k * 4 + j);
      wanted.push_back(sum);
    }
  const std::string attributes =
      Model::real("alpha", 0.5f) + Model::real("beta", 2) + Model::integer("transA", 1);
  const Model constant = input({3, 2}).floats("b", {3, 4}, b.data).floats("c", {2, 1}, c.data);
  expectNear(resultWithWeights(Model(constant).node("Gemm", {"x", "b", "c"}, "y", attributes), {{"x", x}}),
             {2, 4}, wanted);
  const Model given = input({3, 2}).input("b", {3, 4}).input("c", {2, 1});
  expectNear(resultWithWeights(Model(given).node("Gemm", {"x", "b", "c"}, "y", attributes),
                               {{"x", x}, {"b", b}, {"c", c}}),
             {2, 4}, wanted);
}

TEST(OnnxExpansions, WindowsSideBySideAreProducts) {
  const FloatTensor x = tensorOf({1, 2, 2, 3}), w = tensorOf({2, 1, 2, 2}, 1);
  const Model model = input({1, 2, 2, 3}).floats("w", {2, 1, 2, 2}, w.data).floats("b", {1}, {0.25f});
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      double sum = 0.25;
      for (std::size_t c = 0; c < 2; ++c)
        sum += number(x, (c * 2 + i / 2) * 3 + j / 2) * number(w, (c * 2 + i % 2) * 2 + j % 2);
      wanted.push_back(sum);
    }
  const auto transposed = [&](const std::vector<std::int64_t>& strides) {
    return Model(model).node("ConvTranspose", {"x", "w", "b"}, "y", Model::ints("strides", strides));
  };
  expectNear(resultWithWeights(transposed({2, 2}), {{"x", x}}), {1, 1, 4, 6}, wanted);
  EXPECT_THAT(refusal(transposed({3, 2})), HasSubstr("leave gaps"));
  // Repeated as a whole, not element by element.
  const FloatTensor row = tensorOf({2, 3});
  std::vector<double> again;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 6; ++j) again.push_back(number(row, i * 3 + j % 3));
  expectNear(
      resultWithWeights(input({2, 3}).integers("by", {1, 2}).node("Tile", {"x", "by"}, "y"), {{"x", row}}),
      {2, 6}, again);
}

TEST(OnnxExpansions, ImagesAreInterpolated) {
  const FloatTensor x = tensorOf({1, 2, 1, 3});
  const auto resized = [&](const std::string& mode, const std::string& where) {
    return resultWithWeights(
        input({1, 2, 1, 3})
            .floats("by", {4}, {1, 1, 1, 2})
            .node("Resize", {"x", "", "by"}, "y",
                  Model::word("mode", mode) + Model::word("coordinate_transformation_mode", where)),
        {{"x", x}});
  };
  std::vector<double> halves, corners, cubic;
  for (std::size_t c = 0; c < 2; ++c) {
    const double a = number(x, c * 3), b = number(x, c * 3 + 1), d = number(x, c * 3 + 2);
    for (const double one :
         {a, 0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b, 0.75 * b + 0.25 * d, 0.25 * b + 0.75 * d, d})
      halves.push_back(one);
    for (const double one :
         {a, 0.6 * a + 0.4 * b, 0.2 * a + 0.8 * b, 0.8 * b + 0.2 * d, 0.4 * b + 0.6 * d, d})
      corners.push_back(one);
    // At a quarter the kernel of -0.75 gives these four numbers; beyond the ends it reads the outermost.
    const double w[] = {-0.10546875, 0.87890625, 0.26171875, -0.03515625};
    const auto at = [&](int i) { return i <= 0 ? a : i == 1 ? b : d; };
    for (int i = 0; i < 6; ++i) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += w[k] * (i % 2 == 1 ? at(i / 2 - 1 + k) : at(i / 2 + 1 - k));
      cubic.push_back(sum);
    }
  }
  expectNear(resized("linear", "half_pixel"), {1, 2, 1, 6}, halves);
  expectNear(resized("linear", "align_corners"), {1, 2, 1, 6}, corners);
  expectNear(resized("cubic", "half_pixel"), {1, 2, 1, 6}, cubic);
}

TEST(OnnxExpansions, ImagesGrowAndBlocksBecomeChannels) {
  const FloatTensor x = tensorOf({1, 4, 2, 3});
  std::vector<double> larger, space;
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 9; ++j) larger.push_back(number(x, (c * 2 + i / 2) * 3 + j / 3));
  expectNear(resultWithWeights(
                 input({1, 4, 2, 3}).floats("by", {4}, {1, 1, 2, 3}).node("Resize", {"x", "", "by"}, "y"),
                 {{"x", x}}),
             {1, 4, 4, 9}, larger);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      space.push_back(number(x, ((i % 2 * 2 + j % 2) * 2 + i / 2) * 3 + j / 2));
  expectNear(
      resultWithWeights(input({1, 4, 2, 3}).node("DepthToSpace", {"x"}, "y", Model::integer("blocksize", 2)),
                        {{"x", x}}),
      {1, 1, 4, 6}, space);
  // And back again.
  const Model both = input({1, 4, 2, 3})
                         .node("DepthToSpace", {"x"}, "d", Model::integer("blocksize", 2))
                         .node("SpaceToDepth", {"d"}, "y", Model::integer("blocksize", 2));
  std::vector<double> same(x.data.begin(), x.data.end());
  expectNear(resultWithWeights(both, {{"x", x}}), {1, 4, 2, 3}, same);
}

TEST(OnnxExpansions, RotaryEmbeddingTurnsPairs) {
  const FloatTensor x = tensorOf({1, 3, 2 * 6}), cosines = tensorOf({5, 2}, 2), sines = tensorOf({5, 2}, 3);
  for (const bool interleaved : {false, true}) {
    const Model model = input({1, 3, 12})
                            .floats("cos", {5, 2}, cosines.data)
                            .floats("sin", {5, 2}, sines.data)
                            .integers("at", {1, 2, 3})
                            .node("RotaryEmbedding", {"x", "cos", "sin", "at"}, "y",
                                  Model::integer("num_heads", 2) + Model::integer("rotary_embedding_dim", 4) +
                                      Model::integer("interleaved", interleaved ? 1 : 0));
    std::vector<double> wanted(x.data.begin(), x.data.end());
    for (std::size_t position = 0; position < 3; ++position)
      for (std::size_t head = 0; head < 2; ++head)
        for (std::size_t k = 0; k < 2; ++k) {
          const std::size_t row = position * 12 + head * 6;
          const std::size_t first = row + (interleaved ? 2 * k : k), second = first + (interleaved ? 1 : 2);
          const double c = number(cosines, (position + 1) * 2 + k), s = number(sines, (position + 1) * 2 + k);
          wanted[first] = number(x, first) * c - number(x, second) * s;
          wanted[second] = number(x, second) * c + number(x, first) * s;
        }
    expectNear(resultWithWeights(model, {{"x", x}}), {1, 3, 12}, wanted);
  }
}

TEST(OnnxExpansions, FewBits) {
  // Two columns of a matrix of 4 x 2, in blocks of two: a byte holds two numbers, the lower bits first.
  const std::string bits{'\x21', '\x43', '\x65', '\x07'}, points{'\x18', '\x02'};
  const FloatTensor scales{{4}, {0.5f, 2.0f, 1.0f, 0.25f}}, x = tensorOf({3, 4});
  const Model model = input({3, 4})
                          .constant("w", {2, 2, 1}, 2, bytes(9, bits))
                          .floats("scales", {4}, scales.data)
                          .constant("points", {2}, 2, bytes(9, points))
                          .node("MatMulNBits", {"x", "w", "scales", "points"}, "y",
                                Model::integer("K", 4) + Model::integer("N", 2) + Model::integer("bits", 4) +
                                    Model::integer("block_size", 2));
  const double weight[2][4] = {{(1 - 8) * 0.5, (2 - 8) * 0.5, (3 - 1) * 2.0, (4 - 1) * 2.0},
                               {(5 - 2) * 1.0, (6 - 2) * 1.0, (7 - 0) * 0.25, (0 - 0) * 0.25}};
  std::vector<double> wanted;
  for (std::size_t row = 0; row < 3; ++row)
    for (const auto& column : weight) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += number(x, 4 * row + k) * column[k];
      wanted.push_back(sum);
    }
  expectNear(resultWithWeights(model, {{"x", x}}), {3, 2}, wanted);
  const OnnxImport imported = onnx::import(model);
  EXPECT_THAT(text(imported.program), HasSubstr("xui4"));  // as it is stored
}

TEST(OnnxExpansions, ConvIntegerCountsFromItsZeroPoints) {
  Model model = Model().input("x", {1, 1, 3, 3}, 2).output("y").small("w", {1, 1, 2, 2}, {1, -2, 3, 4});
  model.constant("xz", {}, 2, bytes(9, std::string(1, '\x02')));
  model.node("ConvInteger", {"x", "w", "xz"}, "y", Model::ints("pads", {1, 0, 0, 0}));
  FloatTensor x{{1, 1, 3, 3}, {}};
  for (int i = 0; i < 9; ++i) x.data.push_back(static_cast<float>(i * i % 7));
  const double w[2][2] = {{1, -2}, {3, 4}};
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t l = 0; l < 2; ++l)
          if (i + k >= 1) sum += w[k][l] * (number(x, (i + k - 1) * 3 + j + l) - 2);
      wanted.push_back(sum);
    }
  expectNear(resultWithWeights(model, {{"x", x}}), {1, 1, 3, 2}, wanted);
}

TEST(OnnxExpansions, WhatTheOptimizerJoined) {
  const FloatTensor x = tensorOf({2, 4}), skip = tensorOf({2, 4}, 2), gain = tensorOf({4}, 3),
                    bias = tensorOf({4}, 4);
  Model model = Model().input("x", {2, 4}).input("skip", {2, 4}).output("y");
  model.floats("gain", {4}, gain.data).floats("bias", {4}, bias.data);
  const FloatTensor made =
      resultWithWeights(Model(model).node("SkipLayerNormalization", {"x", "skip", "gain", "bias"}, "y",
                                          Model::real("epsilon", 1e-5f)),
                        {{"x", x}, {"skip", skip}});
  FloatTensor sum = x;
  for (std::size_t i = 0; i < 8; ++i) sum.data[i] += skip.data[i];
  expectNear(made, {2, 4}, normalized(sum, 4, 1, gain, bias));
  const FloatTensor fast =
      resultWithWeights(Model(model).node("FastGelu", {"x", "bias"}, "g").node("Add", {"g", "skip"}, "y"),
                        {{"x", x}, {"skip", skip}});
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 8; ++i) {
    const double v = number(x, i) + number(bias, i % 4);
    wanted.push_back(0.5 * v * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (v + 0.044715 * v * v * v))) +
                     number(skip, i));
  }
  expectNear(fast, {2, 4}, wanted);
}

}  // namespace sluice::onnx_expansions_test
