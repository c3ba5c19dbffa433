// LSTM, GRU and RNN: what imported models compute is compared with loops written here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_recurrences_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing::HasSubstr;
using testing_support::onnx::Shape;

constexpr std::size_t steps = 4, batch = 2, width = 3, hidden = 5;

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

struct Layer {
  std::string op;
  std::size_t gates, directions;
  std::string attributes = {};
  bool reset_behind = true;  ///< GRU: the product with the state is reset, not the state
  double (*function)(double) = std::tanh;

  std::vector<std::size_t> weight() const { return {directions, gates * hidden, width}; }
  std::vector<std::size_t> recurrence() const { return {directions, gates * hidden, hidden}; }
  std::vector<std::size_t> biases() const { return {directions, 2 * gates * hidden}; }
};

/// States of a direction over time, [step][batch][hidden], and the last cell.
struct States {
  std::vector<double> over_time, last, cell;
};

States expected(const Layer& layer, std::size_t direction, bool reverse) {
  const FloatTensor x = tensorOf({steps, batch, width}), w = tensorOf(layer.weight(), 2),
                    r = tensorOf(layer.recurrence(), 3), b = tensorOf(layer.biases(), 4);
  const std::size_t rows = layer.gates * hidden;
  States states{std::vector<double>(steps * batch * hidden), std::vector<double>(batch * hidden, 0.0),
                std::vector<double>(batch * hidden, 0.0)};
  for (std::size_t i = 0; i < steps; ++i) {
    const std::size_t time = reverse ? steps - 1 - i : i;
    std::vector<double> next = states.last;
    for (std::size_t n = 0; n < batch; ++n) {
      const auto input = [&](std::size_t row) {
        double sum = b.data[direction * 2 * rows + row];
        for (std::size_t k = 0; k < width; ++k)
          sum += static_cast<double>(x.data[(time * batch + n) * width + k] *
                                     w.data[(direction * rows + row) * width + k]);
        return sum;
      };
      const auto state = [&](std::size_t row, const std::vector<double>& from) {
        double sum = b.data[direction * 2 * rows + rows + row];
        for (std::size_t k = 0; k < hidden; ++k)
          sum += from[n * hidden + k] * static_cast<double>(r.data[(direction * rows + row) * hidden + k]);
        return sum;
      };
      std::vector<double> reset = states.last;
      for (std::size_t j = 0; j < hidden && layer.op == "GRU"; ++j)
        reset[n * hidden + j] *= sigmoid(input(hidden + j) + state(hidden + j, states.last));
      for (std::size_t j = 0; j < hidden; ++j) {
        const auto gate = [&](std::size_t number) {
          return input(number * hidden + j) + state(number * hidden + j, states.last);
        };
        double& out = next[n * hidden + j];
        if (layer.op == "RNN") {
          out = layer.function(gate(0));
        } else if (layer.op == "LSTM") {
          double& cell = states.cell[n * hidden + j];
          cell = sigmoid(gate(2)) * cell + sigmoid(gate(0)) * std::tanh(gate(3));
          out = sigmoid(gate(1)) * std::tanh(cell);
        } else {
          const double update = sigmoid(gate(0));
          const double fresh = layer.reset_behind ? input(2 * hidden + j) +
                                                        sigmoid(gate(1)) * state(2 * hidden + j, states.last)
                                                  : input(2 * hidden + j) + state(2 * hidden + j, reset);
          out = (1 - update) * std::tanh(fresh) + update * out;
        }
      }
    }
    states.last = next;
    std::ranges::copy(next, states.over_time.begin() + static_cast<std::ptrdiff_t>(time * batch * hidden));
  }
  return states;
}

Model modelOf(const Layer& layer, const Names& outputs, const std::string& more = {}) {
  Model model = Model().input("x", {steps, batch, width}).output("y");
  const auto weight = [&](const std::string& name, const std::vector<std::size_t>& shape, int seed) {
    model.floats(name, {shape.begin(), shape.end()}, tensorOf(shape, seed).data);
  };
  weight("w", layer.weight(), 2), weight("r", layer.recurrence(), 3), weight("b", layer.biases(), 4);
  return model.named("layer", layer.op, {"x", "w", "r", "b"}, outputs, layer.attributes + more);
}

FloatTensor made(const Model& model) {
  const Result<Weights> weights = weightsOf(model);
  if (!weights) throw std::runtime_error(text(weights.diagnostics()));
  TensorSet given = weights->tensors;
  given["x"] = tensorOf({steps, batch, width});
  const OnnxImport imported = import(model);
  EXPECT_TRUE(imported.coverage.cuts.empty()) << wanting(imported.coverage);
  return resultOf(imported.program, given);
}

void expectSteps(const Layer& layer, bool first_reverse) {
  SCOPED_TRACE(layer.op + layer.attributes);
  std::vector<States> all;
  for (std::size_t d = 0; d < layer.directions; ++d)
    all.push_back(expected(layer, d, d == 1 || first_reverse));
  std::vector<double> over_time, last;
  for (std::size_t time = 0; time < steps; ++time)
    for (const States& one : all) {
      const auto begin = one.over_time.begin() + static_cast<std::ptrdiff_t>(time * batch * hidden);
      over_time.insert(over_time.end(), begin, begin + batch * hidden);
    }
  for (const States& one : all) last.insert(last.end(), one.last.begin(), one.last.end());
  expectNear(made(modelOf(layer, {"y"})), {steps, layer.directions, batch, hidden}, over_time, 1e-5);
  expectNear(made(modelOf(layer, {"", "y"})), {layer.directions, batch, hidden}, last, 1e-5);
  if (layer.op != "LSTM") return;
  std::vector<double> cells;
  for (const States& one : all) cells.insert(cells.end(), one.cell.begin(), one.cell.end());
  expectNear(made(modelOf(layer, {"", "", "y"})), {layer.directions, batch, hidden}, cells, 1e-5);
}

TEST(OnnxRecurrences, StepsFollowEachOther) {
  const std::string both = Model::word("direction", "bidirectional"),
                    back = Model::word("direction", "reverse");
  expectSteps({"LSTM", 4, 1}, false);
  expectSteps({"LSTM", 4, 2, both}, false);
  expectSteps({"LSTM", 4, 1, back}, true);
  expectSteps({"GRU", 3, 2, both + Model::integer("linear_before_reset", 1)}, false);
  expectSteps({"GRU", 3, 1, {}, false}, false);
  expectSteps({"RNN", 1, 1}, false);
  const std::string relu = bytes(5, bytes(1, "activations") + bytes(9, "Relu"));
  expectSteps({"RNN", 1, 1, relu, true, [](double x) { return x > 0 ? x : 0; }}, false);
}

TEST(OnnxRecurrences, ProductsAreCounted) {
  const OnnxCoverage coverage =
      import(modelOf({"LSTM", 4, 2, Model::word("direction", "bidirectional")}, {"y"})).coverage;
  EXPECT_EQ(coverage.products, static_cast<std::int64_t>(2 * steps * batch * 4 * hidden * (width + hidden)));
  EXPECT_EQ(coverage.productsCut(), 0);
}

TEST(OnnxRecurrences, OfManySteps) {
  Model many = Model().input("x", {300, 1, 2}).weight("w", {1, 2, 2}).weight("r", {1, 2, 2});
  many.node("RNN", {"x", "w", "r"}, "y").output("y");
  const OnnxImport imported = import(many);
  EXPECT_TRUE(imported.coverage.cuts.empty()) << wanting(imported.coverage);
  EXPECT_EQ(imported.program.tensors[imported.program.results.at(0)].shape, (Shape{300, 1, 1, 2}));
}

TEST(OnnxRecurrences, OtherFormsAreRefused) {
  const auto expect = [](const std::string& why, const Layer& layer, const std::string& attributes) {
    EXPECT_THAT(refusal(modelOf(layer, {"y"}, attributes)), HasSubstr(why));
  };
  expect("its numbers are clipped", {"LSTM", 4, 1}, Model::real("clip", 1));
  expect("gates of input and forgetting", {"LSTM", 4, 1}, Model::integer("input_forget", 1));
  expect("its layout", {"GRU", 3, 1}, Model::integer("layout", 1));
  expect("its direction does not go with", {"GRU", 3, 2}, {});
  expect("its direction does not go with", {"GRU", 3, 1}, Model::word("direction", "sideways"));
  expect("its function Affine", {"RNN", 1, 1}, bytes(5, bytes(1, "activations") + bytes(9, "Affine")));
  Model lengths = Model().input("x", {steps, batch, width}).input("n", {2}, 6).weight("w", {1, 20, 3});
  lengths.weight("r", {1, 20, 5}).named("layer", "LSTM", {"x", "w", "r", "", "n"}, {"y"}).output("y");
  EXPECT_THAT(refusal(lengths), HasSubstr("lengths of their own"));
}

}  // namespace sluice::onnx_recurrences_test
