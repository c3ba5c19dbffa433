// Loops, scans and functions of ONNX models, whose nodes take their place: what imported models compute is
// compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_subgraphs_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;

constexpr int int64 = 7, boolean = 9;

double at(const FloatTensor& tensor, std::size_t i) {
  return tensor.data.at(i);
}

/// s -> 0.5 s + i * w, with a weight of its own; gives the square of every state.
Model steps() {
  return Model()
      .input("i", {}, int64)
      .input("go", {}, boolean)
      .input("s", {2})
      .floats("w", {2}, {1, -2})
      .scalar("half", 0.5f)
      .node("Mul", {"s", "half"}, "a")
      .node("Cast", {"i"}, "f", Model::integer("to", 1))
      .node("Mul", {"w", "f"}, "b")
      .node("Add", {"a", "b"}, "t")
      .node("Mul", {"t", "t"}, "q")
      .node("Identity", {"go"}, "on")
      .output("on")
      .output("t")
      .output("q");
}

TEST(OnnxSubgraphs, LoopsAreWrittenOut) {
  for (const char* result : {"y", "all"}) {
    Model model = Model().input("x", {2}).integers("n", {3}).output(result);
    model.named("loop", "Loop", {"n", "", "x"}, {"y", "all"}, steps().within("body"));
    const FloatTensor x = tensorOf({2});
    std::vector<double> state{at(x, 0), at(x, 1)}, squares;
    for (int i = 0; i < 3; ++i) {
      state = {0.5 * state[0] + i, 0.5 * state[1] - 2 * i};
      squares.insert(squares.end(), {state[0] * state[0], state[1] * state[1]});
    }
    const FloatTensor made = resultWithWeights(model, {{"x", x}}, true);
    if (result == std::string("y"))
      expectNear(made, {2}, state);
    else
      expectNear(made, {3, 2}, squares);
  }
}

/// As `while` is exported: as often as a number that follows from constants says. The state grows.
TEST(OnnxSubgraphs, LoopsEndByTheirCondition) {
  const Model body = Model()
                         .input("i", {}, int64)
                         .input("go", {}, boolean)
                         .input("s", {2})
                         .integers("two", {2})
                         .node("Concat", {"s", "x"}, "longer", Model::integer("axis", 0))
                         .node("Less", {"i", "two"}, "on")
                         .output("on")
                         .output("longer");
  Model model = Model().input("x", {2}).output("y").integers("most", {1 << 20});
  model.constant("yes", {}, 9, bytes(9, std::string(1, 1)));
  model.named("loop", "Loop", {"most", "yes", "x"}, {"y"}, body.within("body"));
  const FloatTensor x = tensorOf({2});
  std::vector<double> wanted;
  for (int i = 0; i < 4; ++i) wanted.insert(wanted.end(), {at(x, 0), at(x, 1)});
  expectNear(resultWithWeights(model, {{"x", x}}, true), {8}, wanted);
}

TEST(OnnxSubgraphs, LoopsWhoseEndIsDataAreCut) {
  Model model = Model().input("x", {2}).input("n", {}, int64).known("y", {2}).output("z");
  model.named("loop", "Loop", {"n", "", "x"}, {"y", "all"}, steps().within("body")).node("Neg", {"y"}, "z");
  const OnnxImport imported = import(model);
  ASSERT_EQ(imported.coverage.cuts.size(), 1u);
  EXPECT_EQ(kinds(imported.program), "neg");
}

/// A running sum along the second dimension, forwards or from behind.
TEST(OnnxSubgraphs, ScansAreWrittenOut) {
  const Model body = Model()
                         .input("s", {2})
                         .input("part", {2})
                         .node("Add", {"s", "part"}, "t")
                         .node("Neg", {"t"}, "given")
                         .output("t")
                         .output("given");
  for (const std::int64_t backwards : {0, 1}) {
    Model model = Model().input("s0", {2}).input("x", {2, 3}).output("y");
    model.named("scan", "Scan", {"s0", "x"}, {"last", "y"},
                body.within("body") + Model::integer("num_scan_inputs", 1) +
                    Model::ints("scan_input_axes", {1}) + Model::ints("scan_output_axes", {1}) +
                    Model::ints("scan_input_directions", {backwards}) +
                    Model::ints("scan_output_directions", {backwards}));
    const FloatTensor s = tensorOf({2}), x = tensorOf({2, 3}, 2);
    std::vector<double> wanted(6);
    for (std::size_t row = 0; row < 2; ++row) {
      double sum = at(s, row);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t column = backwards == 0 ? i : 2 - i;
        wanted[row * 3 + column] = -(sum += at(x, row * 3 + column));
      }
    }
    expectNear(resultWithWeights(model, {{"s0", s}, {"x", x}}, true), {2, 3}, wanted);
  }
}

/// An attribute of the call, a default, a function that calls another one, names that are everywhere the
/// same.
TEST(OnnxSubgraphs, FunctionsAreInlined) {
  const auto refers = [](const std::string& name, const std::string& to) {
    return bytes(5, bytes(1, name) + bytes(21, to));
  };
  const Model leaky = Model().node("LeakyRelu", {"x"}, "y", refers("alpha", "slope"));
  const Model both = Model()
                         .call("leaky", {"x"}, "h", refers("slope", "given"))
                         .call("leaky", {"h"}, "g")
                         .node("Add", {"g", "b"}, "y");
  Model model = Model().input("x", {2, 3}).floats("w", {3}, {1, 2, 3}).output("z");
  model.function("leaky", {"x"}, {"y"}, leaky,
                 bytes(11, bytes(1, "slope") + varint(2 << 3 | 5) + std::string("\0\0\0\x3f", 4)));  // 0.5
  model.function("both", {"x", "b"}, {"y"}, both);
  model.call("both", {"x", "w"}, "y", Model::real("given", 0.25f)).call("both", {"y", "w"}, "z");
  const FloatTensor x = tensorOf({2, 3});
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 6; ++i) {
    double value = at(x, i);
    for (const double first : {0.25, 0.5}) {  // the default where the call gives none
      value = value < 0 ? first * value : value;
      value = (value < 0 ? 0.5 * value : value) + static_cast<double>(i % 3 + 1);
    }
    wanted.push_back(value);
  }
  expectNear(resultWithWeights(model, {{"x", x}}, true), {2, 3}, wanted);
}

TEST(OnnxSubgraphs, FunctionsThatCallThemselvesAreRefused) {
  Model model = Model().input("x", {2}).output("y").call("self", {"x"}, "y");
  model.function("self", {"x"}, {"y"}, Model().call("self", {"x"}, "h").call("self", {"h"}, "y"));
  EXPECT_THAT(refusal(model), HasSubstr("call each other more than 16 deep"));
}

}  // namespace sluice::onnx_subgraphs_test
