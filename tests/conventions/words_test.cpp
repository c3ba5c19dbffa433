// What users read is in plain words: labels and messages of the window and its widgets, messages of the
// command line, pages on diagnostics. Words that the project once had for itself do not come back.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/conventions/source_files.h"

namespace sluice::conventions {
namespace {

namespace fs = std::filesystem;

struct Word {
  const char* pattern;
  const char* instead;
};

const std::vector<Word>& privateWords() {
  static const std::vector<Word> words = {
      {"mends?|mended|mending", "fix"},
      {"circles?|circular waits?", "cycle"},
      {"room is missing|no room is", "too shallow"},
      {"seen to end", "checked by a run"},
      {"swallow(s|ed)?", "take"},
      {"tells? (you )?all about", "shows"},
      {"lock(s|ed|ing)? up", "deadlock"},
      {"whoever|how-?manieth", "what is meant"},
  };
  return words;
}

/// The texts of a line of code that are sentences or labels: in quotes, and more than a key of a file.
std::vector<std::string> textsOf(const std::string& line) {
  std::vector<std::string> texts;
  for (std::size_t at = line.find('"'); at != std::string::npos; at = line.find('"', at + 1)) {
    std::size_t end = at + 1;
    while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
    const std::string text = line.substr(at + 1, std::min(end, line.size()) - at - 1);
    if (text.find(' ') != std::string::npos) texts.push_back(text);
    at = std::min(end, line.size());
  }
  return texts;
}

std::vector<std::string> problemsOf(const std::string& text) {
  std::vector<std::string> problems;
  for (const Word& word : privateWords())
    if (std::regex_search(text, std::regex("\\b(" + std::string(word.pattern) + ")\\b", std::regex::icase)))
      problems.push_back("\"" + text + "\": say " + word.instead);
  return problems;
}

TEST(Words, LabelsAndMessagesArePlain) {
  for (const char* folder : {"app", "widgets"})
    for (const SourceFile& file : sourceFiles(folder))
      for (std::size_t line = 0; line < file.lines.size(); ++line)
        if (file.lines[line].find("#include") == std::string::npos)
          for (const std::string& text : textsOf(file.lines[line]))
            for (const std::string& problem : problemsOf(text))
              ADD_FAILURE() << file.path << ":" << line + 1 << ": " << problem;
}

TEST(Words, PagesOnDiagnosticsArePlain) {
  std::size_t pages = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(SLUICE_SOURCE_DIR) / "resources" / "diagnostics")) {
    std::ifstream page(entry.path());
    for (std::string line; std::getline(page, line);)
      for (const std::string& problem : problemsOf(line)) ADD_FAILURE() << entry.path() << ": " << problem;
    ++pages;
  }
  EXPECT_GT(pages, 50u);
}

TEST(Words, AreFoundInTextsAndNotInKeys) {
  EXPECT_EQ(textsOf(R"(json["circles"] = tr("in %1 \"other\" circles") + 'x';)"),
            std::vector<std::string>{R"(in %1 \"other\" circles)"});
  EXPECT_EQ(problemsOf("in 2 other circles").size(), 1u);
  EXPECT_TRUE(problemsOf("recommended, a wait cycle").empty());
}

}  // namespace
}  // namespace sluice::conventions
