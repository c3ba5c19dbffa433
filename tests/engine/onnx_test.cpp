// ONNX models as tensor programs. The models are written byte by byte, with the field numbers of the ONNX
// specification, as exporters write them: whole operators and taken apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/tensor/onnx.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/protobuf_bytes.h"

namespace {

using namespace sluice;
using namespace sluice::testing_support;
using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// A model in the making.
class Model {
 public:
  /// An extent below 0 is the symbolic dimension "seq".
  Model& input(const std::string& name, const Shape& shape) {
    return graph_ += bytes(11, declared(name, shape)), *this;
  }
  Model& known(const std::string& name, const Shape& shape) {
    return graph_ += bytes(13, declared(name, shape)), *this;
  }
  Model& output(const std::string& name) { return graph_ += bytes(12, bytes(1, name)), *this; }
  Model& weight(const std::string& name, const Shape& shape) {
    graph_ += bytes(5, packed(1, shape) + number(2, 1) + bytes(8, name) + bytes(9, std::string(64, 'w')));
    return *this;
  }
  Model& integers(const std::string& name, const Shape& values) {
    std::string raw(values.size() * 8, '\0');
    if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    graph_ += bytes(5, packed(1, Shape{static_cast<std::int64_t>(values.size())}) + number(2, 7) +
                           bytes(8, name) + bytes(9, raw));
    return *this;
  }
  Model& node(const std::string& op, const Names& in, const std::string& out,
              const std::string& attributes = {}) {
    std::string content;
    for (const std::string& name : in) content += bytes(1, name);
    graph_ += bytes(1, content + bytes(2, out) + bytes(3, out + "_node") + bytes(4, op) + attributes);
    return *this;
  }
  static std::string ints(const std::string& name, const Shape& values) {
    std::string list;  // not packed, as proto2 writes them
    for (const std::int64_t value : values) list += number(8, static_cast<std::uint64_t>(value), true);
    return bytes(5, bytes(1, name) + list);
  }
  static std::string integer(const std::string& name, std::int64_t value) {
    return bytes(5, bytes(1, name) + number(3, static_cast<std::uint64_t>(value), true));
  }
  std::string write() const {
    return number(1, 8) + bytes(2, "a test") + bytes(7, bytes(2, "block") + graph_) + bytes(8, number(2, 17));
  }

 private:
  static std::string declared(const std::string& name, const Shape& shape) {
    std::string dimensions;
    for (const std::int64_t extent : shape)
      dimensions += bytes(1, extent < 0 ? bytes(2, "seq") : number(1, static_cast<std::uint64_t>(extent)));
    return bytes(1, name) + bytes(2, bytes(1, number(1, 1) + bytes(2, dimensions)));
  }
  std::string graph_;
};

OnnxImport import(const Model& model, const OnnxOptions& options = {}) {
  Result<OnnxImport> import = importOnnx(model.write(), "m.onnx", options);
  if (!import) throw std::runtime_error(text(import.diagnostics()));
  EXPECT_FALSE(hasErrors(verify(import->program))) << text(verify(import->program));
  return *std::move(import);
}
std::string kinds(const TensorProgram& program) {
  std::string list;
  for (const TensorOperator& op : program.operators)
    list += (list.empty() ? "" : ", ") + std::string(text(op.kind));
  return list;
}
std::string refusal(const Model& model, const OnnxOptions& options = {}) {
  const Result<OnnxImport> import = importOnnx(model.write(), "m.onnx", options);
  return import ? "accepted" : text(import.diagnostics());
}

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
  erf.weight("root2", {}).weight("one", {}).weight("half", {1});
  erf.node("Div", {"h1", "root2"}, "d").node("Erf", {"d"}, "e").node("Add", {"e", "one"}, "p");
  erf.node("Mul", {"h1", "p"}, "q")
      .node("Mul", {"q", "half"}, "a")
      .node("MatMul", {"a", "w3"}, "y")
      .weight("w3", {256, 8})
      .output("y");
  EXPECT_EQ(kinds(import(erf).program), "layer norm, linear, add, gelu, linear");
  EXPECT_NE(text(import(erf).report).find("5 operators are taken together as Gelu"), std::string::npos);

  Model tanh = feedForward({16, 64});
  tanh.weight("c", {});
  tanh.node("Pow", {"h1", "c"}, "t1")
      .node("Mul", {"t1", "c"}, "t2")
      .node("Add", {"h1", "t2"}, "t3")
      .node("Mul", {"t3", "c"}, "t4");
  tanh.node("Tanh", {"t4"}, "t5")
      .node("Add", {"t5", "c"}, "t6")
      .node("Mul", {"h1", "c"}, "t7")
      .node("Mul", {"t7", "t6"}, "y")
      .output("y");
  EXPECT_EQ(kinds(import(tanh).program), "layer norm, linear, add, gelu");

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
  EXPECT_EQ(kinds(import(shared).program), "layer norm, linear, add, mul");
  EXPECT_NE(text(import(shared).report).find("(Sigmoid): it is cut out"), std::string::npos);
}

TEST(Onnx, NormalizationsThatWereTakenApart) {
  Model layer;
  layer.input("a", {16, 64})
      .input("b", {16, 64})
      .weight("two", {})
      .weight("eps", {})
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
  rms.input("x", {16, 64}).weight("two", {}).weight("eps", {}).weight("g", {64}).integers("last", {-1});
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
            "linear, reshape, transpose, linear, reshape, transpose, linear, reshape, transpose, batched "
            "matmul, mul, reshape, add, softmax, batched matmul");
  EXPECT_EQ(
      operationCount(block.program), 2 * 3 * 32 * 64 * 64 + 2 * 2 * 4 * 32 * 32 * 16 + 4 * 32 * 32 * 2 + [&] {
        for (const TensorOperator& op : block.program.operators)
          if (op.kind == TensorOperatorKind::Softmax) return operationCount(block.program, op);
        return std::int64_t{0};
      }());
  EXPECT_NE(text(block.report).find("taken as Mul by the inverse"), std::string::npos);
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
  EXPECT_NE(text(block.report).find("node 't_node' (TopK): it is cut out: there is no such operator here"),
            std::string::npos);
  const auto cut = std::ranges::find(block.program.tensors, "t", &TensorValue::name);
  ASSERT_NE(cut, block.program.tensors.end());
  EXPECT_EQ(cut->role, TensorRole::Input);

  Model blind = feedForward({16, 64});
  blind.node("TopK", {"h1"}, "t").weight("w3", {8, 4}).node("MatMul", {"t", "w3"}, "y").output("y");
  EXPECT_NE(refusal(blind).find("nobody gives the shape of 't'"), std::string::npos);
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
      EXPECT_FALSE(hasErrors(verify(read->program)));
    else
      EXPECT_FALSE(read.diagnostics().front().mend.empty());
  }
}

/// A model from the command line: imported with a report of what was cut out, checked, compiled, computed.
TEST(Onnx, FromTheCommandLine) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "sluice_onnx_cli";
  fs::create_directories(folder);
  const std::string model_file = (folder / "model.onnx").string(), out = (folder / "model.sluice").string();
  Model model = feedForward({-1, 64});
  model.node("Gelu", {"h1"}, "a").node("Sin", {"a"}, "odd").node("MatMul", {"odd", "w3"}, "y");
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
  EXPECT_NE(imported.object()["report"].dump().find("Sin"), std::string::npos) << imported.out;
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

}  // namespace
