// One file per operator, and one per metric, holds what other code must know of it: nothing below asks for a
// name.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "engine/explorer/metrics/registry.h"

namespace {

namespace fs = std::filesystem;

const fs::path root = SLUICE_SOURCE_DIR, engine = root / "engine";

/// Compares an operator's kind with a name.
const std::regex operator_named(R"re(\bkind\s*[!=]=\s*"|"\s*[!=]=\s*[\w.>-]*\bkind\b|findOperator\(")re");

/// Compares anything with a metric's name, or looks it up.
std::regex metricNamed() {
  std::string names;
  for (const std::string& name : sluice::metricNames()) names += (names.empty() ? "" : "|") + name;
  const std::string text = "\"(?:" + names + ")\"";
  return std::regex("[!=]=\\s*(?:Q\\w+\\()?" + text + "|" + text + "\\)?\\s*[!=]=|[mM]etric\\(" + text);
}

/// "FILE:LINE" of what is there.
std::string comparisonsIn(const fs::path& folder, const std::regex& named = operator_named) {
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (line.find('"') != std::string::npos && std::regex_search(line, named))
        found += fs::relative(entry.path(), root).string() + ":" + std::to_string(number) + "\n";
    }
  }
  return found;
}

/// Rewrites (schedule/) and importers (interchange/) name the operators that they put in.
TEST(Traits, NothingGoesByAnOperatorsName) {
  for (const char* folder : {"operators", "simulator", "explorer", "program", "figures"})
    EXPECT_EQ(comparisonsIn(engine / folder), "") << folder;
}

TEST(Traits, NothingGoesByAMetricsName) {
  for (const char* folder : {"engine", "widgets", "app"})
    EXPECT_EQ(comparisonsIn(root / folder, metricNamed()), "") << folder;
}

TEST(Traits, NamesAreFoundWhereTheyAre) {
  EXPECT_NE(comparisonsIn(engine / "schedule"), "");
  EXPECT_NE(comparisonsIn(root / "tests", metricNamed()), "");
}

}  // namespace
