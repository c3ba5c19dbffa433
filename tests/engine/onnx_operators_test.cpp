// Operators of ONNX as operators of tensor programs: what an imported model computes is compared with loops
// written here. Shapes of values are not declared in these models: the importer finds them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_operators_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

Model input(const Shape& shape) {
  return Model().input("x", shape).output("y");
}

/// What the model makes of x alone.
FloatTensor made(const Model& model, const FloatTensor& x) {
  return resultOf(import(model).program, {{"x", x}});
}

/// Element by element.
void expectFunction(const Model& model, double (*function)(double)) {
  const FloatTensor x = tensorOf({2, 3, 4});
  std::vector<double> wanted;
  for (const float value : x.data) wanted.push_back(function(static_cast<double>(value)));
  expectNear(made(model, x), {2, 3, 4}, wanted);
}

TEST(OnnxOperators, FunctionsOfOneNumber) {
  const auto expect = [](const std::string& op, double (*function)(double),
                         const std::string& attributes = {}) {
    SCOPED_TRACE(op);
    expectFunction(input({2, 3, 4}).node(op, {"x"}, "y", attributes), function);
  };
  expect("Relu", [](double x) { return x > 0 ? x : 0; });
  expect("Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); });
  expect("Tanh", [](double x) { return std::tanh(x); });
  expect("Exp", [](double x) { return std::exp(x); });
  expect("Neg", [](double x) { return -x; });
  expect("Abs", [](double x) { return std::abs(x); });
  expect("Erf", [](double x) { return std::erf(x); });
  expect("Sin", [](double x) { return std::sin(x); });
  expect("Cos", [](double x) { return std::cos(x); });
  expect("HardSigmoid", [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); });
  expect("HardSwish", [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
  expect(
      "LeakyRelu", [](double x) { return x > 0 ? x : 0.1 * x; }, Model::real("alpha", 0.1f));
  expect(
      "Clip", [](double x) { return std::clamp(x, -0.5, 0.25); },
      Model::real("min", -0.5f) + Model::real("max", 0.25f));
}

TEST(OnnxOperators, NumbersOfTheModelAreInTheProgram) {
  const auto expect = [](const std::string& op, const Names& operands, double (*function)(double)) {
    SCOPED_TRACE(op + " " + operands[0]);
    expectFunction(input({2, 3, 4}).scalar("c", 1.5f).scalar("two", 2).node(op, operands, "y"), function);
  };
  expect("Add", {"c", "x"}, [](double x) { return x + 1.5; });
  expect("Sub", {"x", "c"}, [](double x) { return x - 1.5; });
  expect("Sub", {"c", "x"}, [](double x) { return 1.5 - x; });
  expect("Div", {"x", "c"}, [](double x) { return x / 1.5; });
  expect("Pow", {"x", "two"}, [](double x) { return x * x; });
  expect("Max", {"x", "c"}, [](double x) { return std::max(x, 1.5); });
  expect("Min", {"c", "x"}, [](double x) { return std::min(x, 1.5); });
  EXPECT_THAT(refusal(input({2, 3}).scalar("c", 2).node("Pow", {"c", "x"}, "y")),
              HasSubstr("exponent is computed"));
  EXPECT_THAT(refusal(input({8, 16}).weight("w", {7, 5}).node("MatMul", {"x", "w"}, "y").known("y", {8, 5})),
              HasSubstr("'w' of 7x5 does not go together with 'x' of 8x16"));
}

TEST(OnnxOperators, OperandsAreRepeatedAlongAnyDimension) {
  const FloatTensor a = tensorOf({2, 3, 4}, 1), b = tensorOf({3, 1}, 2);
  for (const bool first : {true, false}) {
    const Model model = Model().input("a", {2, 3, 4}).input("b", {3, 1}).output("y");
    const TensorProgram program =
        import(Model(model).node("Sub", first ? Names{"a", "b"} : Names{"b", "a"}, "y")).program;
    std::vector<double> wanted;
    for (std::size_t i = 0; i < 24; ++i)
      wanted.push_back((first ? 1 : -1) *
                       (static_cast<double>(a.data[i]) - static_cast<double>(b.data[i / 4 % 3])));
    expectNear(resultOf(program, {{"a", a}, {"b", b}}), {2, 3, 4}, wanted);
  }
  // Neither has the shape of the result.
  const TensorProgram outer =
      import(Model().input("a", {3, 1}).input("b", {1, 4}).node("Mul", {"a", "b"}, "y").output("y")).program;
  const FloatTensor row = tensorOf({1, 4}, 3);
  std::vector<double> products;
  for (std::size_t i = 0; i < 12; ++i)
    products.push_back(static_cast<double>(b.data[i / 4]) * static_cast<double>(row.data[i % 4]));
  expectNear(resultOf(outer, {{"a", b}, {"b", row}}), {3, 4}, products);
}

TEST(OnnxOperators, PartsOfTensors) {
  const FloatTensor x = tensorOf({4, 6});
  const auto at = [&](std::size_t row, std::size_t column) {
    return static_cast<double>(x.data[row * 6 + column]);
  };
  const Model slice = input({4, 6})
                          .integers("from", {1, -4})
                          .integers("to", {3, 9223372036854775807})
                          .integers("axes", {0, 1});
  expectNear(made(Model(slice).node("Slice", {"x", "from", "to", "axes"}, "y"), x), {2, 4},
             {at(1, 2), at(1, 3), at(1, 4), at(1, 5), at(2, 2), at(2, 3), at(2, 4), at(2, 5)});
  Model backwards = input({4, 6}).integers("last", {3}).integers("first", {0}).integers("rows", {0});
  backwards.integers("back", {-1}).node("Slice", {"x", "last", "first", "rows", "back"}, "y");
  std::vector<double> turned_rows;
  for (std::size_t row : {3, 2, 1})
    for (std::size_t column = 0; column < 6; ++column) turned_rows.push_back(at(row, column));
  expectNear(made(backwards, x), {3, 6}, turned_rows);
  const Model split = input({4, 6}).integers("parts", {4, 2});
  expectNear(made(Model(split).named("s", "Split", {"x", "parts"}, {"a", "y"}, Model::integer("axis", 1)), x),
             {4, 2}, {at(0, 4), at(0, 5), at(1, 4), at(1, 5), at(2, 4), at(2, 5), at(3, 4), at(3, 5)});
  const Model row =
      input({4, 6}).constant("last", {}, 7, bytes(9, std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8)));
  expectNear(made(Model(row).node("Gather", {"x", "last"}, "y"), x), {6},
             {at(2, 0), at(2, 1), at(2, 2), at(2, 3), at(2, 4), at(2, 5)});
  // Halves that change places.
  Model turned = input({4, 6});
  turned.named("s", "Split", {"x"}, {"a", "b"}, Model::integer("axis", 0))
      .node("Concat", {"b", "a"}, "y", Model::integer("axis", 0));
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 24; ++i) wanted.push_back(static_cast<double>(x.data[(i + 12) % 24]));
  expectNear(made(turned, x), {4, 6}, wanted);
}

TEST(OnnxOperators, ReductionsOverAnyDimensions) {
  const FloatTensor x = tensorOf({2, 3, 4});
  const auto mean = [&](auto group, std::size_t groups) {
    std::vector<double> sums(groups, 0);
    for (std::size_t i = 0; i < 24; ++i)
      sums[group(i)] += static_cast<double>(x.data[i]) * static_cast<double>(groups) / 24;
    return sums;
  };
  const auto reduced = [&](const Shape& axes, int keep) {
    return made(input({2, 3, 4}).node("ReduceMean", {"x"}, "y",
                                      Model::ints("axes", axes) + Model::integer("keepdims", keep)),
                x);
  };
  expectNear(reduced({-1}, 1), {2, 3, 1}, mean([](std::size_t i) { return i / 4; }, 6));
  expectNear(reduced({1}, 0), {2, 4}, mean([](std::size_t i) { return i / 12 * 4 + i % 4; }, 8));
  expectNear(reduced({0, 2}, 1), {1, 3, 1}, mean([](std::size_t i) { return i / 4 % 3; }, 3));
  double most = -2;
  for (const float value : x.data) most = std::max(most, static_cast<double>(value));
  expectNear(made(input({2, 3, 4}).node("ReduceMax", {"x"}, "y"), x), {1, 1, 1}, {most});

  const FloatTensor soft = made(input({2, 3, 4}).node("Softmax", {"x"}, "y", Model::integer("axis", 1)), x);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 24; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += std::exp(static_cast<double>(x.data[i / 12 * 12 + k * 4 + i % 4]));
    wanted.push_back(std::exp(static_cast<double>(x.data[i])) / sum);
  }
  expectNear(soft, {2, 3, 4}, wanted);
}

TEST(OnnxOperators, ChoicesAndRepetitions) {
  const TensorProgram masked = import(Model()
                                          .input("x", {2, 3})
                                          .input("m", {2, 3}, 9)
                                          .scalar("least", -1e9f)
                                          .node("Where", {"m", "x", "least"}, "y")
                                          .output("y"))
                                   .program;
  expectNear(resultOf(masked, {{"x", {{2, 3}, {1, 2, 3, 4, 5, 6}}}, {"m", {{2, 3}, {1, 0, 1, 0, 0, 1}}}}),
             {2, 3}, {1, -1e9, 3, -1e9, -1e9, 6});
  expectNear(made(input({2, 1}).integers("to", {3, 2, 2}).node("Expand", {"x", "to"}, "y"), {{2, 1}, {5, 7}}),
             {3, 2, 2}, {5, 5, 7, 7, 5, 5, 7, 7, 5, 5, 7, 7});
}

TEST(OnnxOperators, ConvolutionsAndPools) {
  const FloatTensor x = tensorOf({1, 2, 5, 4}, 1), w = tensorOf({3, 2, 3, 3}, 2), b = tensorOf({3}, 3);
  const std::string form = Model::ints("strides", {2, 1}) + Model::ints("pads", {1, 1, 1, 1});
  const Model conv = Model().input("x", {1, 2, 5, 4}).weight("w", {3, 2, 3, 3}).weight("b", {3}).output("y");
  const TensorProgram program = import(Model(conv).node("Conv", {"x", "w", "b"}, "y", form)).program;
  EXPECT_EQ(kinds(program), "conv");
  EXPECT_EQ(operationCount(program), 2 * 3 * 3 * 4 * 2 * 9 + 3 * 3 * 4);
  const auto tap = [&](int channel, int row, int column) {
    if (row < 0 || row > 4 || column < 0 || column > 3) return 0.0;
    return static_cast<double>(x.data[static_cast<std::size_t>((channel * 5 + row) * 4 + column)]);
  };
  std::vector<double> wanted;
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) {
        double sum = static_cast<double>(b.data[static_cast<std::size_t>(m)]);
        for (int k = 0; k < 18; ++k)
          sum += static_cast<double>(w.data[static_cast<std::size_t>(m * 18 + k)]) *
                 tap(k / 9, 2 * i + k % 9 / 3 - 1, j + k % 3 - 1);
        wanted.push_back(sum);
      }
  expectNear(resultOf(program, {{"x", x}, {"w", w}, {"b", b}}), {1, 3, 3, 4}, wanted);

  const std::string two = Model::ints("kernel_shape", {2, 2}) + Model::ints("strides", {2, 2});
  std::vector<double> largest, means;
  for (int n = 0; n < 2 * 2 * 2; ++n) {
    const int c = n / 4, i = n / 2 % 2 * 2, j = n % 2 * 2;
    const double a = tap(c, i, j), d = tap(c, i + 1, j), e = tap(c, i, j + 1), f = tap(c, i + 1, j + 1);
    largest.push_back(std::max({a, d, e, f}));
    means.push_back((a + d + e + f) / 4);
  }
  expectNear(made(input({1, 2, 5, 4}).node("MaxPool", {"x"}, "y", two), x), {1, 2, 2, 2}, largest);
  expectNear(made(input({1, 2, 5, 4}).node("AveragePool", {"x"}, "y", two), x), {1, 2, 2, 2}, means);

  Model norm = input({1, 2, 5, 4}).weight("g", {2}).weight("o", {2}).weight("m", {2}).weight("v", {2});
  norm.node("BatchNormalization", {"x", "g", "o", "m", "v"}, "y", Model::real("epsilon", 0.5f));
  std::vector<double> normal;
  for (std::size_t i = 0; i < 40; ++i) {
    const double gain[] = {2, 3}, offset[] = {0.5, -1}, middle[] = {0.1, 0.2}, variance[] = {0.5, 3.5};
    const std::size_t c = i / 20;
    normal.push_back((static_cast<double>(x.data[i]) - middle[c]) / std::sqrt(variance[c] + 0.5) * gain[c] +
                     offset[c]);
  }
  expectNear(resultOf(import(norm).program, {{"x", x},
                                             {"g", {{2}, {2, 3}}},
                                             {"o", {{2}, {0.5f, -1}}},
                                             {"m", {{2}, {0.1f, 0.2f}}},
                                             {"v", {{2}, {0.5f, 3.5f}}}}),
             {1, 2, 5, 4}, normal);
}

/// As the exporter of PyTorch 1 writes x.view(x.size(0), -1, 8): nothing is declared, the shape is computed.
TEST(OnnxOperators, ShapesAreComputed) {
  Model model = Model().input("x", {-1, 4, 16}).output("y");
  model.node("Shape", {"x"}, "s").integers("zero", {0}).node("Gather", {"s", "zero"}, "n");
  model.integers("rest", {-1, 8}).node("Concat", {"n", "rest"}, "to", Model::integer("axis", 0));
  model.node("Reshape", {"x", "to"}, "r").node("Softmax", {"r"}, "y");
  const TensorProgram program = import(model, {{{"seq", 6}}}).program;
  EXPECT_EQ(kinds(program), "reshape, reshape, softmax");
  EXPECT_EQ(program.tensors[program.results[0]].shape, (Shape{6, 8, 8}));

  // A scale that is the root of an extent is a number.
  Model scaled = Model().input("x", {-1, 16}).output("y").integers("last", {-1});
  scaled.node("Shape", {"x"}, "s")
      .node("Slice", {"s", "last", "end"}, "d")
      .integers("end", {9223372036854775807});
  scaled.node("Cast", {"d"}, "f", Model::integer("to", 1))
      .node("Sqrt", {"f"}, "root")
      .node("Div", {"x", "root"}, "y");
  const TensorProgram quarter = import(scaled, {{{"seq", 3}}}).program;
  ASSERT_EQ(kinds(quarter), "div");
  EXPECT_EQ(quarter.operators[0].number, 4.0f);
}

TEST(OnnxOperators, DeclaredShapesThatCannotBeAreReplaced) {
  const OnnxImport wrong =
      import(input({4, 8}).node("Softmax", {"x"}, "h").known("h", {4, 9}).node("Gelu", {"h"}, "y"));
  EXPECT_THAT(text(wrong.report), HasSubstr("its shape is declared as 4x9, but it is 4x8"));
  EXPECT_EQ(wrong.program.tensors[wrong.program.results[0]].shape, (Shape{4, 8}));
}

/// Of an If whose condition follows from shapes one branch is there, and what the other reads stays in.
/// Values of both may have the same names.
TEST(OnnxOperators, BranchesThatAreTakenAreInPlace) {
  const auto branch = [](const std::string& op, const std::string& reads, const std::string& weight) {
    const std::string own = weight.empty() ? "" : weight;
    return bytes(1, bytes(1, reads) + (own.empty() ? "" : bytes(1, "c")) + bytes(2, "out") + bytes(4, op)) +
           own + bytes(12, bytes(1, "out"));
  };
  std::string raw(2 * sizeof(float), '\0');
  const float two[] = {2, 3};
  std::memcpy(raw.data(), two, raw.size());
  const std::string weight = bytes(5, packed(1, Shape{2}) + number(2, 1) + bytes(8, "c") + bytes(9, raw));
  const FloatTensor x{{3, 2}, {1, 2, 3, -4, 5, 6}};
  for (const std::int64_t rows : {3, 4}) {
    Model model = Model().input("x", {3, 2}).integers("zero", {0}).integers("rows", {rows}).output("y");
    model.node("Shape", {"x"}, "s").node("Gather", {"s", "zero"}, "n").node("Equal", {"n", "rows"}, "c");
    model.node("Sigmoid", {"x"}, "h");
    model.node("If", {"c"}, "z",
               bytes(5, bytes(1, "then_branch") + bytes(6, branch("Mul", "x", weight))) +
                   bytes(5, bytes(1, "else_branch") + bytes(6, branch("Neg", "h", ""))));
    model.node("Identity", {"z"}, "y");
    const Result<Weights> weights = weightsOf(model);
    ASSERT_TRUE(weights) << text(weights.diagnostics());
    TensorSet given = weights->tensors;
    given["x"] = x;
    const OnnxImport imported = import(model);
    EXPECT_EQ(imported.program.results.size(), 1u);
    std::vector<double> wanted;
    for (std::size_t i = 0; i < 6; ++i) {
      const double value = x.data[i];
      wanted.push_back(rows == 3 ? value * (i % 2 == 0 ? 2 : 3) : -1 / (1 + std::exp(-value)));
    }
    expectNear(resultOf(imported.program, given), {3, 2}, wanted);
  }
}

/// What only a branch of an If reads leaves the program, and is not swallowed by a group.
TEST(OnnxOperators, BranchesReadValues) {
  const std::string branch =
      bytes(1, bytes(1, "h") + bytes(2, "out") + bytes(4, "Neg")) + bytes(12, bytes(1, "out"));
  Model model = Model()
                    .input("x", {4, 8})
                    .input("c", {}, 9)
                    .node("Sigmoid", {"x"}, "h")
                    .node("Mul", {"x", "h"}, "y")
                    .output("y");
  model.node("If", {"c"}, "z", bytes(5, bytes(1, "then_branch") + bytes(6, branch)))
      .known("z", {4, 8})
      .output("z");
  const OnnxImport cut = import(model);
  EXPECT_EQ(kinds(cut.program), "sigmoid, mul");
  std::set<std::string> results;
  for (const std::size_t tensor : cut.program.results) results.insert(cut.program.tensors[tensor].name);
  EXPECT_EQ(results, (std::set<std::string>{"h", "y"}));
}

/// Products of an If whose condition is data are those of the branch with more, and its shape is the one that
/// the branches agree about, though the model declares none.
TEST(OnnxOperators, WorkInBranchesThatAreCutOutCounts) {
  const auto matrix = [](const std::string& name, std::int64_t rows, std::int64_t columns) {
    const std::string raw(static_cast<std::size_t>(rows * columns) * sizeof(float), '\0');
    return bytes(5, packed(1, Shape{rows, columns}) + number(2, 1) + bytes(8, name) + bytes(9, raw));
  };
  const std::string wide = bytes(1, bytes(1, "h") + bytes(1, "up") + bytes(2, "t") + bytes(4, "MatMul")) +
                           bytes(1, bytes(1, "t") + bytes(1, "down") + bytes(2, "out") + bytes(4, "MatMul")) +
                           matrix("up", 8, 32) + matrix("down", 32, 8) + bytes(12, bytes(1, "out"));
  const std::string plain =
      bytes(1, bytes(1, "h") + bytes(2, "out") + bytes(4, "Neg")) + bytes(12, bytes(1, "out"));
  Model model = Model().input("x", {4, 8}).input("c", {}, 9).node("Sigmoid", {"x"}, "h");
  model.node("If", {"c"}, "z",
             bytes(5, bytes(1, "then_branch") + bytes(6, wide)) +
                 bytes(5, bytes(1, "else_branch") + bytes(6, plain)));
  model.node("Tanh", {"z"}, "y").output("y");
  const OnnxImport cut = import(model);
  EXPECT_EQ(kinds(cut.program), "sigmoid, tanh");
  EXPECT_EQ(cut.coverage.products, 2 * 4 * 8 * 32);
  EXPECT_EQ(cut.coverage.productsCut(), 2 * 4 * 8 * 32);
  EXPECT_EQ(cut.coverage.unknownCuts(), 0u);
}

// ---- blocks
// --------------------------------------------------------------------------------------------------

/// Rotary embedding as transformers write it, of [1, 4, 3, 8] and tables of [1, 3, 8].
Model& rotated(Model& model, const std::string& x, const std::string& y) {
  const std::string p = y + " ";
  model.node("Slice", {x, "zero", "half", "last"}, p + "low")
      .node("Slice", {x, "half", "end", "last"}, p + "high");
  model.node("Neg", {p + "high"}, p + "neg")
      .node("Concat", {p + "neg", p + "low"}, p + "turned", Model::integer("axis", -1));
  model.node("Mul", {x, "cos"}, p + "a")
      .node("Mul", {p + "turned", "sin"}, p + "b")
      .node("Add", {p + "a", p + "b"}, y);
  return model;
}
Model rotary() {
  Model model = Model().input("x", {1, 4, 3, 8}).input("cos", {1, 3, 8}).input("sin", {1, 3, 8}).output("y");
  return model.integers("zero", {0}).integers("half", {4}).integers("end", {1 << 20}).integers("last", {3});
}

TEST(OnnxOperators, RotaryEmbeddingsAreOneOperator) {
  Model model = rotary();
  const TensorProgram program = import(rotated(model, "x", "y")).program;
  EXPECT_THAT(kinds(program), HasSubstr("rotary"));
  EXPECT_THAT(kinds(program), testing::Not(HasSubstr("concat")));
  const FloatTensor x = tensorOf({1, 4, 3, 8}, 1), c = tensorOf({1, 3, 8}, 2), s = tensorOf({1, 3, 8}, 3);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 96; ++i) {
    const double other = i % 8 < 4 ? -static_cast<double>(x.data[i + 4]) : static_cast<double>(x.data[i - 4]);
    wanted.push_back(static_cast<double>(x.data[i]) * static_cast<double>(c.data[i % 24]) +
                     other * static_cast<double>(s.data[i % 24]));
  }
  expectNear(resultOf(program, {{"x", x}, {"cos", c}, {"sin", s}}), {1, 4, 3, 8}, wanted);
}

/// One number or edge is another, and it is no rotary embedding.
TEST(OnnxOperators, WhatOnlyResemblesARotaryEmbeddingStays) {
  Model third = rotary().integers("five", {5});
  third.node("Slice", {"x", "zero", "five", "last"}, "low")
      .node("Slice", {"x", "five", "end", "last"}, "high");
  third.node("Neg", {"high"}, "neg").node("Concat", {"neg", "low"}, "turned", Model::integer("axis", -1));
  third.node("Mul", {"x", "cos"}, "a").node("Mul", {"turned", "sin"}, "b").node("Add", {"a", "b"}, "y");
  Model other = rotary().input("z", {1, 4, 3, 8});
  other.node("Slice", {"x", "zero", "half", "last"}, "low")
      .node("Slice", {"z", "half", "end", "last"}, "high");
  other.node("Neg", {"high"}, "neg").node("Concat", {"neg", "low"}, "turned", Model::integer("axis", -1));
  other.node("Mul", {"x", "cos"}, "a").node("Mul", {"turned", "sin"}, "b").node("Add", {"a", "b"}, "y");
  Model plain = rotary();
  plain.node("Slice", {"x", "zero", "half", "last"}, "low")
      .node("Slice", {"x", "half", "end", "last"}, "high");
  plain.node("Concat", {"high", "low"}, "turned", Model::integer("axis", -1));
  plain.node("Mul", {"x", "cos"}, "a").node("Mul", {"turned", "sin"}, "b").node("Add", {"a", "b"}, "y");
  for (const Model& model : {third, other, plain}) {
    EXPECT_THAT(kinds(import(model).program), testing::Not(HasSubstr("rotary")));
    EXPECT_THAT(kinds(import(model).program), HasSubstr("concat"));
  }
}

/// Four query heads, two of keys and values, as PyTorch repeats them.
TEST(OnnxOperators, SharedHeadsAreNotRepeated) {
  Model model =
      Model().input("q", {1, 4, 3, 8}).input("k", {1, 2, 3, 8}).input("v", {1, 2, 3, 8}).output("y");
  for (const std::string t : {"k", "v"})
    model.node("Unsqueeze", {t, "axis"}, t + "1")
        .node("Expand", {t + "1", "wide"}, t + "2")
        .node("Reshape", {t + "2", "heads"}, t + "3");
  model.integers("axis", {2})
      .integers("wide", {1, 2, 2, 3, 8})
      .integers("heads", {1, 4, 3, 8})
      .scalar("scale", 0.35f);
  model.node("Transpose", {"k3"}, "kt", Model::ints("perm", {0, 1, 3, 2})).node("MatMul", {"q", "kt"}, "s");
  model.node("Mul", {"s", "scale"}, "t")
      .node("Softmax", {"t"}, "p", Model::integer("axis", -1))
      .node("MatMul", {"p", "v3"}, "y");
  const OnnxImport block = import(model);
  EXPECT_EQ(kinds(block.program),
            "reshape, batched matmul, reshape, mul, softmax, reshape, batched matmul, reshape");
  EXPECT_EQ(block.coverage.pieces, 1u);
  EXPECT_EQ(block.coverage.products, 2 * 4 * 3 * 3 * 8);
  EXPECT_EQ(block.coverage.shareOfProducts(), 1.0);

  const FloatTensor q = tensorOf({1, 4, 3, 8}, 1), k = tensorOf({1, 2, 3, 8}, 2),
                    v = tensorOf({1, 2, 3, 8}, 3);
  std::vector<double> wanted(96, 0);
  for (std::size_t row = 0; row < 12; ++row) {
    const std::size_t head = row / 3 / 2;
    double weights[3], sum = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      double score = 0;
      for (std::size_t d = 0; d < 8; ++d)
        score +=
            static_cast<double>(q.data[row * 8 + d]) * static_cast<double>(k.data[(head * 3 + j) * 8 + d]);
      sum += weights[j] = std::exp(0.35 * score);
    }
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t d = 0; d < 8; ++d)
        wanted[row * 8 + d] += weights[j] / sum * static_cast<double>(v.data[(head * 3 + j) * 8 + d]);
  }
  expectNear(resultOf(block.program, {{"q", q}, {"k", k}, {"v", v}}), {1, 4, 3, 8}, wanted);
}

// ---- what is reported
// ----------------------------------------------------------------------------------------------

TEST(OnnxOperators, CoverageIsCounted) {
  Model model = Model().input("x", {4, 8}).weight("w", {8, 16}).input("z", {16, 4}).output("y");
  model.node("MatMul", {"x", "w"}, "h")
      .node("Bernoulli", {"h"}, "m")
      .node("MatMul", {"m", "z"}, "n")
      .node("Gelu", {"n"}, "y")
      .known("m", {4, 16});
  const OnnxCoverage all = import(model).coverage;
  EXPECT_EQ(all.nodes, 4u);
  EXPECT_EQ(all.nodesUnderstood(), 3u);
  EXPECT_EQ(all.products, 4 * 8 * 16 + 4 * 16 * 4);
  EXPECT_EQ(all.productsCut(), 0);
  EXPECT_EQ(all.pieces, 2u);
  EXPECT_EQ(wanting(all), "Bernoulli: there is no such operator here");
  // A product of which no form is known.
  Model integers =
      Model().input("x", {4, 8}, 3).weight("w", {8, 16}, 3).input("b", {4, 4}).output("y").output("z");
  integers.known("y", {4, 16}, 3)
      .node("QLinearMatMul", {"x", "", "", "w"}, "y")
      .node("MatMul", {"b", "b"}, "z");
  const OnnxCoverage part = import(integers).coverage;
  EXPECT_EQ(part.productsCut(), 4 * 8 * 16);
  EXPECT_NEAR(part.shareOfProducts(), 64.0 / (64 + 512), 1e-9);
}

TEST(OnnxOperators, CoverageCountsProductsThatAreNone) {
  const auto einsum = [](const std::string& equation, const Names& in) {
    Model model = Model().input("a", {16, 24}).input("b", {4, 24, 40}).input("c", {40, 3}).output("y");
    const std::string attribute = bytes(5, bytes(1, "equation") + number(20, 3) + bytes(4, equation));
    return import(model.node("Einsum", in, "y", attribute)).coverage.products;
  };
  EXPECT_EQ(einsum("td,edf->etf", {"a", "b"}), 16 * 24 * 40 * 4);
  EXPECT_EQ(einsum("td,edf->tf", {"a", "b"}), 16 * 24 * 40);  // what one operand alone has is summed before
  EXPECT_EQ(einsum("td,edf,fg->etg", {"a", "b", "c"}), 16 * 24 * 40 * 4 + 4 * 16 * 40 * 3);
  EXPECT_EQ(einsum("td->t", {"a"}), 0);
  // Of a convolution of an image with zeros between its elements those of the elements.
  const auto transposed = [](std::int64_t taps, std::int64_t groups) {
    Model model = Model().input("x", {1, 4, 5, 5}).weight("w", {4, 6 / groups, taps, taps}).output("y");
    return import(model.node("ConvTranspose", {"x", "w"}, "y",
                             Model::ints("strides", {2, 2}) + Model::integer("group", groups)))
        .coverage.products;
  };
  EXPECT_EQ(transposed(3, 1), 4 * 25 * 6 * 9);
  EXPECT_EQ(transposed(3, 2), 4 * 25 * 3 * 9);
  EXPECT_EQ(transposed(2, 1), 4 * 25 * 6 * 4);  // side by side
}

/// 100 + 100 is -56 in 8 bits; wider integers end a run where they would be wrong.
TEST(OnnxOperators, IntegersThatWrapAreNotFollowed) {
  for (const std::string op : {"Add", "Sub", "Mul"})
    for (const auto& [type, known] : {std::pair{3, false}, {2, false}, {5, false}, {6, true}, {7, true}}) {
      Model model = Model().input("x", {4, 8}, type).input("z", {4, 8}, type).output("y");
      model.node(op, {"x", "z"}, "y");
      if (known)
        EXPECT_EQ(import(model).program.operators.size(), 1u) << op << type;
      else
        EXPECT_THAT(refusal(model), HasSubstr("how results wrap is not followed")) << op << type;
    }
}

/// However many operators one becomes, and however many of these are cut out.
TEST(OnnxOperators, CoverageCountsTheModelsOwnNodes) {
  Model model =
      Model().input("x", {2, 6, 4}).floats("s", {6}, std::vector<float>(6, 1)).output("y").opset("", 13);
  model.floats("b", {6}, std::vector<float>(6, 0))
      .node("InstanceNormalization", {"x", "s", "b"}, "n")
      .node("LogSoftmax", {"n"}, "l")
      .node("Shape", {"l"}, "shape")
      .node("Mish", {"l"}, "y");
  const OnnxCoverage whole = import(model).coverage;
  EXPECT_EQ(whole.nodes, 4u);
  EXPECT_EQ(whole.nodesUnderstood(), 4u);
  // Two parts of one node that are cut out leave one node out.
  OnnxCoverage part;
  part.nodes = 3;
  OnnxNode node;
  node.origin = 1;
  part.cut(node, {}, "a part"), part.cut(node, {}, "another part");
  EXPECT_EQ(part.cuts.size(), 2u);
  EXPECT_EQ(part.nodesUnderstood(), 2u);
}

TEST(OnnxOperators, AllDimensionsThatAreWantingAreToldAtOnce) {
  const auto dimension = [](const std::string& name) { return bytes(1, name.empty() ? "" : bytes(2, name)); };
  const auto shaped = [&](const std::string& name, const Names& dimensions) {
    std::string list;
    for (const std::string& one : dimensions) list += dimension(one);
    return bytes(11, bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, list))));
  };
  Model model;
  model.field(shaped("x", {"batch", "Min(512, seq)", ""})).node("Relu", {"x"}, "y").output("y");
  const std::string refused = refusal(model);
  EXPECT_THAT(refused, HasSubstr("'batch', 'seq', 'x.2'"));
  EXPECT_THAT(refused, HasSubstr("--dimension batch=1 --dimension seq=64 --dimension x.2=64"));
  const TensorProgram program = import(model, {{{"batch", 2}, {"seq", 700}, {"x.2", 8}}}).program;
  EXPECT_EQ(program.tensors[program.results[0]].shape, (Shape{2, 512, 8}));
  EXPECT_THAT(refusal(model, {{{"batch", 2}, {"seq", 700}, {"x.2", 8}, {"sequence", 1}}}),
              HasSubstr("no symbolic dimension 'sequence'"));
}

}  // namespace sluice::onnx_operators_test
