// The registry of importers: each explains itself, a file goes to the one that it is for, and the README's
// table is the registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/explorer/evaluate.h"
#include "engine/importers/extents.h"
#include "engine/importers/registry.h"
#include "engine/schedule/compile_tensors.h"
#include "tests/engine/support/onnx_writer.h"

namespace sluice::importers_test {

std::string joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

TEST(Importers, ExplainThemselves) {
  std::set<std::string> names, suffixes, options;
  for (const Importer* importer : registeredImporters()) {
    SCOPED_TRACE(importer->name);
    EXPECT_TRUE(names.insert(importer->name).second);
    EXPECT_FALSE(importer->title.empty());
    EXPECT_NE(importer->read, nullptr);
    EXPECT_GT(importer->limit, 0u);
    EXPECT_TRUE(!importer->suffixes.empty() || importer->sniff);
    EXPECT_EQ(importer->sniff == nullptr, importer->content.empty());
    EXPECT_TRUE(importer->suffix == SuffixSays::Format || importer->sniff);
    EXPECT_TRUE(importer->sniff || !importer->unmistakable);
    for (const std::string& suffix : importer->suffixes)
      EXPECT_TRUE(suffixes.insert(suffix).second) << suffix;
    for (const ImportOption& option : importer->options) {
      EXPECT_TRUE(options.insert(option.name).second) << option.name;
      EXPECT_FALSE(option.help.empty()) << option.name;
    }
  }
  const std::vector<std::string> all = importSuffixes();
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()), suffixes);
}

TEST(Importers, AFileGoesToTheOneThatItIsFor) {
  struct Case {
    std::string file, bytes, importer;
    bool foreign;
  };
  const std::string program = "// by hand\nprogram @p {\n", json = " {\"depth\": 2}", graph = "\n\x03op1";
  const std::vector<Case> cases{
      {"a.onnx", program, "ONNX", true},
      {"a.ONNX", "", "ONNX", true},
      {"a.mlir", json, "tensor program", true},
      {"a.txt", program, "tensor program", true},
      {"a.dot", program, "tensor program", true},
      {"a.dot", "digraph {}", "DOT", true},
      {"a.gv", json, "DOT", true},
      {"a.xml", "<other/>", "SDF3", true},
      {"graph", "<?xml version='1.0'?>\n<sdf3 type='sdf'>", "SDF3", true},
      {"a.json", json, "STeP JSON", true},
      {"a.json", "", "STeP JSON", true},
      {"a.json", "{\"sluice\": 1}", "STeP JSON", false},
      {"a.pb", json, "STeP JSON", true},
      {"a.txt", json, "STeP JSON", false},
      {"a.pb", graph, "STeP protobuf", true},
      {"a.json", graph, "STeP protobuf", true},
      {"a", graph, "STeP protobuf", false},
      {"a.sluice", program, "tensor program", false},
  };
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "importers";
  std::filesystem::create_directories(folder);
  for (const Case& known : cases) {
    SCOPED_TRACE(known.file + ": " + known.bytes);
    EXPECT_EQ(importerOf(known.file, known.bytes).name, known.importer);
    ASSERT_TRUE(writeFileAtomically(folder / known.file, known.bytes));
    EXPECT_EQ(isForeign(folder / known.file), known.foreign);
  }
}

TEST(Importers, RefuseTheOptionsOfAnother) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_graph.dot";
  ASSERT_TRUE(writeFileAtomically(file, "digraph { a -> b }"));
  const Result<Imported> refused = importFile(file, {.sim_config = "sim.json"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().cause,
            "settings of STeP's simulator are for graphs in its protobuf form");
  EXPECT_EQ(refused.diagnostics().front().fix, "leave --sim-config out");
  const Result<Imported> both = importFile(file, {.fifo_depth = 4, .schema = "folder"});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.diagnostics().front().fix, "leave --fifo-depth and --schema out");
  EXPECT_FALSE(importFile(file, {.dimensions = {{"seq", 3}}}));
}

TEST(Importers, RefuseAnEmptyFile) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_empty.pb";
  ASSERT_TRUE(writeFileAtomically(file, ""));
  const Result<Imported> refused = importFile(file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().cause, "the file is empty");
}

TEST(Importers, NameADimensionThatAModelDoesNotHave) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_seq.onnx";
  using testing_support::onnx::Model;
  ASSERT_TRUE(writeFileAtomically(
      file, Model().input("x", {-1, 8}).node("Softmax", {"x"}, "y").known("y", {-1, 8}).output("y").write()));
  const Result<Imported> refused = importFile(file, {.dimensions = {{"sqe", 4}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diagnostics().front().cause, "the model has no symbolic dimension 'sqe'");
  EXPECT_THAT(refused.diagnostics().front().fix, testing::HasSubstr("'seq'"));
  EXPECT_TRUE(importFile(file, {.dimensions = {{"seq", 4}}}));
}

TEST(Importers, SeveralExtentsOfADimensionMakeAKnob) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_knob.onnx";
  using testing_support::onnx::Model;
  ASSERT_TRUE(writeFileAtomically(
      file, Model().input("x", {-1, 8}).node("Softmax", {"x"}, "y").known("y", {-1, 8}).output("y").write()));
  const Result<Imported> one = importFile(file, {.dimensions = {{"seq", 16}}});
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->document.constants.contains("seq"));
  const Result<Imported> many =
      importFile(file, {.dimensions = {{"seq", 16}}, .dimension_values = {{"seq", {16, 8, 32, 8}}}});
  ASSERT_TRUE(many);
  EXPECT_FALSE(many->document.constants.contains("seq"));
  const Knob& knob = many->document.knobs.front();
  EXPECT_EQ(knob.name, "seq");
  EXPECT_EQ(knob.list, (std::vector<std::int64_t>{8, 16, 32}));
  EXPECT_EQ(knob.initial, 16);
  // It runs at each, and takes longer for more.
  Cycles before = 0;
  for (const std::int64_t seq : knob.list) {
    KnobValues knobs = defaultKnobs(many->document);
    knobs["seq"] = seq;
    const auto run = evaluate(Workload{many->document, {}}, knobs, RecordMode::Count);
    ASSERT_TRUE(run) << seq;
    ASSERT_EQ(run->point.state, PointState::Done) << seq;
    EXPECT_GT(run->simulation.cycles, before);
    before = run->simulation.cycles;
  }
}

/// x times 0, 1 ... 7 divided by the extent, or by 16 where that is more: a table of one shape at all
/// extents.
std::string timesTable(bool from_16_on) {
  using testing_support::onnx::Model;
  Model model = Model().input("x", {-1, 8}).known("y", {-1, 8}).output("y").opset("", 17);
  model.floats("places", {8}, {0, 1, 2, 3, 4, 5, 6, 7}).integers("first", {0}).scalar("least", 16.0f, {1});
  model.node("Shape", {"x"}, "shape").node("Gather", {"shape", "first"}, "extent");
  model.node("Cast", {"extent"}, "number", Model::integer("to", 1));
  if (from_16_on) model.node("Max", {"number", "least"}, "divisor");
  model.node("Div", {"places", from_16_on ? "divisor" : "number"}, "table").node("Mul", {"x", "table"}, "y");
  return model.write();
}

TEST(Importers, ATableWithOtherValuesAtOtherExtentsMakesNoKnob) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_table.onnx";
  const auto knobs = [&](std::vector<std::int64_t> extents) -> std::string {
    const Result<Imported> made =
        importFile(file, {.dimensions = {{"seq", extents[0]}}, .dimension_values = {{"seq", extents}}});
    if (!made) return text(made.diagnostics());
    return made->document.knobs.front().name == "seq" ? "a knob" : text(made->report);
  };
  ASSERT_TRUE(writeFileAtomically(file, timesTable(false)));
  EXPECT_THAT(knobs({8, 16}), testing::HasSubstr("'seq' is no knob: the table 'table'"));
  // Up to 16 it is the same, so that it is only seen at what was asked for.
  ASSERT_TRUE(writeFileAtomically(file, timesTable(true)));
  EXPECT_EQ(knobs({8, 12, 16}), "a knob");
  EXPECT_THAT(knobs({8, 16, 32}), testing::HasSubstr("'seq' is no knob: the table 'table'"));
}

TEST(Importers, WeightsThatAreOfOneExtentAreTold) {
  using testing_support::onnx::Model;
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_places.onnx";
  Model model = Model().input("x", {-1, 8}).known("y", {-1, 8}).output("y").opset("", 17);
  model.integers("first", {0}).integers("one", {1}).integers("none", {});
  model.node("Shape", {"x"}, "shape").node("Gather", {"shape", "first"}, "extent");
  model.constant("zero", {}, 7, testing_support::bytes(9, std::string(8, '\0')));
  model.constant("step", {}, 7, testing_support::bytes(9, std::string("\1\0\0\0\0\0\0\0", 8)));
  model.node("Reshape", {"extent", "none"}, "end").node("Range", {"zero", "end", "step"}, "range");
  model.node("Cast", {"range"}, "places", Model::integer("to", 1));
  model.node("Unsqueeze", {"places", "one"}, "column").node("Add", {"x", "column"}, "y");
  ASSERT_TRUE(writeFileAtomically(file, model.write()));
  ImportOptions options{.dimensions = {{"seq", 8}}, .dimension_values = {{"seq", {8, 16}}}};
  const Result<Imported> without = importFile(file, options);
  ASSERT_TRUE(without) << text(without.diagnostics());
  EXPECT_EQ(without->document.knobs.front().name, "seq");
  EXPECT_THAT(text(without->report), testing::Not(testing::HasSubstr("at seq=8 only")));
  options.take_weight = [](const std::string&, FloatTensor) -> Result<Done> { return Done{}; };
  const Result<Imported> with = importFile(file, options);
  ASSERT_TRUE(with) << text(with.diagnostics());
  EXPECT_EQ(with->document.knobs.front().name, "seq");
  EXPECT_THAT(text(with->report), testing::HasSubstr("at seq=8 only"));
}

/// What is too large looks like operators that nobody knows; said is the extent, and what is allowed.
TEST(Importers, NameAnExtentThatIsTooLarge) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_large.onnx";
  using testing_support::onnx::Model;
  ASSERT_TRUE(writeFileAtomically(
      file, Model().input("x", {-1, 8}).node("Softmax", {"x"}, "y").known("y", {-1, 8}).output("y").write()));
  const Result<Imported> refused = importFile(file, {.dimensions = {{"seq", 100'000'000'000'000}}});
  ASSERT_FALSE(refused);
  const Diagnostic& told = refused.diagnostics().front();
  EXPECT_EQ(told.code, "out-of-range");
  EXPECT_THAT(text(told),
              testing::AllOf(testing::HasSubstr("--dimension seq=100000000000000"),
                             testing::HasSubstr("2^48 bits"), testing::HasSubstr("at most about")));
  // What it allows is allowed.
  const std::string allowed = told.fix.substr(told.fix.rfind('=') + 1);
  EXPECT_TRUE(importFile(file, {.dimensions = {{"seq", std::stoll(allowed)}}})) << allowed;
}

/// Tensors of 2^45 bits, which are allowed, are more tiles than a kernel may have.
TEST(Importers, NameAnExtentThatNothingSimulates) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "importers_tiles.onnx";
  using testing_support::onnx::Model;
  ASSERT_TRUE(writeFileAtomically(
      file, Model().input("x", {-1, 8}).node("Relu", {"x"}, "y").known("y", {-1, 8}).output("y").write()));
  const ImportOptions one{.dimensions = {{"seq", 100'000'000'000}}},
      knob{.dimensions = {{"seq", 8}}, .dimension_values = {{"seq", {8, 100'000'000'000}}}};
  for (const ImportOptions& options : {one, knob}) {
    const Result<Imported> refused = importFile(file, options);
    ASSERT_FALSE(refused);
    const Diagnostic& told = refused.diagnostics().front();
    EXPECT_EQ(told.code, "out-of-range");
    EXPECT_THAT(text(told),
                testing::AllOf(testing::HasSubstr("--dimension seq=100000000000"),
                               testing::HasSubstr("2^31 tiles"), testing::HasSubstr("at most about")));
  }
  // The largest that is allowed passes the checks of a run, too.
  const Result<Imported> large = importFile(file, {.dimensions = {{"seq", std::int64_t{1} << 34}}});
  ASSERT_TRUE(large) << text(large.diagnostics());
  EXPECT_TRUE(compiledPrograms(large->document, {}, defaultKnobs(large->document)));
  // Without a dimension to blame the operator is named.
  ASSERT_TRUE(writeFileAtomically(
      file, Model().input("x", {100'000'000'000, 8}).node("Relu", {"x"}, "y").output("y").write()));
  const Result<Imported> fixed = importFile(file);
  ASSERT_FALSE(fixed);
  EXPECT_EQ(fixed.diagnostics().front().code, "too-many");
  EXPECT_THAT(text(fixed.diagnostics().front().place), testing::HasSubstr("y_node"));
}

TEST(Importers, TakeExtentsAsTheyAreWritten) {
  const auto cause = [](const std::string& written) {
    const auto read = extentsFrom(written, "here");
    return read ? "" : read.diagnostics().front().cause;
  };
  EXPECT_EQ(*extentsFrom("64", "here"), (std::vector<std::int64_t>{64}));
  EXPECT_EQ(*extentsFrom("64, 8,64", "here"), (std::vector<std::int64_t>{64, 8, 64}));
  for (const char* wrong : {"", "1e11", "64,", "0", "-3", "6 4", "99999999999999999999"})
    EXPECT_THAT(cause(wrong), testing::HasSubstr("is no extent, a whole number from 1 on")) << wrong;
  ImportOptions options;
  EXPECT_FALSE(takeExtents(options, "seq", {}, "here"));
  EXPECT_FALSE(takeExtents(options, "seq", {4, 0}, "here"));
  ASSERT_TRUE(takeExtents(options, "seq", {4, 8}, "here"));
  EXPECT_EQ(options.dimensions.at("seq"), 4);
  EXPECT_EQ(options.dimension_values.at("seq").size(), 2u);
}

TEST(Importers, ReadmeListsExactlyTheRegistry) {
  std::ifstream readme(SLUICE_SOURCE_DIR "/engine/importers/README.md");
  std::vector<std::string> listed, registered;
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("| ") && !line.starts_with("| ---")) listed.push_back(line);
  registered.push_back("| importer | suffixes | content | options |");
  for (const Importer* importer : registeredImporters()) {
    std::vector<std::string> options;
    for (const ImportOption& option : importer->options) options.push_back(option.name);
    std::string row = "| " + importer->name + " |";
    for (const std::string& cell : {joined(importer->suffixes), importer->content, joined(options)})
      row += (cell.empty() ? "" : " " + cell) + " |";
    registered.push_back(row);
  }
  EXPECT_EQ(listed, registered);
}

}  // namespace sluice::importers_test
