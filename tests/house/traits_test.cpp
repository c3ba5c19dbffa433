// One file per operator holds what other code must know of it: nothing below asks an operator's name.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

const fs::path engine = fs::path(SLUICE_SOURCE_DIR) / "engine";

/// Lines that compare an operator's kind with a name: "FILE:LINE".
std::string comparisonsIn(const fs::path& folder) {
  static const std::regex named(R"re(\bkind\s*[!=]=\s*"|"\s*[!=]=\s*[\w.>-]*\bkind\b|findOperator\(")re");
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      if (std::regex_search(line, named))
        found += fs::relative(entry.path(), engine).string() + ":" + std::to_string(number) + "\n";
    }
  }
  return found;
}

/// Rewrites (schedule/) and importers (interchange/) name the operators that they put in.
TEST(Traits, NothingGoesByAnOperatorsName) {
  for (const char* folder : {"operators", "simulator", "explorer", "program", "figures"})
    EXPECT_EQ(comparisonsIn(engine / folder), "") << folder;
}

TEST(Traits, NamesAreFoundWhereTheyAre) {
  EXPECT_NE(comparisonsIn(engine / "schedule"), "");
}

}  // namespace
