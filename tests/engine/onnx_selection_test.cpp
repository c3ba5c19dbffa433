// Comparisons, truth values, and operators that find elements: what imported models compute is compared with
// loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

}  // namespace sluice::onnx_selection_test
