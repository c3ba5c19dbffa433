// One file per operator, and one per metric, holds what other code must know of it: nothing below asks for a
// name.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "engine/explorer/metrics/registry.h"

namespace sluice::traits_test {

namespace fs = std::filesystem;

const fs::path sources = SLUICE_SOURCE_DIR;

/// Whether a line compares an operator's kind with names.
bool comparesKind(const std::string& line) {
  static const std::regex named(R"re(\bkind\s*[!=]=\s*"|"\s*[!=]=\s*[\w.>-]*\bkind\b|findOperator\("|)re"
                                R"re(\bkind\.(starts|ends)_with\(|\bcontains\([\w.>-]*\bkind\))re");
  const bool candidate = line.find("kind") != line.npos || line.find("findOperator") != line.npos;
  return candidate && std::regex_search(line, named);
}

/// Whether a line compares anything with a metric's name, or looks it up.
bool namesMetric(const std::string& line) {
  static const std::regex named = [] {
    std::string names;
    for (const std::string& name : sluice::metricNames()) names += (names.empty() ? "" : "|") + name;
    const std::string text = "\"(?:" + names + ")\"";
    return std::regex("[!=]=\\s*(?:Q\\w+\\()?" + text + "|" + text + "\\)?\\s*[!=]=|[mM]etric\\(" + text);
  }();
  return line.find('"') != line.npos && std::regex_search(line, named);
}

/// "FILE:LINE" of each line of which `is` holds.
std::string linesIn(const fs::path& folder, bool (*is)(const std::string&)) {
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (is(line))
        found += fs::relative(entry.path(), sources).string() + ":" + std::to_string(number) + "\n";
    }
  }
  return found;
}

/// Steps of the schedule and importers name the operators that they put in; that is no comparison.
TEST(Traits, NothingGoesByAnOperatorsName) {
  for (const char* folder : {"engine/operators", "engine/simulator", "engine/explorer", "engine/program",
                             "engine/figures", "engine/schedule", "engine/interchange", "engine/importers",
                             "engine/workloads", "app/window", "widgets"})
    EXPECT_EQ(linesIn(sources / folder, comparesKind), "") << folder;
}

TEST(Traits, NothingGoesByAMetricsName) {
  // figures/ reads tables of the papers whose rows name the metric.
  for (const char* folder :
       {"engine/operators", "engine/simulator", "engine/explorer", "engine/fifo", "engine/program",
        "engine/schedule", "engine/tensor", "engine/workloads", "widgets", "app"})
    EXPECT_EQ(linesIn(sources / folder, namesMetric), "") << folder;
}

TEST(Traits, ComparisonsAreSeen) {
  for (const char* line :
       {R"(if (node.kind == "Map") return;)", R"(return "Flatten" != node->kind;)", R"(findOperator("Map"))",
        "return kinds.contains(node.kind);", R"(return node.kind.ends_with("Load");)"})
    EXPECT_TRUE(comparesKind(line)) << line;
  for (const char* line :
       {R"(node.kind = "BinaryMapAccum";)", "catalog.find(node.kind)", "if (axis.kind == KnobKind::Choice)"})
    EXPECT_FALSE(comparesKind(line)) << line;
  EXPECT_TRUE(namesMetric(R"(if (name == "cycles") return;)"));
  EXPECT_TRUE(namesMetric(R"(metric("flops"))"));
  EXPECT_FALSE(namesMetric(R"(record.objectives = {"cycles"};)"));
}

}  // namespace sluice::traits_test
