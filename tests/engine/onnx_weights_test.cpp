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

/// Few integers, of which the import sees that they are constant, and not which.
TEST(OnnxWeights, FollowFromFewIntegers) {
  Model model = Model().input("x", {2, 4}).output("y").integers("p", {-3, 0, 5, 9});
  model.integers("zero", {0}).integers("most", {5});
  model.node("Squeeze", {"zero", "zero"}, "low").node("Squeeze", {"most", "zero"}, "high");
  model.node("Clip", {"p", "low", "high"}, "c").integers("two", {2, 4}).node("Expand", {"c", "two"}, "e");
  model.node("Cast", {"e"}, "f", Model::integer("to", 1)).node("Mul", {"x", "f"}, "y");
  const FloatTensor x = tensorOf({2, 4}, 2);
  std::vector<double> wanted;
  const double clipped[] = {0, 0, 5, 5};
  for (std::size_t i = 0; i < 8; ++i) wanted.push_back(static_cast<double>(x.data[i]) * clipped[i % 4]);
  expectNear(resultWithWeights(model, {{"x", x}}, true), {2, 4}, wanted);
}

/// A table in its own size, as exports of models that could take other images have it, and rows that are
/// repeated as one of several of a kind, as older exporters write repeat_interleave.
TEST(OnnxWeights, FollowThroughResizeAndOneHot) {
  Model model = Model().input("x", {1, 1, 2, 2}).floats("t", {1, 1, 2, 2}, numbers(4)).output("y");
  model.integers("sizes", {1, 1, 2, 2})
      .node("Resize", {"t", "", "", "sizes"}, "r", Model::word("mode", "cubic"));
  model.node("Mul", {"x", "r"}, "y");
  const Result<Weights> weights = weightsOf(model);
  ASSERT_TRUE(weights) << text(weights.diagnostics());
  ASSERT_TRUE(weights->tensors.contains("r")) << text(weights->report);
  EXPECT_EQ(weights->tensors.at("r").data, numbers(4));

  Model repeats = Model().input("x", {2, 3}).integers("i", {1, -1}).integers("d", {2}).integers("v", {1, 3});
  repeats.output("y").node("OneHot", {"i", "d", "v"}, "h").integers("flat", {-1}).integers("two", {2});
  repeats.node("Reshape", {"h", "flat"}, "all").integers("from", {2}).integers("to", {4});
  repeats.node("Slice", {"all", "from", "to"}, "times").node("Tile", {"x", "times"}, "y");
  const OnnxImport imported = import(repeats);  // [[1, 3], [1, 3]]: once and three times
  EXPECT_EQ(imported.program.tensors[imported.program.results[0]].shape, (Shape{2, 9}));
}

/// Positions of a model that has 8 of them, asked for by more tokens.
TEST(OnnxWeights, TablesThatAreTooShortAreNamed) {
  Model rows = Model().input("x", {-1, 2}).output("y").floats("positions", {8, 2}, numbers(16));
  rows.node("Shape", {"x"}, "shape").integers("at", {0}).node("Gather", {"shape", "at"}, "n");
  rows.node("Squeeze", {"n"}, "count").integers("zeros", {0}).node("Squeeze", {"zeros"}, "zero");
  rows.integers("ones", {1}).node("Squeeze", {"ones"}, "one");
  rows.node("Range", {"zero", "count", "one"}, "places").node("Gather", {"positions", "places"}, "p");
  rows.node("Add", {"x", "p"}, "y");
  Model part = Model().input("x", {-1, 2}).output("y").floats("positions", {8, 2}, numbers(16));
  part.node("Shape", {"x"}, "shape").integers("at", {0}).node("Gather", {"shape", "at"}, "n");
  part.integers("begin", {0}).integers("axis", {0});
  part.node("Slice", {"positions", "begin", "n", "axis"}, "p").node("Add", {"x", "p"}, "y");
  for (const Model& model : {rows, part}) {
    EXPECT_EQ(refusal(model, {{{"seq", 8}}}), "accepted");
    for (const std::int64_t tokens : {9, 16, 2000}) {
      const std::string why = refusal(model, {{{"seq", tokens}}});
      EXPECT_THAT(
          why, HasSubstr("tensor 'positions': it is too short: it has 8 places (8x2), and " +
                         std::to_string(tokens) + " are asked for where 'seq' is " + std::to_string(tokens)));
      EXPECT_THAT(why, HasSubstr("give 'seq' at most 8, as in --dimension seq=8"));
    }
  }
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
  ASSERT_TRUE(saveTensors(path("z.npz"), {{"in/X", x}}));
  const auto misspelt =
      runCommandLine("simulate " + path("m.sluice") + " --compute float32 --tensors " + path("z.npz"), true);
  EXPECT_EQ(misspelt.status, 1);
  EXPECT_THAT(misspelt.out, HasSubstr("tensor 'in/X': the program reads no tensor of that name"));
  EXPECT_THAT(misspelt.out, HasSubstr("did you mean 'in/x'"));
}

/// Ids that nobody gives are made up as places; those that name no row are refused by the model's own name.
TEST(OnnxWeights, IdsAreAskedForByTheirName) {
  const fs::path folder = fs::temp_directory_path() / "sluice_onnx_ids";
  fs::create_directories(folder);
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  Model model = Model().input("ids", {1, 3}, 7).floats("table", {100, 2}, numbers(200)).output("y");
  model.node("Gather", {"table", "ids"}, "r").node("Relu", {"r"}, "y");
  std::ofstream(path("m.onnx"), std::ios::binary) << model.write();
  ASSERT_EQ(runCommandLine("import " + path("m.onnx") + " -o " + path("m.sluice"), true).status, 0);
  const std::string compute = "simulate " + path("m.sluice") + " --compute float32";
  const auto made_up = runCommandLine(compute, true);
  EXPECT_EQ(made_up.status, 0) << made_up.out;
  EXPECT_THAT(made_up.out, HasSubstr("Made up: the numbers in 'ids'"));
  ASSERT_TRUE(saveTensors(path("x.npz"), {{"ids", {{1, 3}, {4, 100, 5}}}}));
  const auto beyond = runCommandLine(compute + " --tensors " + path("x.npz"), true);
  EXPECT_EQ(beyond.status, 1);
  EXPECT_THAT(beyond.out, HasSubstr("it looks up place 100 of 'table', which has 100 rows"));
  EXPECT_THAT(beyond.out, HasSubstr("give 'ids' whole numbers from 0 to 99, as with --tensors FILE.npz"));
}

/// Neither the program nor its weights are written where one of them cannot be.
TEST(OnnxWeightsCli, NothingIsHalfWritten) {
  const fs::path folder = fs::temp_directory_path() / "sluice_half_an_import";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string command =
      "import '" SLUICE_SOURCE_DIR "/tests/fuzz/corpus/onnx/feed_forward.onnx' --dimension seq=4 -o ";
  const auto in = [&](const char* name) { return (folder / name).string(); };
  const auto refused = [&](const std::string& program, const std::string& weights, int status) {
    const Outcome outcome = runCommandLine(command + program + " --weights " + weights, true);
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_TRUE(fs::is_empty(folder)) << outcome.out;
  };
  refused(in("none/x.sluice"), in("w.npz"), 1);
  refused(in("x.sluice"), in("none/w.npz"), 1);
  refused("/dev/full", in("w.npz"), 1);
  refused(in("x.sluice"), "/dev/full", 1);
  refused(in("x"), in("none/../x"), 2);
  EXPECT_EQ(runCommandLine(command + in("x.sluice") + " --weights " + in("w.npz")).status, 0);
  EXPECT_TRUE(fs::exists(in("x.sluice")) && fs::exists(in("w.npz")));
  fs::remove_all(folder);
}

}  // namespace sluice::onnx_weights_test
