// ONNX models as tensor programs. The models are written byte by byte, with the field numbers of the ONNX
// specification, as exporters write them: whole operators and taken apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/engine/support/command_line.h"
#include "tests/engine/support/growth.h"
#include "tests/engine/support/onnx_writer.h"

namespace sluice::onnx_test {

using namespace testing_support;
using namespace testing_support::onnx;
using testing_support::onnx::Shape;

Model feedForward(const Shape& x) {
  Model model;
  model.input("x", x)
      .weight("w1", {64, 256})
      .weight("b1", {256})
      .weight("w2", {64, 256})
      .weight("g", {64})
      .weight("b", {64});
  model.node("LayerNormalization", {"x", "g", "b"}, "n")
      .node("MatMul", {"n", "w1"}, "h0")
      .node("Add", {"b1", "h0"}, "h1");
  return model;
}

TEST(Onnx, FeedForwardBlock) {
  Model model = feedForward({1, 16, 64});
  model.node("Gelu", {"h1"}, "a").node("Reshape", {"a", "flat"}, "a2").integers("flat", {-1, 256});
  model.node("Gemm", {"a2", "w2"}, "y", Model::integer("transB", 1)).output("y");
  const OnnxImport block = import(model);
  EXPECT_EQ(kinds(block.program), "layer norm, linear, add, gelu, reshape, linear");
  EXPECT_TRUE(block.report.empty()) << text(block.report);
  EXPECT_EQ(parameterCount(block.program), 64 * 256 * 2 + 2 * 64);  // the bias of Add counts as a table
  ASSERT_EQ(block.program.results.size(), 1u);
  EXPECT_EQ(block.program.tensors[block.program.results[0]].shape, (Shape{16, 64}));
}

TEST(Onnx, ActivationsThatWereTakenApart) {
  Model erf = feedForward({16, 64});
  erf.scalar("root2", 1.41421356f).scalar("one", 1).scalar("half", 0.5f, {1});
  erf.node("Div", {"h1", "root2"}, "d").node("Erf", {"d"}, "e").node("Add", {"e", "one"}, "p");
  erf.node("Mul", {"h1", "p"}, "q")
      .node("Mul", {"q", "half"}, "a")
      .node("MatMul", {"a", "w3"}, "y")
      .weight("w3", {256, 8})
      .output("y");
  EXPECT_EQ(kinds(import(erf).program), "layer norm, linear, add, gelu, linear");
  EXPECT_NE(text(import(erf).report).find("5 operators are taken together as Gelu"), std::string::npos);

  Model tanh = feedForward({16, 64});
  tanh.scalar("three", 3)
      .scalar("a", 0.044715f)
      .scalar("b", 0.79788456f)
      .scalar("one", 1)
      .scalar("half", 0.5f);
  tanh.node("Pow", {"h1", "three"}, "t1")
      .node("Mul", {"t1", "a"}, "t2")
      .node("Add", {"h1", "t2"}, "t3")
      .node("Mul", {"t3", "b"}, "t4");
  tanh.node("Tanh", {"t4"}, "t5")
      .node("Add", {"t5", "one"}, "t6")
      .node("Mul", {"h1", "half"}, "t7")
      .node("Mul", {"t7", "t6"}, "y")
      .output("y");
  EXPECT_EQ(kinds(import(tanh).program), "layer norm, linear, add, gelu tanh");

  Model silu = feedForward({16, 64});
  silu.node("Sigmoid", {"h1"}, "s").node("Mul", {"s", "h1"}, "y").output("y");
  EXPECT_EQ(kinds(import(silu).program), "layer norm, linear, add, silu");

  // What is read elsewhere must stay, so nothing is joined.
  Model shared = feedForward({16, 64});
  shared.node("Sigmoid", {"h1"}, "s")
      .node("Mul", {"s", "h1"}, "y")
      .output("y")
      .output("s")
      .known("s", {16, 256});
  EXPECT_EQ(kinds(import(shared).program), "layer norm, linear, add, sigmoid, mul");
  EXPECT_EQ(import(shared).program.results.size(), 2u);
}

TEST(Onnx, NormalizationsThatWereTakenApart) {
  Model layer;
  layer.input("a", {16, 64})
      .input("b", {16, 64})
      .scalar("two", 2)
      .scalar("eps", 1e-5f)
      .weight("g", {64})
      .weight("bias", {64});
  layer.node("Add", {"a", "b"}, "x")
      .node("ReduceMean", {"x"}, "m", Model::ints("axes", {-1}))
      .node("Sub", {"x", "m"}, "c");
  layer.node("Pow", {"c", "two"}, "p")
      .node("ReduceMean", {"p"}, "v", Model::ints("axes", {-1}))
      .node("Add", {"v", "eps"}, "ve");
  layer.node("Sqrt", {"ve"}, "s")
      .node("Div", {"c", "s"}, "n")
      .node("Mul", {"n", "g"}, "ng")
      .node("Add", {"ng", "bias"}, "y")
      .output("y");
  EXPECT_EQ(kinds(import(layer).program), "add, layer norm");

  Model rms;
  rms.input("x", {16, 64}).scalar("two", 2).scalar("eps", 1e-6f).weight("g", {64}).integers("last", {-1});
  rms.node("Cast", {"x"}, "x32")
      .node("Pow", {"x32", "two"}, "p")
      .node("ReduceMean", {"p", "last"}, "v")
      .node("Add", {"v", "eps"}, "ve");
  rms.node("Sqrt", {"ve"}, "s")
      .node("Reciprocal", {"s"}, "r")
      .node("Mul", {"x32", "r"}, "n")
      .node("Cast", {"n"}, "n16");
  rms.node("Mul", {"g", "n16"}, "y").output("y");
  EXPECT_EQ(kinds(import(rms).program), "rms norm");
  EXPECT_EQ(import(rms).program.tensors.size(), 3u);
}

/// As PyTorch's older exporter writes x * torch.rsqrt(...): the reciprocal is a division of 1.
TEST(Onnx, AReciprocalIsNoNormalization) {
  Model rms;
  rms.input("x", {16, 64}).scalar("two", 2).scalar("eps", 1e-6f).scalar("one", 1).weight("g", {64});
  rms.known("p", {16, 64}).known("v", {16, 1}).known("ve", {16, 1}).known("s", {16, 1}).known("r", {16, 1});
  rms.node("Pow", {"x", "two"}, "p")
      .node("ReduceMean", {"p"}, "v", Model::ints("axes", {-1}))
      .node("Add", {"v", "eps"}, "ve");
  rms.node("Sqrt", {"ve"}, "s").node("Div", {"one", "s"}, "r").node("Mul", {"x", "r"}, "n");
  rms.node("Mul", {"g", "n"}, "y").output("y");
  const OnnxImport block = import(rms);
  EXPECT_EQ(kinds(block.program), "rms norm") << text(block.report);
  EXPECT_EQ(block.program.tensors[block.program.results[0]].shape, (Shape{16, 64}));
}

TEST(Onnx, ListsInConstantsHaveTheirLength) {
  const std::string one = varint(7 << 3 | 5) + std::string("\0\0\0\x3e", 4);  // 0.125
  for (const std::size_t count : {1, 64}) {
    std::string floats = bytes(1, "value_floats");
    for (std::size_t i = 0; i < count; ++i) floats += one;
    Model model;
    model.input("x", {16, 64}).node("Constant", {}, "k", bytes(5, floats)).node("Mul", {"x", "k"}, "y");
    model.output("y");
    const OnnxImport block = import(model);
    EXPECT_EQ(kinds(block.program), "mul") << text(block.report);
    EXPECT_EQ(block.program.tensors.size(), 3u) << "x, k and y";
  }
}

TEST(Onnx, Attention) {
  Model model;
  model.input("x", {-1, 64})
      .weight("wq", {64, 64})
      .weight("wk", {64, 64})
      .weight("wv", {64, 64})
      .input("mask", {1, 1, -1, -1});
  for (const std::string p : {"q", "k", "v"}) {
    model.node("MatMul", {"x", "w" + p}, p + "0").node("Reshape", {p + "0", "split"}, p + "1");
    model.node("Transpose", {p + "1"}, p, Model::ints("perm", p == "k" ? Shape{1, 2, 0} : Shape{1, 0, 2}));
  }
  model.integers("split", {0, 4, -1}).weight("scale", {});
  model.node("MatMul", {"q", "k"}, "s0")
      .node("Div", {"s0", "scale"}, "s1")
      .node("Add", {"s1", "mask"}, "s2")
      .node("Softmax", {"s2"}, "p");
  model.node("MatMul", {"p", "v"}, "o").output("o");
  EXPECT_NE(refusal(model).find("the symbolic dimension 'seq'"), std::string::npos);
  const OnnxImport block = import(model, {{{"seq", 32}}});
  EXPECT_EQ(kinds(block.program),
            "linear, reshape, transpose, linear, reshape, linear, reshape, transpose, transpose, batched "
            "matmul, div, reshape, reshape, add, softmax, reshape, batched matmul");
  EXPECT_EQ(block.program.tensors[block.program.results[0]].shape, (Shape{1, 4, 32, 16}));  // as the mask
  EXPECT_EQ(
      operationCount(block.program), 2 * 3 * 32 * 64 * 64 + 2 * 2 * 4 * 32 * 32 * 16 + 4 * 32 * 32 * 2 + [&] {
        for (const TensorOperator& op : block.program.operators)
          if (op.kind == TensorOperatorKind::Softmax) return operationCount(block.program, op);
        return std::int64_t{0};
      }());
}

TEST(Onnx, WhatIsNotUnderstoodIsCutOut) {
  Model model = feedForward({16, 64});
  model.node("TopK", {"h1"}, "t")
      .known("t", {16, 8})
      .weight("w3", {8, 4})
      .node("MatMul", {"t", "w3"}, "y")
      .output("y");
  model.node("Shape", {"h1"}, "sh").node("Gather", {"sh", "zero"}, "count").integers("zero", {0});
  const OnnxImport block = import(model);
  EXPECT_EQ(kinds(block.program), "layer norm, linear, add, linear");
  EXPECT_EQ(block.program.results.size(), 2u);  // what TopK reads, and y
  ASSERT_EQ(block.report.size(), 1u) << text(block.report);
  EXPECT_NE(text(block.report).find("node 't_node' (TopK): it is cut out: it sorts"), std::string::npos);
  const auto cut = std::ranges::find(block.program.tensors, "t", &TensorValue::name);
  ASSERT_NE(cut, block.program.tensors.end());
  EXPECT_EQ(cut->role, TensorRole::Input);

  Model blind = feedForward({16, 64});
  blind.node("TopK", {"h1"}, "t").weight("w3", {8, 4}).node("MatMul", {"t", "w3"}, "y").output("y");
  EXPECT_NE(refusal(blind).find("tensor 't': its shape is not known"), std::string::npos);
  EXPECT_NE(refusal(Model().input("x", {4}).node("Conv", {"x"}, "y").output("y"))
                .find("no operator of the model is understood"),
            std::string::npos);
}

TEST(Onnx, AValueHasOneSource) {
  EXPECT_NE(refusal(feedForward({16, 64}).node("Add", {"x", "x"}, "n").output("h1"))
                .find("'n', which is there already"),
            std::string::npos);
  EXPECT_NE(refusal(Model().input("x", {4, 4}).node("Softmax", {"x"}, "x").output("x")).find("'x'"),
            std::string::npos);
}

TEST(Onnx, BrokenModelsAreRefused) {
  EXPECT_FALSE(importOnnx("", "m", {}));
  EXPECT_FALSE(importOnnx("this is no model, it is a text", "m", {}));
  const std::string model = feedForward({16, 64}).output("h1").write();
  ASSERT_TRUE(importOnnx(model, "m", {}));
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {  // whatever the bytes are: a program that verifies, or a diagnostic
    std::string broken = model.substr(0, i % 3 == 0 ? random() % model.size() : model.size());
    for (int k = 0; k < 3 && !broken.empty(); ++k)
      broken[random() % broken.size()] = static_cast<char>(random());
    const Result<OnnxImport> read = importOnnx(broken, "m", {});
    if (read)
      EXPECT_TRUE(parseTensorProgram(text(read->program), "again")) << text(read->program);
    else
      EXPECT_FALSE(read.diagnostics().front().fix.empty());
  }
}

/// Why a model of this one node is refused, or "accepted".
std::string refusedNode(Model model, const std::string& op, const Names& in,
                        const std::string& attributes = {}) {
  return refusal(model.node(op, in, "y", attributes).output("y"));
}
std::string scalarOf(const TensorProgram& program, const std::string& tensor) {
  const auto found = std::ranges::find(program.tensors, tensor, &TensorValue::name);
  return found == program.tensors.end() ? "not there" : text(found->scalar);
}

TEST(Onnx, LongModelsAreNoSlowerThanTheyAreLong) {
  const auto written = [](std::size_t nodes) {
    Model model;
    model.input("h0", {4, 8});
    for (std::size_t i = 0; i < nodes; ++i)
      model.node(i % 2 == 0 ? "Gelu" : "Softmax", {"h" + std::to_string(i)}, "h" + std::to_string(i + 1));
    return model.output("h" + std::to_string(nodes)).write();
  };
  const std::string few = written(1000), many = written(8000);
  const auto import = [&](std::size_t nodes) {
    const Result<OnnxImport> read = importOnnx(nodes == 1000 ? few : many, "m.onnx", {});
    EXPECT_EQ(read->program.operators.size(), nodes);
  };
  EXPECT_TRUE(testing_support::growsSlowly(1000, import, 40));
}

TEST(Onnx, BatchesAreAlignedFromTheLast) {
  const auto product = [](const Shape& a, const Shape& b) { return Model().input("a", a).input("b", b); };
  const auto spread = [&](const Shape& a, const Shape& b) {
    return kinds(import(product(a, b).node("MatMul", {"a", "b"}, "y").output("y")).program);
  };
  EXPECT_EQ(spread({4, 4, 8, 16}, {4, 16, 32}), "reshape, expand, batched matmul");
  EXPECT_EQ(spread({4, 4, 8, 16}, {1, 4, 16, 32}), "expand, batched matmul");
  EXPECT_EQ(spread({8, 16}, {4, 16, 32}), "reshape, expand, batched matmul");
  EXPECT_NE(refusedNode(product({3, 8, 16}, {4, 16, 32}), "MatMul", {"a", "b"}).find("cut out"),
            std::string::npos);
  const TensorProgram same =
      import(product({1, 4, 8, 16}, {4, 16, 32}).node("MatMul", {"a", "b"}, "y").output("y")).program;
  EXPECT_EQ(kinds(same), "reshape, batched matmul");
  EXPECT_EQ(operationCount(same), 2 * 4 * 8 * 16 * 32);
  EXPECT_EQ(
      kinds(import(product({4, 4, 8, 16}, {16, 32}).node("MatMul", {"a", "b"}, "y").output("y")).program),
      "batched matmul");
}

TEST(Onnx, ConstantsThatDoNotFitAreNotUnderstood) {
  const Model gemm = Model().input("a", {8, 16}).weight("b", {16, 32}), norm = Model().input("x", {3, 7});
  for (const Shape& c : {Shape{8, 31}, {32, 1}, {7, 5, 3}, {16}})
    EXPECT_NE(refusedNode(Model(gemm).weight("c", c), "Gemm", {"a", "b", "c"}).find("cut out"),
              std::string::npos);
  for (const Shape& c : {Shape{32}, {1, 32}, {}, {1}, {8, 32}, {8, 1}})
    EXPECT_EQ(refusedNode(Model(gemm).weight("c", c), "Gemm", {"a", "b", "c"}), "accepted");
  for (const Shape& scale : {Shape{3, 7}, {7, 1}, {3}})
    EXPECT_NE(refusedNode(Model(norm).weight("g", scale), "LayerNormalization", {"x", "g"}).find("cut out"),
              std::string::npos);
  EXPECT_EQ(refusedNode(Model(norm).weight("g", {1, 7}), "LayerNormalization", {"x", "g"}), "accepted");
  // A gain that is computed is no weight.
  const TensorProgram adaptive =
      import(Model(norm).input("g", {7}).node("RMSNormalization", {"x", "g"}, "y").output("y")).program;
  EXPECT_EQ(parameterCount(adaptive), 0);
  EXPECT_NE(refusedNode(Model(norm).input("g", {3, 7}), "RMSNormalization", {"x", "g"}).find("cut out"),
            std::string::npos);
}

TEST(Onnx, TypesKeepTheirWidth) {
  const auto of = [](int type) {
    return Model().input("x", {4, 8}, type).node("Gelu", {"x"}, "y").output("y");
  };
  const std::map<int, std::string> exact{{1, "f32"},  {3, "i8"},    {9, "i8"},
                                         {10, "f16"}, {16, "bf16"}, {22, "i4"}};
  for (const auto& [type, name] : exact) {
    EXPECT_EQ(scalarOf(import(of(type)).program, "x"), name);
    EXPECT_TRUE(import(of(type)).report.empty()) << type;
  }
  const std::map<int, std::string> similar{{18, "f8E4M3FN"}, {20, "f8E5M2"}, {23, "i4"}, {24, "i8"}};
  for (const auto& [type, name] : similar) {
    EXPECT_EQ(scalarOf(import(of(type)).program, "x"), name);
    EXPECT_NE(text(import(of(type)).report).find("is taken as " + name), std::string::npos) << type;
  }
  for (const int type : {0, 8, 14, 15, 99})
    EXPECT_NE(refusal(of(type)).find("which tensors do not have here"), std::string::npos) << type;
}

TEST(Onnx, CastsChangeTypes) {
  const std::string half = Model::integer("to", 10);
  const Model gelu = Model().input("x", {4, 8}).node("Gelu", {"x"}, "h");
  // Nothing else reads h: it is written as f16, under the name of the model's result.
  const OnnxImport only = import(Model(gelu).node("Cast", {"h"}, "y", half).output("y"));
  EXPECT_EQ(scalarOf(only.program, "y"), "f16");
  EXPECT_TRUE(only.report.empty()) << text(only.report);
  // h is a result too: both leave as f32, and the report says so. What is computed from y is f16.
  const OnnxImport both =
      import(Model(gelu).node("Cast", {"h"}, "y", half).node("Gelu", {"y"}, "z").output("z").output("h"));
  EXPECT_EQ(scalarOf(both.program, "h"), "f32");
  EXPECT_EQ(scalarOf(both.program, "z"), "f16");
  EXPECT_NE(text(both.report).find("the cast from f32 to f16 is left to what reads it; 'h'"),
            std::string::npos);
  EXPECT_TRUE(
      import(Model(gelu).node("Cast", {"h"}, "y", Model::integer("to", 1)).output("y")).report.empty());
  // A reshape in between moves elements as they are stored.
  const TensorProgram moved = import(Model()
                                         .input("x", {4, 8})
                                         .node("Cast", {"x"}, "c", half)
                                         .integers("flat", {32})
                                         .node("Reshape", {"c", "flat"}, "r")
                                         .node("Gelu", {"r"}, "y")
                                         .output("y"))
                                  .program;
  EXPECT_EQ(scalarOf(moved, "r") + ", " + scalarOf(moved, "y"), "f32, f16");
}

TEST(Onnx, ANormalizationInF32OfF16) {
  Model rms = Model().input("x", {16, 64}, 10).scalar("two", 2).weight("g", {64}, 10);
  rms.node("Cast", {"x"}, "x32", Model::integer("to", 1)).node("Pow", {"x32", "two"}, "p");
  rms.node("ReduceMean", {"p"}, "v", Model::ints("axes", {-1})).node("Sqrt", {"v"}, "s");
  rms.node("Div", {"x32", "s"}, "n").node("Cast", {"n"}, "n16", Model::integer("to", 10));
  const TensorProgram norm = import(rms.node("Mul", {"n16", "g"}, "y").output("y")).program;
  EXPECT_EQ(kinds(norm), "rms norm");
  EXPECT_EQ(scalarOf(norm, "x") + ", " + scalarOf(norm, "y"), "f16, f16");
}

TEST(Onnx, TheDefaultDomainHasTwoNames) {
  const auto softmax = [](const std::string& domain, std::uint64_t version) {
    return refusedNode(Model().input("x", {2, 3, 4}).opset(domain, version), "Softmax", {"x"});
  };
  EXPECT_EQ(softmax("", 13), "accepted");
  EXPECT_EQ(softmax("ai.onnx", 13), "accepted");
  const auto rows = [](std::uint64_t version) {
    const Model model = Model().input("x", {2, 3, 4}).opset("ai.onnx", version);
    return kinds(import(Model(model).node("Softmax", {"x"}, "y").output("y")).program);
  };
  EXPECT_EQ(rows(13), "softmax");
  EXPECT_EQ(rows(11), "reshape, softmax, reshape");  // over all from dimension 1 on
}

TEST(Onnx, NamesCanBeAnything) {
  Model twins = Model().input("x", {4, 8}).weight("g", {8});
  twins.named("ln", "LayerNormalization", {"x", "g"}, {"a"})
      .named("ln", "LayerNormalization", {"a", "g"}, {"y"})
      .output("y");
  EXPECT_EQ(kinds(import(twins).program), "layer norm, layer norm");

  const Names hostile{"a\nb", "a b", "a\xff", "a\xfe", "\"", "\\", "a b 2", "}", "// no comment", "a\\nb"};
  Model model = Model().input("x", {8, 8}).weight("x as 4", {8, 8}).titled("two\nlines \"\xff");
  std::string from = "x";
  for (const std::string& name : hostile) {
    model.named("same", "Gelu", {from}, {name});
    from = name;
  }
  model.node("Odd", {from}, "end\r")
      .known("end\r", {8, 8})
      .node("MatMul", {"end\r", "x as 4"}, "y")
      .output("y");
  const OnnxImport odd = import(model);
  EXPECT_EQ(odd.program.operators.size(), hostile.size() + 1);
  std::set<std::string> names, operators;
  for (const TensorValue& tensor : odd.program.tensors) names.insert(tensor.name);
  for (const TensorOperator& op : odd.program.operators) operators.insert(op.name);
  EXPECT_EQ(names.size(), odd.program.tensors.size());
  EXPECT_EQ(operators.size(), odd.program.operators.size());
  EXPECT_EQ(text(odd.report).find('\r'), std::string::npos);

  // A weight that is stored as it is read, in two ways.
  Model square = Model().input("x", {8, 8}).weight("w", {8, 8}).weight("w as 8x8", {8, 8});
  square.node("MatMul", {"x", "w"}, "h").node("Add", {"h", "w"}, "i").node("MatMul", {"w", "i"}, "j");
  EXPECT_EQ(kinds(import(square.node("Mul", {"j", "w as 8x8"}, "y").output("y")).program),
            "linear, add, batched matmul, mul");
}

TEST(Onnx, ARefusalSaysWhatWasCutOut) {
  const std::string unknown =
      refusal(Model().input("x", {4}).node("Foo", {"x"}, "h").node("Gelu", {"h"}, "y"));
  EXPECT_LT(unknown.find("m.onnx: tensor 'h': its shape is not known"), unknown.find("it is cut out"))
      << unknown;
  EXPECT_NE(unknown.find("node 'h_node' (Foo): it is cut out"), std::string::npos) << unknown;
  EXPECT_NE(refusal(Model().input("x", {4}).node("Conv", {"x"}, "y")).find("(Conv): it is cut out"),
            std::string::npos);

  const auto reshape = [](const Shape& dims, const std::string& values) {
    return refusedNode(Model().input("x", {4, 8}).constant("to", dims, 7, values), "Reshape", {"x", "to"});
  };
  const std::string external = bytes(13, bytes(1, "location") + bytes(2, "weights.bin")) + number(14, 1);
  for (const std::string& values : {external, number(14, 1)})
    EXPECT_NE(reshape({1}, values).find("'to' holds: its values are in another file"), std::string::npos);
  for (const std::size_t size : {0, 16, 19, 32})
    EXPECT_NE(reshape({3}, bytes(9, std::string(size, '\1'))).find("its values are not all there"),
              std::string::npos);
  EXPECT_EQ(reshape({1}, number(14, 0, true) + bytes(9, std::string("\x20\0\0\0\0\0\0\0", 8))), "accepted");

  // Of weights only the shapes matter.
  Model large = Model().input("x", {4, 8}).constant("w", {8, 16}, 1, external);
  EXPECT_EQ(kinds(import(large.node("MatMul", {"x", "w"}, "y").output("y")).program), "linear");
}

TEST(Onnx, PlacesAreParts) {
  const Result<OnnxImport> blind = importOnnx(
      Model().input("x", {4}).node("Foo", {"x"}, "h").node("Gelu", {"h"}, "y").write(), "m.onnx", {});
  ASSERT_FALSE(blind);
  const Location file(Where::File, "m.onnx");
  EXPECT_EQ(blind.diagnostics()[0].code, "dynamic-extent");
  EXPECT_EQ(blind.diagnostics()[0].place, file / Location(Where::Tensor, "h"));
  EXPECT_EQ(blind.diagnostics()[1].code, "unsupported-operator");
  EXPECT_EQ(blind.diagnostics()[1].place, file / Location(Where::Node, "h_node", "Foo"));

  const Result<OnnxImport> early = importOnnx(
      Model().input("x", {4}).node("Gelu", {"h"}, "y").node("Gelu", {"x"}, "h").output("y").write(), "m.onnx",
      {});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.diagnostics()[0].place, file / Location(Where::Node, "y_node", "Gelu"));
  EXPECT_EQ(early.diagnostics()[0].related, std::vector{file / Location(Where::Node, "h_node", "Gelu")});
}

TEST(Onnx, WhatMeansSomethingElseIsNotTaken) {
  const Model x = Model().input("x", {4, 8}), square = Model().input("x", {8, 8});
  const auto cut = [](const std::string& answer) {
    return answer.find("it is cut out") != std::string::npos;
  };
  // Before opset 7 an axis says where the smaller operand stands.
  EXPECT_TRUE(cut(refusedNode(Model(square).input("b", {8}), "Add", {"x", "b"}, Model::integer("axis", 0))));
  // The result has the dimensions of the operand that has more of them.
  const TensorProgram row =
      import(Model().input("a", {8}).input("b", {1, 8}).node("Add", {"a", "b"}, "y").output("y")).program;
  EXPECT_EQ(row.tensors[row.results[0]].shape, (Shape{1, 8}));
  EXPECT_EQ(kinds(import(Model(x).weight("b", {1, 1, 8}).node("Mul", {"x", "b"}, "y").output("y")).program),
            "reshape, mul");
  // With allowzero a 0 is no copy.
  EXPECT_EQ(refusedNode(Model(x).integers("to", {0, 2, 4}), "Reshape", {"x", "to"}), "accepted");
  EXPECT_TRUE(cut(refusedNode(Model(x).integers("to", {0, 2, 4}), "Reshape", {"x", "to"},
                              Model::integer("allowzero", 1))));
  EXPECT_TRUE(cut(refusedNode(x, "Transpose", {"x"}, Model::ints("perm", {-3, 0}))));
  EXPECT_TRUE(cut(refusedNode(Model(x).weight("b", {8, 2}), "Gemm", {"", "b"})));
  // A second result that something reads.
  EXPECT_TRUE(cut(refusal(Model(x).named("d", "Dropout", {"x"}, {"y", "mask"}).output("y").output("mask"))));
  // A mean without its dimension belongs to other rows.
  Model mean = Model(square).scalar("two", 2).scalar("eps", 1e-6f);
  mean.node("ReduceMean", {"x"}, "m", Model::ints("axes", {-1}) + Model::integer("keepdims", 0))
      .node("Sub", {"x", "m"}, "c")
      .node("Pow", {"c", "two"}, "p")
      .node("ReduceMean", {"p"}, "v", Model::ints("axes", {-1}))
      .node("Sqrt", {"v"}, "s")
      .node("Div", {"c", "s"}, "y")
      .output("y");
  EXPECT_EQ(kinds(import(mean).program).find("layer norm"), std::string::npos);
  EXPECT_NE(refusal(Model(x).node("Gelu", {"h"}, "y").node("Gelu", {"x"}, "h").output("y"))
                .find("reads 'h' before the node that gives it"),
            std::string::npos);
  // A mask that is computed from shapes comes in, which the import tells.
  Model mask = Model(x).scalar("one", 1).node("Shape", {"x"}, "s").node("ConstantOfShape", {"s"}, "zeros");
  mask.node("Add", {"zeros", "one"}, "o").node("Trilu", {"o"}, "m");
  EXPECT_EQ(import(mask.node("Add", {"x", "m"}, "y").output("y")).derived, std::vector<std::string>{"m"});
}

/// A model from the command line: imported with a report of what was cut out, checked, compiled, computed.
TEST(Onnx, FromTheCommandLine) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "sluice_onnx_cli";
  fs::create_directories(folder);
  const std::string model_file = (folder / "model.onnx").string(), out = (folder / "model.sluice").string();
  Model model = feedForward({-1, 64});
  model.node("Gelu", {"h1"}, "a").node("Bernoulli", {"a"}, "odd").node("MatMul", {"odd", "w3"}, "y");
  model.weight("w3", {256, 64}).known("odd", {-1, 256}).output("y");
  std::ofstream(model_file, std::ios::binary) << model.write();

  const auto refused = runCommandLine("import " + model_file + " -o " + out + " --json");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.out.find("seq"), std::string::npos) << refused.out;
  EXPECT_NE(runCommandLine("import " + model_file + " -o " + out + " --dimension seq", true)
                .out.find("write for example --dimension seq=64"),
            std::string::npos);
  const auto imported = runCommandLine("import " + model_file + " -o " + out + " --dimension seq=16 --json");
  ASSERT_EQ(imported.status, 0) << imported.out;
  EXPECT_NE(imported.object()["diagnostics"].dump().find("Bernoulli"), std::string::npos) << imported.out;
  const auto compiled = runCommandLine("compile " + out + " --json");
  ASSERT_EQ(compiled.status, 0) << compiled.out;
  EXPECT_EQ(compiled.object()["kernels"].size(), 3u);  // norm, linear with GELU, linear
  EXPECT_EQ(compiled.object()["simulated"]["state"], "done");

  // The design as text names the types on its streams; a program in writing goes the same way.
  EXPECT_NE(runCommandLine("compile " + out + " --text").out.find("itensor<16x16x"), std::string::npos);
  const std::string text_file = (folder / "program.mlir").string();
  std::ofstream(text_file) << "// by hand\nprogram @p {\n  %x = input tensor<8x8xf32>\n"
                              "  %y = softmax(%x) tensor<8x8xf32>\n  return %y\n}\n";
  ASSERT_EQ(runCommandLine("import " + text_file + " -o " + out).status, 0);
  const auto run = runCommandLine("simulate " + out + " --compute float32 --json");
  ASSERT_EQ(run.status, 0) << run.out;
  const auto sum = run.object()["tensors"];
  EXPECT_NE(sum.dump().find("\"y\""), std::string::npos) << run.out;
  std::ofstream(text_file) << "program @p {\n  %x = input tensor<8x8xf33>\n}\n";
  EXPECT_NE(runCommandLine("import " + text_file + " -o " + out, true).out.find("line 2: 'f33'"),
            std::string::npos);
}

}  // namespace sluice::onnx_test
