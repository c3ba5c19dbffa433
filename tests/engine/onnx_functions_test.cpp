// Operators that exporters take apart, by what they compute: a group becomes an activation or a normalization
// only where it is that function, and then with its own epsilon and its own form of GELU. The oracle computes
// the groups in double precision, node by node.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/tensor/programs/tensor_values.h"
#include "tests/engine/support/onnx_writer.h"

namespace sluice::onnx_functions_test {

using namespace testing_support;
using namespace sluice::testing_support::onnx;
using testing::HasSubstr;

/// x [2, 8] and the constants that the groups below name.
Model begin() {
  Model model;
  model.input("x", {2, 8}).scalar("one", 1).scalar("half", 0.5f).scalar("two", 2).scalar("three", 3);
  model.scalar("root2", 1.41421356f).scalar("a", 0.044715f).scalar("b", 0.79788456f).scalar("c", 1.5f);
  return model;
}

/// What the program makes of given rows, where it is one operator on x.
std::vector<float> valuesOf(const TensorProgram& program, const std::vector<float>& x) {
  TensorSet given{{"x", FloatTensor{{2, 8}, x}}};
  for (const TensorValue& tensor : program.tensors)
    if (tensor.role == TensorRole::Table || tensor.role == TensorRole::Weight) {
      const auto size = static_cast<std::size_t>(elementCount(tensor));
      given[tensor.name] = FloatTensor{{size}, std::vector<float>(size, 1.0f)};
    }
  return tensorValues(program, given)[program.results.at(0)].data;
}

const std::vector<float> sample{-3, -1.5f, -0.7f, -0.1f, 0.2f, 0.8f, 1.9f,  3.5f,
                                2,  0.5f,  -2.5f, 1,     4,    -4,   0.05f, -0.3f};

void expectValues(const TensorProgram& program, double (*function)(double), double tolerance) {
  const std::vector<float> made = valuesOf(program, sample);
  for (std::size_t i = 0; i < sample.size(); ++i)
    EXPECT_NEAR(made[i], function(sample[i]), tolerance) << "x = " << sample[i];
}

double geluByTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}
double geluByErf(double x) {
  return x * std::erfc(-x / std::sqrt(2.0)) / 2;
}

/// As the exporter of PyTorch 2 writes F.gelu(approximate="tanh"): the argument is itself a sum with x, and x
/// is multiplied last.
TEST(OnnxFunctions, GeluByTanhIsOneFunctionOfX) {
  Model model = begin();
  model.node("Pow", {"x", "three"}, "cube")
      .node("Mul", {"a", "cube"}, "t1")
      .node("Add", {"x", "t1"}, "t2")
      .node("Mul", {"b", "t2"}, "t3")
      .node("Tanh", {"t3"}, "t4");
  model.node("Add", {"t4", "one"}, "t5").node("Mul", {"x", "t5"}, "t6").node("Mul", {"half", "t6"}, "y");
  const OnnxImport gelu = import(model.output("y"));
  EXPECT_EQ(kinds(gelu.program), "gelu tanh") << text(gelu.report);
  expectValues(gelu.program, geluByTanh, 1e-6);

  // The same with the cube as products and the half inside.
  Model products = begin();
  products.node("Mul", {"x", "x"}, "square")
      .node("Mul", {"square", "x"}, "cube")
      .node("Mul", {"cube", "a"}, "t1")
      .node("Add", {"x", "t1"}, "t2")
      .node("Mul", {"t2", "b"}, "t3")
      .node("Tanh", {"t3"}, "t4");
  products.node("Mul", {"t4", "half"}, "t5").node("Add", {"t5", "half"}, "t6").node("Mul", {"x", "t6"}, "y");
  EXPECT_EQ(kinds(import(products.output("y")).program), "gelu tanh");
}

TEST(OnnxFunctions, GeluByTheErrorFunctionStaysExact) {
  Model model = begin();
  model.node("Div", {"x", "root2"}, "t1").node("Erf", {"t1"}, "t2").node("Add", {"t2", "one"}, "t3");
  model.node("Mul", {"x", "t3"}, "t4").node("Div", {"t4", "two"}, "y");  // halved by a division
  const OnnxImport gelu = import(model.output("y"));
  EXPECT_EQ(kinds(gelu.program), "gelu") << text(gelu.report);
  expectValues(gelu.program, geluByErf, 1e-6);
}

/// The operator itself has an attribute for its form.
TEST(OnnxFunctions, TheOperatorGeluHasTwoForms) {
  const auto gelu = [](const std::string& attributes) {
    return import(begin().node("Gelu", {"x"}, "y", attributes).output("y")).program;
  };
  EXPECT_EQ(kinds(gelu("")), "gelu");
  EXPECT_EQ(kinds(gelu(Model::word("approximate", "none"))), "gelu");
  const TensorProgram by_tanh = gelu(Model::word("approximate", "tanh"));
  EXPECT_EQ(kinds(by_tanh), "gelu tanh");
  expectValues(by_tanh, geluByTanh, 1e-6);
}

TEST(OnnxFunctions, OnlySiluIsSilu) {
  const auto gate = [](const Names& argument, const std::string& op) {
    Model model = begin();
    if (!op.empty()) model.node(op, argument, "t");
    model.node("Sigmoid", {op.empty() ? "x" : "t"}, "s").known("s", {2, 8}).node("Mul", {"x", "s"}, "y");
    return kinds(import(model.output("y")).program);
  };
  EXPECT_EQ(gate({}, ""), "silu");
  EXPECT_EQ(gate({"x", "one"}, "Mul"), "silu");  // x * sigmoid(1.0 x)
  EXPECT_EQ(gate({"x", "c"}, "Add"), "add, sigmoid, mul");
  EXPECT_EQ(gate({"x", "c"}, "Mul"), "mul, sigmoid, mul");
}

TEST(OnnxFunctions, OtherProductsStayApart) {
  Model tanh = begin();
  tanh.node("Tanh", {"x"}, "t").known("t", {2, 8}).node("Mul", {"x", "t"}, "y").output("y");
  const OnnxImport product = import(tanh);
  EXPECT_EQ(kinds(product.program), "tanh, mul");
  expectValues(
      product.program, [](double x) { return x * std::tanh(x); }, 1e-6);

  // x times its root mean square, where a normalization divides.
  Model mean = begin();
  mean.node("Pow", {"x", "two"}, "p").node("ReduceMean", {"p"}, "m", Model::ints("axes", {-1}));
  mean.known("p", {2, 8}).known("m", {2, 1}).known("s", {2, 1}).input("z", {2, 8});
  mean.node("Sqrt", {"m"}, "s").node("Mul", {"x", "s"}, "y").node("Add", {"y", "z"}, "w").known("y", {2, 8});
  EXPECT_THAT(kinds(import(mean.output("w")).program), testing::Not(HasSubstr("norm")));
}

/// Constants in half precision, as models in half precision have them.
TEST(OnnxFunctions, HalfPrecisionConstants) {
  Model model;
  model.input("x", {2, 8}, 10);
  const auto constant = [&](const std::string& name, std::uint64_t bits) {
    model.constant(name, {}, 10, packed(5, std::vector<std::uint64_t>{bits}));
  };
  constant("three", 0x4200), constant("a", 0x29b9), constant("b", 0x3a62), constant("one", 0x3c00);
  constant("half", 0x3800);
  model.node("Pow", {"x", "three"}, "cube")
      .node("Mul", {"cube", "a"}, "t1")
      .node("Add", {"x", "t1"}, "t2")
      .node("Mul", {"t2", "b"}, "t3")
      .node("Tanh", {"t3"}, "t4");
  model.node("Add", {"t4", "one"}, "t5").node("Mul", {"x", "half"}, "t6").node("Mul", {"t6", "t5"}, "y");
  EXPECT_EQ(kinds(import(model.output("y")).program), "gelu tanh");
}

/// The value of a constant lies in another file: what the group is cannot be known, which is said.
TEST(OnnxFunctions, ConstantsElsewhereLeaveItUnknown) {
  Model model = Model().input("x", {2, 8}).scalar("one", 1).scalar("half", 0.5f);
  model.constant("root2", {}, 1, bytes(13, bytes(1, "location") + bytes(2, "w.bin")) + number(14, 1));
  model.node("Div", {"x", "root2"}, "t1").node("Erf", {"t1"}, "t2").node("Add", {"t2", "one"}, "t3");
  model.node("Mul", {"x", "t3"}, "t4").node("Mul", {"t4", "half"}, "y").known("t2", {2, 8});
  const OnnxImport parts = import(model.output("y"));
  EXPECT_THAT(kinds(parts.program), testing::Not(HasSubstr("gelu")));
  EXPECT_THAT(text(parts.report), HasSubstr("the value of 'root2' is not in the file"));
}

/// Epsilon, whether the operator has it as an attribute or the group as a constant.
TEST(OnnxFunctions, NormalizationsKeepTheirEpsilon) {
  const auto rms = [](float epsilon) {
    Model model = begin();
    model.scalar("eps", epsilon).weight("g", {8});
    model.node("Pow", {"x", "two"}, "p")
        .node("ReduceMean", {"p"}, "m", Model::ints("axes", {-1}))
        .node("Add", {"m", "eps"}, "e")
        .node("Sqrt", {"e"}, "s");
    model.node("Reciprocal", {"s"}, "r").node("Mul", {"x", "r"}, "n").node("Mul", {"g", "n"}, "y");
    return import(model.output("y")).program;
  };
  std::vector<float> small = sample;
  for (float& x : small) x *= 1e-3f;  // where epsilon decides
  for (const float epsilon : {1e-5f, 1e-6f, 1e-12f, 0.0f}) {
    SCOPED_TRACE(epsilon);
    const TensorProgram program = rms(epsilon);
    ASSERT_EQ(kinds(program), "rms norm");
    EXPECT_EQ(program.operators[0].epsilon, epsilon);
    const std::vector<float> made = valuesOf(program, small);
    double squares = 0;
    for (std::size_t i = 0; i < 8; ++i) squares += static_cast<double>(small[i]) * small[i] / 8;
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(made[i], small[i] / std::sqrt(squares + epsilon), 1e-4) << i;
    const Result<TensorProgram> again = parseTensorProgram(text(program), "again");
    ASSERT_TRUE(again) << text(program);
    EXPECT_EQ(*again, program);
  }
  Model layer = begin().weight("g", {8}).weight("bias", {8});
  layer.node("LayerNormalization", {"x", "g", "bias"}, "y", Model::real("epsilon", 1e-12f)).output("y");
  EXPECT_EQ(import(layer).program.operators[0].epsilon, 1e-12f);
}

TEST(OnnxFunctions, DifferencesAndQuotientsAreNotTakenForSumsAndProducts) {
  const auto made = [](const std::string& op, const Names& operands) {
    Model model = begin().input("z", {2, 8}).known("y", {2, 8});
    model.node(op, operands, "y").node("Mul", {"y", "z"}, "w").output("w");
    return kinds(import(model).program);
  };
  const auto values = [](const std::string& op, const Names& operands, double (*function)(double)) {
    expectValues(import(begin().node(op, operands, "y").output("y")).program, function, 1e-5);
  };
  values("Sub", {"c", "x"}, [](double x) { return 1.5 - x; });
  values("Sub", {"x", "c"}, [](double x) { return x - 1.5; });
  values("Div", {"c", "x"}, [](double x) { return 1.5 / x; });
  values("Div", {"x", "c"}, [](double x) { return x / 1.5; });
  EXPECT_EQ(made("Sub", {"x", "c"}), "sub, mul");
  EXPECT_EQ(made("Div", {"x", "c"}), "div, mul");
  EXPECT_EQ(made("Sub", {"c", "x"}), "neg, add, mul");
  EXPECT_EQ(made("Div", {"c", "x"}), "reciprocal, mul, mul");
  for (const Names& both : {Names{"x", "z"}, Names{"z", "x"}}) {
    EXPECT_EQ(made("Sub", both), "sub, mul");
    EXPECT_EQ(made("Div", both), "div, mul");
  }
}

}  // namespace sluice::onnx_functions_test
