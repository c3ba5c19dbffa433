// Comparisons, truth values, integers of floats, products of rows, and operators that find elements: what
// imported models compute is compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_selection_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

constexpr std::int64_t float_type = 1;

Model input(const Shape& shape) {
  return Model().input("x", shape).output("y");
}

/// What a model makes of x, with its own tables.
FloatTensor made(const Model& model, TensorSet given) {
  const Result<Weights> weights = weightsOf(model);
  if (!weights) throw std::runtime_error(text(weights.diagnostics()));
  given.insert(weights->tensors.begin(), weights->tensors.end());
  return resultOf(import(model).program, given);
}

/// A truth value as a number.
Model asNumber(Model model) {
  return model.node("Cast", {"t"}, "y", Model::integer("to", float_type));
}

TEST(OnnxSelection, ComparisonsAreOneWhereTheyHold) {
  const FloatTensor a{{2, 3}, {1, 2, 3, -1, 0, 5}}, b{{3}, {2, 2, 2}};
  const auto expect = [&](const std::string& op, bool (*holds)(float, float)) {
    for (const bool first : {true, false}) {
      SCOPED_TRACE(op + (first ? " of the larger" : " of the smaller"));
      Model model = Model().input("a", {2, 3}).input("b", {3}).output("y");
      model.node(op, first ? Names{"a", "b"} : Names{"b", "a"}, "t");
      std::vector<double> wanted;
      for (const float value : a.data) wanted.push_back((first ? holds(value, 2) : holds(2, value)) ? 1 : 0);
      expectNear(made(asNumber(model), {{"a", a}, {"b", b}}), {2, 3}, wanted, 0);
    }
  };
  expect("Less", [](float x, float y) { return x < y; });
  expect("LessOrEqual", [](float x, float y) { return x <= y; });
  expect("Greater", [](float x, float y) { return x > y; });
  expect("GreaterOrEqual", [](float x, float y) { return x >= y; });
  expect("Equal", [](float x, float y) { return x == y; });
}

TEST(OnnxSelection, TruthValuesAreCombined) {
  const FloatTensor x{{4}, {-2, -0.5f, 0.5f, 2}};
  const auto expect = [&](const std::string& op, const std::vector<double>& wanted) {
    SCOPED_TRACE(op);
    Model model = input({4}).scalar("low", -1).scalar("high", 1);
    model.node("Greater", {"x", "low"}, "a").node("Less", {"x", "high"}, "b").node(op, {"a", "b"}, "t");
    expectNear(made(asNumber(model), {{"x", x}}), {4}, wanted, 0);
  };
  expect("And", {0, 1, 1, 0});
  expect("Or", {1, 1, 1, 1});
  expect("Xor", {1, 0, 0, 1});
  Model opposite = input({4}).scalar("low", -1).node("Greater", {"x", "low"}, "a").node("Not", {"a"}, "t");
  expectNear(made(asNumber(opposite), {{"x", x}}), {4}, {1, 0, 0, 0}, 0);
  Model missing = input({4}).node("IsNaN", {"x"}, "t");
  const FloatTensor strange{{4}, {1, std::nanf(""), 0, INFINITY}};
  expectNear(made(asNumber(missing), {{"x", strange}}), {4}, {0, 1, 0, 0}, 0);
  Model infinite = input({4}).node("IsInf", {"x"}, "t");
  expectNear(made(asNumber(infinite), {{"x", strange}}), {4}, {0, 0, 0, 1}, 0);
}

TEST(OnnxSelection, NumbersAreRounded) {
  const FloatTensor x{{6}, {-1.5f, -1, -0.25f, 0, 0.75f, 2.5f}};
  const auto expect = [&](const Model& model, const std::vector<double>& wanted) {
    expectNear(made(model, {{"x", x}}), {6}, wanted, 0);
  };
  expect(input({6}).node("Floor", {"x"}, "y"), {-2, -1, -1, 0, 0, 2});
  expect(input({6}).node("Ceil", {"x"}, "y"), {-1, -1, 0, 0, 1, 3});
  expect(input({6}).node("Sign", {"x"}, "y"), {-1, -1, -1, 0, 1, 1});
  expect(input({6}).scalar("two", 2).node("Mod", {"x", "two"}, "y"), {0.5, 1, 1.75, 0, 0.75, 0.5});
  expect(input({6}).scalar("two", 2).node("Mod", {"x", "two"}, "y", Model::integer("fmod", 1)),
         {-1.5, -1, -0.25, 0, 0.75, 0.5});
}

/// Rows with equal elements, and one with the lowest number.
const FloatTensor rows{{2, 5}, {3, 1, 3, 2, 3, -3.4028235e38f, 7, -3.4028235e38f, 7, 0}};

TEST(OnnxSelection, TopKIsSortedAndTakesTheFirstOfEqualOnes) {
  const auto top = [](const std::string& output, bool largest) {
    Model model = input({2, 5}).integers("k", {4});
    model.named("top", "TopK", {"x", "k"}, {"v", "i"}, Model::integer("largest", largest ? 1 : 0));
    return output == "i" ? model.node("Cast", {"i"}, "y", Model::integer("to", float_type))
                         : model.node("Identity", {"v"}, "y");
  };
  const double low = -3.4028234663852886e38;
  expectNear(made(top("v", true), {{"x", rows}}), {2, 4}, {3, 3, 3, 2, 7, 7, 0, low}, 0);
  expectNear(made(top("i", true), {{"x", rows}}), {2, 4}, {0, 2, 4, 3, 1, 3, 4, 0}, 0);
  expectNear(made(top("v", false), {{"x", rows}}), {2, 4}, {1, 2, 3, 3, low, low, 0, 7}, 0);
  expectNear(made(top("i", false), {{"x", rows}}), {2, 4}, {1, 3, 0, 2, 0, 2, 4, 1}, 0);
  EXPECT_THAT(refusal(input({2, 50}).integers("k", {51}).node("TopK", {"x", "k"}, "y")),
              HasSubstr("more elements than there are"));
  EXPECT_THAT(refusal(input({2, 9000}).integers("k", {17}).node("TopK", {"x", "k"}, "y")),
              HasSubstr("rows of 9000 elements"));
}

/// Many are found by counting what comes before each.
TEST(OnnxSelection, TopKOfManyIsTheSame) {
  FloatTensor x{{2, 24, 3}, {}};
  for (std::size_t i = 0; i < 144; ++i) x.data.push_back(static_cast<float>((i * 7 + i * i) % 11) - 5);
  x.data[7] = INFINITY, x.data[70] = -INFINITY;
  for (const bool largest : {true, false})
    for (const std::size_t count : {17, 24}) {
      const std::string attributes = Model::integer("axis", 1) + Model::integer("largest", largest ? 1 : 0);
      Model model = input({2, 24, 3}).integers("k", {static_cast<std::int64_t>(count)});
      model.named("top", "TopK", {"x", "k"}, {"v", "i"}, attributes);
      Model places = model;
      std::vector<double> values(2 * count * 3), found(values.size());
      for (std::size_t column = 0; column < 6; ++column) {
        const auto at = [&](std::size_t row) { return (column / 3 * 24 + row) * 3 + column % 3; };
        std::vector<std::size_t> order(24);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
          return largest ? x.data[at(a)] > x.data[at(b)] : x.data[at(a)] < x.data[at(b)];
        });
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t to = (column / 3 * count + i) * 3 + column % 3;
          values[to] = x.data[at(order[i])], found[to] = static_cast<double>(order[i]);
        }
      }
      const FloatTensor top = made(model.node("Identity", {"v"}, "y"), {{"x", x}});
      EXPECT_EQ(top.shape, (std::vector<std::size_t>{2, count, 3}));
      EXPECT_EQ(std::vector<double>(top.data.begin(), top.data.end()), values);
      expectNear(made(places.node("Cast", {"i"}, "y", Model::integer("to", float_type)), {{"x", x}}),
                 {2, count, 3}, found, 0);
    }
}

TEST(OnnxSelection, TheLargestIsFoundAlongAnyDimension) {
  const auto found = [](const std::string& op, const std::string& attributes) {
    Model model = input({2, 5}).node(op, {"x"}, "t", attributes);
    return made(asNumber(model), {{"x", rows}});
  };
  const std::string last = Model::integer("axis", 1), without = Model::integer("keepdims", 0);
  expectNear(found("ArgMax", last), {2, 1}, {0, 1}, 0);
  expectNear(found("ArgMax", last + without + Model::integer("select_last_index", 1)), {2}, {4, 3}, 0);
  expectNear(found("ArgMin", last + without), {2}, {1, 0}, 0);
  expectNear(found("ArgMax", Model::integer("axis", 0) + without), {5}, {0, 1, 0, 1, 0}, 0);
}

TEST(OnnxSelection, PlacesAreMarked) {
  Model model = Model().input("i", {2, 2}).output("y").integers("depth", {3}).integers("values", {-1, 5});
  model.node("OneHot", {"i", "depth", "values"}, "y", Model::integer("axis", 1));
  expectNear(made(model, {{"i", {{2, 2}, {0, 2, -1, 7}}}}), {2, 3, 2},
             {5, -1, -1, -1, -1, 5, -1, -1, -1, -1, 5, -1}, 0);
}

TEST(OnnxSelection, SumsUpToEachElement) {
  const FloatTensor x{{2, 3}, {1, 2, 3, 4, 5, 6}};
  const auto sums = [&](std::int64_t axis, const std::string& attributes) {
    return made(input({2, 3}).integers("axis", {axis}).node("CumSum", {"x", "axis"}, "y", attributes),
                {{"x", x}});
  };
  expectNear(sums(1, ""), {2, 3}, {1, 3, 6, 4, 9, 15});
  expectNear(sums(0, ""), {2, 3}, {1, 2, 3, 5, 7, 9});
  expectNear(sums(-1, Model::integer("exclusive", 1)), {2, 3}, {0, 1, 3, 0, 4, 9});
  expectNear(sums(1, Model::integer("reverse", 1)), {2, 3}, {6, 5, 3, 15, 11, 6});
}

TEST(OnnxSelection, TrianglesAreCutOutOfMatrices) {
  const FloatTensor x{{1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  const auto part = [&](std::int64_t upper, std::int64_t diagonal) {
    return made(input({1, 2, 3})
                    .integers("k", {diagonal})
                    .node("Trilu", {"x", "k"}, "y", Model::integer("upper", upper)),
                {{"x", x}});
  };
  expectNear(part(1, 0), {1, 2, 3}, {1, 2, 3, 0, 5, 6}, 0);
  expectNear(part(1, 1), {1, 2, 3}, {0, 2, 3, 0, 0, 6}, 0);
  expectNear(part(0, 0), {1, 2, 3}, {1, 0, 0, 4, 5, 0}, 0);
}

/// Reference: Pillow's rule, by which each result is the mean of what lies below its kernel.
TEST(OnnxSelection, WhatIsMadeSmallerMayBeSmoothed) {
  const FloatTensor x{{1, 1, 1, 6}, {1, 2, 4, 8, 16, 32}};
  Model model = input({1, 1, 1, 6}).integers("sizes", {1, 1, 1, 2});
  model.node("Resize", {"x", "", "", "sizes"}, "y",
             Model::word("mode", "linear") + Model::integer("antialias", 1));
  std::vector<double> wanted;
  for (const double centre : {1.0, 4.0}) {  // of elements 0 to 5, at (i + 0.5) * 3 - 0.5
    double sum = 0, weights = 0;
    for (int k = 0; k < 6; ++k) {
      const double weight = std::max(0.0, 1 - std::abs(k - centre) / 3);
      sum += weight * static_cast<double>(x.data[static_cast<std::size_t>(k)]), weights += weight;
    }
    wanted.push_back(sum / weights);
  }
  expectNear(made(model, {{"x", x}}), {1, 1, 1, 2}, wanted);
}

FloatTensor madeOf(const Model& model, const FloatTensor& x) {
  return resultWithWeights(model, {{"x", x}}, true);
}
double at(const FloatTensor& tensor, std::int64_t i) {
  return static_cast<double>(tensor.data.at(static_cast<std::size_t>(i)));
}
std::vector<double> ofEach(const FloatTensor& x, const std::function<double(double)>& function) {
  std::vector<double> wanted;
  for (const float value : x.data) wanted.push_back(function(static_cast<double>(value)));
  return wanted;
}

TEST(OnnxSelection, IntegersOfFloatsDropWhatStandsBehindThePoint) {
  FloatTensor x = tensorOf({3, 5});
  for (float& value : x.data) value *= 4;
  const Model model = input({3, 5})
                          .node("Cast", {"x"}, "i", Model::integer("to", 7))
                          .node("Cast", {"i"}, "f", Model::integer("to", 1))
                          .node("Add", {"f", "x"}, "y");
  expectNear(madeOf(model, x), {3, 5}, ofEach(x, [](double v) { return std::trunc(v) + v; }));
  const Model truth = input({3, 5})
                          .node("Relu", {"x"}, "r")
                          .node("Cast", {"r"}, "t", Model::integer("to", 9))
                          .node("Cast", {"t"}, "y", Model::integer("to", 1));
  expectNear(madeOf(truth, x), {3, 5}, ofEach(x, [](double v) { return v > 0 ? 1.0 : 0.0; }));
  const Model like = Model().input("x", {3, 5}).input("k", {3, 5}, 7).output("y");
  Model alike = like;
  alike.node("CastLike", {"x", "k"}, "i").node("CastLike", {"i", "x"}, "f").node("Add", {"f", "x"}, "y");
  expectNear(madeOf(alike, x), {3, 5}, ofEach(x, [](double v) { return std::trunc(v) + v; }));
  // What is whole already costs nothing more.
  const Model whole = input({3, 5})
                          .node("Floor", {"x"}, "r")
                          .node("Cast", {"r"}, "i", Model::integer("to", 7))
                          .node("Cast", {"i"}, "y", Model::integer("to", 1));
  EXPECT_EQ(kinds(import(whole).program), "floor");
}

TEST(OnnxSelection, QuotientsOfIntegersAreCut) {
  FloatTensor x = tensorOf({3, 5});
  for (float& value : x.data) value = std::round(20 * value);
  const Model model = Model()
                          .input("x", {3, 5}, 7)
                          .output("y")
                          .integers("d", {3, -3, 7, 2, 1})
                          .node("Div", {"x", "d"}, "q")
                          .node("Cast", {"q"}, "y", Model::integer("to", 1));
  const double divisors[] = {3, -3, 7, 2, 1};
  std::vector<double> wanted;
  for (std::int64_t i = 0; i < 15; ++i) wanted.push_back(std::trunc(at(x, i) / divisors[i % 5]));
  expectNear(madeOf(model, x), {3, 5}, wanted);
}

TEST(OnnxSelection, ProductsOfRows) {
  const FloatTensor x = tensorOf({2, 7, 3});
  const Model middle = input({2, 7, 3}).node("ReduceProd", {"x"}, "y",
                                             Model::ints("axes", {1}) + Model::integer("keepdims", 0));
  std::vector<double> wanted;
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t k = 0; k < 3; ++k) {
      double product = 1;
      for (std::int64_t j = 0; j < 7; ++j) product *= at(x, (i * 7 + j) * 3 + k);
      wanted.push_back(product);
    }
  expectNear(madeOf(middle, x), {2, 3}, wanted);
  const FloatTensor row = tensorOf({2, 1});
  const Model one =
      input({2, 1}).node("ReduceProd", {"x"}, "p", Model::ints("axes", {1})).node("Neg", {"p"}, "y");
  expectNear(madeOf(one, row), {2, 1}, ofEach(row, [](double v) { return -v; }));
}

TEST(OnnxSelection, TheLargestElementsAreMarked) {
  FloatTensor x = tensorOf({2, 3, 4});
  x.data[5] = x.data[6] = 2;  // of equal ones the first
  const auto wanted = [&](std::int64_t stride, std::int64_t count) {
    std::vector<double> marks(24, 0);
    for (std::int64_t first = 0; first < 24; ++first) {
      if (first / stride % count != 0) continue;
      std::int64_t best = first;
      for (std::int64_t i = 1; i < count; ++i)
        if (at(x, first + i * stride) > at(x, best)) best = first + i * stride;
      marks[static_cast<std::size_t>(best)] = 1;
    }
    return marks;
  };
  expectNear(madeOf(input({2, 3, 4}).opset("", 13).node("Hardmax", {"x"}, "y"), x), {2, 3, 4}, wanted(1, 4));
  const std::string middle = Model::integer("axis", 1);
  expectNear(madeOf(input({2, 3, 4}).opset("", 13).node("Hardmax", {"x"}, "y", middle), x), {2, 3, 4},
             wanted(4, 3));
  expectNear(madeOf(input({2, 3, 4}).opset("", 11).node("Hardmax", {"x"}, "y", middle), x), {2, 3, 4},
             wanted(1, 12));
}

/// A mean that counts padding which only `auto_pad` tells of.
TEST(OnnxSelection, Extremes) {
  const FloatTensor x = tensorOf({2, 3});
  const Model model = input({2, 3})
                          .scalar("a", 0.25F)
                          .scalar("b", -0.5F)
                          .node("Max", {"x", "b", "b"}, "z")
                          .node("Min", {"z", "a", "x"}, "y");
  expectNear(madeOf(model, x), {2, 3},
             ofEach(x, [](double v) { return std::min(std::max(v, -0.5), std::min(0.25, v)); }));
  expectNear(madeOf(input({2, 3}).node("Swish", {"x"}, "y", Model::real("alpha", 0.5F)), x), {2, 3},
             ofEach(x, [](double v) { return v / (1 + std::exp(-0.5 * v)); }));
  const Model below = input({2, 3})
                          .node("IsInf", {"x"}, "t", Model::integer("detect_positive", 0))
                          .node("Cast", {"t"}, "y", Model::integer("to", 1));
  FloatTensor far = x;
  far.data[0] = INFINITY, far.data[1] = -INFINITY;
  expectNear(madeOf(below, far), {2, 3}, {0, 1, 0, 0, 0, 0});
}

/// A diagonal of more elements than are computed while shapes are inferred.
TEST(OnnxSelection, LargeDiagonalsAreTables) {
  const FloatTensor x = tensorOf({30, 40});
  const Model model =
      input({30, 40}).node("EyeLike", {"x"}, "e", Model::integer("k", -2)).node("Mul", {"x", "e"}, "y");
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 1200; ++i) wanted.push_back(i / 40 == i % 40 + 2 ? x.data[i] : 0);
  expectNear(madeOf(model, x), {30, 40}, wanted);
}

TEST(OnnxSelection, SizesAndDiagonals) {
  const FloatTensor x = tensorOf({2, 3});
  const Model model = input({2, 3})
                          .node("Size", {"x"}, "n")
                          .node("Cast", {"n"}, "f", Model::integer("to", 1))
                          .node("EyeLike", {"x"}, "e", Model::integer("k", 1))
                          .node("Add", {"x", "e"}, "z")
                          .node("Div", {"z", "f"}, "y");
  expectNear(
      madeOf(model, x), {2, 3},
      {at(x, 0) / 6, (at(x, 1) + 1) / 6, at(x, 2) / 6, at(x, 3) / 6, at(x, 4) / 6, (at(x, 5) + 1) / 6});
}

}  // namespace sluice::onnx_selection_test
