// Values of a model's weights as the tensors of the imported program, and a model computed at the shell by
// its own names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/interchange/numpy.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/onnx_values.h"

namespace sluice::onnx_weights_test {

using namespace testing_support;
using namespace sluice::testing_support::onnx;
using testing::HasSubstr;
namespace fs = std::filesystem;

TEST(OnnxWeights, ComeInTheProgramsForms) {
  Model model = Model().input("x", {2, 3}).output("y");
  model.floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).floats("b", {1, 2}, {7, 8});
  model.node("MatMul", {"x", "w"}, "h").node("Add", {"h", "b"}, "a");
  model.floats("g", {2}, {9, 10}).node("LayerNormalization", {"a", "g"}, "y");
  const Result<Weights> weights = weightsOf(model);
  ASSERT_TRUE(weights) << text(weights.diagnostics());
  EXPECT_TRUE(weights->report.empty()) << text(weights->report);
  const TensorSet wanted{{"w transposed", {{2, 3}, {1, 3, 5, 2, 4, 6}}},
                         {"b as 2", {{2}, {7, 8}}},
                         {"g", {{2}, {9, 10}}},
                         {"y bias", {{2}, {0, 0}}}};
  EXPECT_EQ(weights->tensors, wanted);
}

/// Above what the import computes with: the values follow all the same.
TEST(OnnxWeights, FollowFromConstants) {
  Model model = Model().input("x", {40, 40}).output("y").integers("s", {40, 40}).integers("k", {1});
  model.scalar("lowest", -1e9f, {1}).node("ConstantOfShape", {"s"}, "zeros");
  model.node("Add", {"zeros", "lowest"}, "filled").node("Trilu", {"filled", "k"}, "mask");
  model.node("Add", {"x", "mask"}, "y");
  const Result<Weights> weights = weightsOf(model);
  ASSERT_TRUE(weights) << text(weights.diagnostics());
  ASSERT_TRUE(weights->tensors.contains("mask")) << text(weights->report);
  const FloatTensor& mask = weights->tensors.at("mask");
  for (std::size_t i = 0; i < 1600; ++i) ASSERT_EQ(mask.data[i], i % 40 > i / 40 ? -1e9f : 0.0f) << i;
}

/// TensorProto.external_data, as torch.onnx.export writes it for models that are not small.
Model external(const std::string& location, const std::string& offset = "8") {
  const auto entry = [](const std::string& key, const std::string& value) {
    return bytes(13, bytes(1, key) + bytes(2, value));
  };
  Model model = Model().input("x", {1, 2}).output("y");
  model.constant(
      "w", {2}, 1,
      entry("location", location) + entry("offset", offset) + entry("length", "8") + number(14, 1));
  return model.node("Mul", {"x", "w"}, "y");
}

/// By operators whose results no shape follows from, too: they are run as those of programs are.
TEST(OnnxWeights, FollowFromConstantsByEveryOperator) {
  Model model = Model().input("x", {2, 3}).floats("w", {2, 3}, numbers(6)).output("y");
  model.node("Softmax", {"w"}, "s").node("Softplus", {"s"}, "p").node("Mul", {"x", "p"}, "y");
  const FloatTensor x = tensorOf({2, 3}, 2), w = tensorOf({2, 3});
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(static_cast<double>(w.data[i / 3 * 3 + k]));
    const double share = std::exp(static_cast<double>(w.data[i])) / sum;
    wanted.push_back(static_cast<double>(x.data[i]) * std::log(1 + std::exp(share)));
  }
  expectNear(resultWithWeights(model, {{"x", x}}, true), {2, 3}, wanted);
}

TEST(OnnxWeights, LieInOtherFilesOfTheFolder) {
  const fs::path folder = fs::temp_directory_path() / "sluice_onnx_weights";
  fs::create_directories(folder / "inside");
  const float values[] = {1, 2, 3, 4};
  std::ofstream(folder / "inside" / "w.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(values), sizeof values);
  const Result<Weights> weights = weightsOf(external("w.bin"), folder / "inside");
  ASSERT_TRUE(weights) << text(weights.diagnostics());
  EXPECT_EQ(weights->tensors.at("w").data, (std::vector<float>{3, 4}));
  const auto refusalOf = [&](const Model& model, const fs::path& where) {
    const Result<Weights> refused = weightsOf(model, where);
    return refused ? "accepted" : text(refused.diagnostics());
  };
  EXPECT_THAT(refusalOf(external("w.bin", "12"), folder / "inside"), HasSubstr("ends before its values do"));
  EXPECT_THAT(refusalOf(external("w.bin"), folder), HasSubstr("which is not there"));
  fs::create_directories(folder / "other");
  EXPECT_THAT(refusalOf(external("../inside/w.bin"), folder / "other"),
              HasSubstr("not in the model's folder"));
  fs::remove(folder / "other" / "link.bin");
  fs::create_symlink(folder / "inside" / "w.bin", folder / "other" / "link.bin");
  EXPECT_THAT(refusalOf(external("link.bin"), folder / "other"), HasSubstr("not in the model's folder"));
}

TEST(OnnxWeights, AreTakenOneAfterTheOther) {
  Model model = Model().input("x", {1, 2}).output("y").floats("a", {2}, {1, 2}).floats("b", {2}, {3, 4});
  model.node("Mul", {"x", "a"}, "h").node("Add", {"h", "b"}, "y");
  const OnnxImport imported = import(model);
  std::vector<std::string> taken;
  const auto take = [&](const std::string& name, const FloatTensor&) -> Result<Done> {
    taken.push_back(name);
    return error("file-unwritable", "here", "the disk is full", "free some space");
  };
  const Result<OnnxWeights> report =
      onnxWeights(model.write(), ".", imported.program, imported.sources, {}, take);
  ASSERT_FALSE(report);
  EXPECT_THAT(text(report.diagnostics()), HasSubstr("the disk is full"));
  EXPECT_EQ(taken.size(), 1u);
}

TEST(OnnxWeights, AModelIsComputedByItsOwnNames) {
  const fs::path folder = fs::temp_directory_path() / "sluice_onnx_named";
  fs::create_directories(folder);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  const std::vector<float> weight = numbers(12, 4);
  Model model = Model().input("in/x", {2, 4}).output("out/y").floats("w", {4, 3}, weight);
  model.node("MatMul", {"in/x", "w"}, "h").node("Relu", {"h"}, "r").node("Identity", {"r"}, "out/y");
  std::ofstream(path("m.onnx"), std::ios::binary) << model.write();
  const FloatTensor x = tensorOf({2, 4}, 2);
  ASSERT_TRUE(saveTensors(path("x.npz"), {{"in/x", x}}));
  const auto imported = runCommandLine(
      "import " + path("m.onnx") + " -o " + path("m.sluice") + " --weights " + path("w.npz"), true);
  ASSERT_EQ(imported.status, 0) << imported.out;
  EXPECT_THAT(imported.out, HasSubstr("w.npz: 1 tensor"));
  const auto run =
      runCommandLine("simulate " + path("m.sluice") + " --compute float32 --tensors " + path("w.npz") +
                         " --tensors " + path("x.npz") + " --dump-npz " + path("y.npz"),
                     true);
  ASSERT_EQ(run.status, 0) << run.out;
  const Result<TensorSet> made = loadTensors(path("y.npz"));
  ASSERT_TRUE(made) << text(made.diagnostics());
  std::vector<double> wanted;
  for (std::size_t i = 0; i < 6; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k)
      sum += static_cast<double>(x.data[i / 3 * 4 + k]) * static_cast<double>(weight[k * 3 + i % 3]);
    wanted.push_back(std::max(0.0, sum));
  }
  ASSERT_TRUE(made->contains("out/y"));
  expectNear(made->at("out/y"), {2, 3}, wanted);
}

}  // namespace sluice::onnx_weights_test
