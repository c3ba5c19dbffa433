// The conventions that a compiler does not check: which files may include which, how long files and functions
// are, what sluice-cli is linked with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "tests/conventions/source_files.h"

namespace sluice::layering_test {

using sluice::conventions::SourceFile;
using sluice::conventions::sourceFiles;

/// Every violation as "file: what", so that a failing test lists them all.
using Violations = std::vector<std::string>;

std::vector<std::string> includesOf(const SourceFile& file) {
  static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  std::vector<std::string> includes;
  for (const std::string& line : file.lines) {
    std::smatch match;
    if (std::regex_search(line, match, pattern)) includes.push_back(match[1]);
  }
  return includes;
}

Violations includesLike(const std::string& folder, const std::regex& forbidden,
                        const std::regex& except = std::regex("^$")) {
  Violations violations;
  for (const SourceFile& file : sourceFiles(folder)) {
    if (std::regex_search(file.path, except)) continue;
    for (const std::string& include : includesOf(file)) {
      if (std::regex_search(include, forbidden)) violations.push_back(file.path + ": " + include);
    }
  }
  return violations;
}

TEST(House, TopLevelHoldsWhatWasAgreed) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(SLUICE_SOURCE_DIR)) {
    const std::string name = entry.path().filename().string();
    if (name[0] != '.' && name != "build" && name != "out") found.push_back(name);  // what git ignores
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre("CHANGELOG.md", "CITATION.cff", "CMakeLists.txt",
                                                   "CMakePresets.json", "CONTRIBUTING.md", "LICENSE",
                                                   "README.md", "app", "dev", "engine", "resources",
                                                   "sample_workloads", "tests", "widgets"));
}

TEST(House, EngineKnowsNoQt) {
  EXPECT_THAT(includesLike("engine", std::regex("^(Q[A-Z]|Qt|qcustomplot)")), testing::IsEmpty());
}

TEST(House, WidgetsKnowNoTbbAndNoFileFormats) {
  EXPECT_THAT(
      includesLike("widgets",
                   std::regex("^(tbb|oneapi|nlohmann|ginac|cln|zip\\.h|graphviz|QJson|engine/interchange)")),
      testing::IsEmpty());
}

TEST(House, HeavyLibrariesStayInTheirModules) {
  EXPECT_THAT(includesLike("engine", std::regex("^ginac"), std::regex("^engine/symbolic/")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^(tbb|oneapi)"), std::regex("^engine/core/executor")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^Eigen"),
                           std::regex("^engine/(operators/tile_arithmetic|explorer/search/"
                                      "gaussian_process|measurements/least_squares)\\.cpp")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^(coin/)?(Clp|Coin|Osi|Cbc)"),
                           std::regex("^engine/tensor/sizing/linear_programs.cpp")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^sqlite3"), std::regex("^engine/explorer/store/")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^xxhash"), std::regex("^engine/core/content_hash")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^(pagmo|boost)"),
                           std::regex("^engine/explorer/search/pagmo_search.cpp")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("app", std::regex("^CLI/"), std::regex("^app/cli/command_line.cpp")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("app", std::regex("^mpi"), std::regex("^app/cli/cluster.cpp")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^mpi")), testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^expat"), std::regex("^engine/csdf/xml.cpp")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^zip\\.h"), std::regex("^engine/interchange/")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("widgets", std::regex("^qcustomplot\\.h"), std::regex("^widgets/plots/")),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("app", std::regex("^(qcustomplot\\.h|tbb|ginac)")), testing::IsEmpty());
}

/// The folder below `folder` that a path leads through; none for a file directly in it.
std::string moduleIn(const std::string& folder, const std::string& path) {
  if (!path.starts_with(folder + "/")) return {};
  const std::size_t begin = folder.size() + 1, end = path.find('/', begin);
  return end == std::string::npos ? std::string() : path.substr(begin, end - begin);
}

/// Includes of a module on the same layer or above. A module on no layer is one, too.
Violations includesUpwards(const std::string& folder, const std::map<std::string, int>& layers) {
  Violations violations;
  for (const SourceFile& file : sourceFiles(folder)) {
    const std::string own = moduleIn(folder, file.path);
    if (own.empty()) continue;
    if (!layers.contains(own)) violations.push_back(file.path + " is on no layer");
    for (const std::string& include : includesOf(file)) {
      const std::string other = moduleIn(folder, include);
      if (other.empty() || other == own || !layers.contains(own)) continue;
      if (!layers.contains(other) || layers.at(other) >= layers.at(own))
        violations.push_back(file.path + ": " + include);
    }
  }
  return violations;
}

/// See engine/README.md.
TEST(House, EngineIncludesOnlyDownwards) {
  EXPECT_THAT(includesUpwards(
                  "engine", {{"core", 0},          {"csdf", 1},      {"itensor", 1},      {"symbolic", 1},
                             {"program", 2},       {"workloads", 3}, {"simulator", 3},    {"interchange", 4},
                             {"operators", 4},     {"tensor", 5},    {"energy", 5},       {"traces", 5},
                             {"rtl", 5},           {"schedule", 6},  {"explorer", 7},     {"importers", 7},
                             {"emitters", 8},      {"fifo", 8},      {"measurements", 8}, {"designer", 9},
                             {"distributions", 8}, {"figures", 10},  {"plugins", 10}}),
              testing::IsEmpty());
  EXPECT_THAT(includesLike("engine", std::regex("^(widgets|app)/")), testing::IsEmpty());
}

/// Declarations stand in the namespace of their module, sluice::tensor; it is inline, so that sluice:: is
/// enough. core/ is for all.
TEST(House, ModulesHaveNamespaces) {
  Violations violations;
  for (const SourceFile& file : sourceFiles("engine")) {
    const std::string module = moduleIn("engine", file.path);
    if (module.empty() || module == "core") continue;
    const std::string own = "namespace sluice::inline " + module;
    for (const std::string& line : file.lines)
      if (line == "namespace sluice {") violations.push_back(file.path + " is not in its module's namespace");
    const bool declares = std::ranges::any_of(
        file.lines, [](const std::string& line) { return line.starts_with("namespace sluice"); });
    const bool in_own = std::ranges::any_of(file.lines, [&](const std::string& line) {
      return line == own + " {" || line.starts_with(own + "::");
    });
    if (declares && !in_own) violations.push_back(file.path + " declares in another module's namespace");
  }
  EXPECT_THAT(violations, testing::IsEmpty());
}

/// See engine/tensor/README.md.
TEST(House, TheTensorCompilerIncludesOnlyDownwards) {
  EXPECT_THAT(includesUpwards("engine/tensor", {{"loop_nests", 1},
                                                {"programs", 1},
                                                {"onnx", 2},
                                                {"fusion", 2},
                                                {"dataflow", 3},
                                                {"sizing", 4},
                                                {"lowering", 5},
                                                {"placement", 6},
                                                {"hls", 7}}),
              testing::IsEmpty());
}

TEST(House, WidgetsDoNotIncludeTheWindow) {
  EXPECT_THAT(includesLike("widgets", std::regex("^app/window")), testing::IsEmpty());
}

TEST(House, CommandLineIncludesTheEngineOnly) {
  EXPECT_THAT(includesLike("app/cli", std::regex("^(widgets/|app/window|Q[A-Z])")), testing::IsEmpty());
}

TEST(House, FilesStayBelow600Lines) {
  Violations violations;
  for (const char* folder : {"engine", "widgets", "app", "tests"}) {
    for (const SourceFile& file : sourceFiles(folder)) {
      if (file.lines.size() >= 600)
        violations.push_back(file.path + ": " + std::to_string(file.lines.size()) + " lines");
    }
  }
  EXPECT_THAT(violations, testing::IsEmpty());
}

TEST(House, FunctionsStayBelow60Lines) {
  Violations violations;
  for (const char* folder : {"engine", "widgets", "app"}) {
    for (const SourceFile& file : sourceFiles(folder)) {
      for (const auto& function : sluice::conventions::functionsOf(file)) {
        if (function.lines >= 60) {
          violations.push_back(file.path + ":" + std::to_string(function.first_line) + ": " +
                               std::to_string(function.lines) + " lines");
        }
      }
    }
  }
  EXPECT_THAT(violations, testing::IsEmpty());
}

/// The measuring tool itself must be able to find something.
TEST(House, FunctionLengthsAreMeasured) {
  const SourceFile file{"x.cpp",
                        {"namespace a {", "struct S {", "  int f() {", "    return 1;", "  }", "};",
                         "int g(int x)", "{", "  if (x) {", "    auto h = [] {", "      return 2;", "    };",
                         "  }", "  return 3;", "}", "const int table[] = {", "  1,", "};", "}"}};
  const auto functions = sluice::conventions::functionsOf(file);
  ASSERT_EQ(functions.size(), 2u);
  EXPECT_EQ(functions[0].first_line, 3u);
  EXPECT_EQ(functions[0].lines, 3u);
  EXPECT_EQ(functions[1].first_line, 8u);
  EXPECT_EQ(functions[1].lines, 8u);
}

/// libstdc++ matches recursively: a name of 100,000 characters overflows the stack.
TEST(House, NobodyMatchesWithStdRegex) {
  for (const char* folder : {"engine", "widgets", "app"})
    EXPECT_THAT(includesLike(folder, std::regex("^regex$")), testing::IsEmpty());
}

TEST(House, CommandLineIsLinkedWithoutQt) {
  const std::string command = "ldd '" SLUICE_BINARY_DIR "/bin/sluice-cli' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output(65536, '\0');
  output.resize(std::fread(output.data(), 1, output.size(), pipe));
  pclose(pipe);
  EXPECT_THAT(output, testing::HasSubstr("libstdc++")) << "ldd did not work";
  EXPECT_THAT(output, testing::Not(testing::HasSubstr("libQt")));
  EXPECT_THAT(output, testing::Not(testing::HasSubstr("QCustomPlot")));
}

}  // namespace sluice::layering_test
