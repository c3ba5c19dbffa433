// Documents live with the code that they specify: every document that a comment or another document names is
// there, and so is every section that it cites (as engine/operators/timing.md 3.2), and every relative link
// leads somewhere.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace sluice::documents_test {

namespace fs = std::filesystem;

struct Text {
  std::string path;  ///< from the project root
  std::vector<std::string> lines;
};

/// Something that a text says is there.
struct Mention {
  std::size_t line = 0;               ///< 1-based, where its paragraph begins
  std::string name;                   ///< as the text has it, "../x" with an ending
  std::vector<std::string> sections;  ///< "3", "4.2": of a range both ends
  bool link = false;                  ///< from the text's folder; else also from those around it
};

bool isDocument(const std::string& path) {
  return path.ends_with(".md");
}

/// What follows // outside of strings; of other files than C++ the whole line.
std::string saidIn(const Text& text, const std::string& line) {
  if (!text.path.ends_with(".h") && !text.path.ends_with(".cpp")) return line;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (in_string && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"' && (in_string || i == 0 || line[i - 1] != '\'')) {
      in_string = !in_string;
    } else if (!in_string && line.compare(i, 2, "//") == 0) {
      return line.substr(std::min(line.find_first_not_of("/<!", i), line.size()));
    }
  }
  return {};
}

/// Lines that belong together, joined by spaces, as a citation may go over two; each with its first line.
/// Not what a document has between fences.
std::vector<std::pair<std::size_t, std::string>> paragraphsOf(const Text& text) {
  std::vector<std::pair<std::size_t, std::string>> paragraphs;
  bool open = false, fenced = false;
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    const bool fence = isDocument(text.path) && text.lines[i].starts_with("```");
    if (fence) fenced = !fenced;
    std::string said = fence || fenced ? "" : saidIn(text, text.lines[i]);
    said.erase(0, std::min(said.find_first_not_of(" \t"), said.size()));
    if (said.empty()) {
      open = false;
      continue;
    }
    if (!open) paragraphs.emplace_back(i + 1, "");
    paragraphs.back().second += (open ? " " : "") + said;
    open = true;
  }
  return paragraphs;
}

/// "3, 4.2 and 5" behind a document's name.
std::vector<std::string> sectionsAt(const std::string& text, std::size_t from) {
  static const std::regex list(
      R"re(^ ((?:sections? )?\d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*)(?![\w%]))re");
  static const std::regex number(R"re(\d+(?:\.\d+)*)re");
  std::smatch match;
  const std::string rest = text.substr(from);
  std::vector<std::string> sections;
  if (!std::regex_search(rest, match, list)) return sections;
  const std::string numbers = match[1];
  for (std::sregex_iterator at(numbers.begin(), numbers.end(), number), end; at != end; ++at)
    sections.push_back(at->str());
  return sections;
}

/// The links of a paragraph, which is left without them.
std::vector<Mention> takeLinks(std::size_t line, std::string& paragraph) {
  static const std::regex link(R"re(\[[^\]]*\]\(([^)\s#]+)(#[^)\s]*)?\))re");
  static const std::regex scheme("^[a-z]+:");  // "https:", and those of the manual
  std::vector<Mention> links;
  std::string left;
  std::smatch match;
  while (std::regex_search(paragraph, match, link)) {
    const std::string target = match[1];
    const bool elsewhere = std::regex_search(target, scheme);
    const std::string rest = match.suffix();
    std::vector<std::string> sections;
    if (isDocument(target)) sections = sectionsAt(rest, 0);
    if (!elsewhere) links.push_back({line, target, std::move(sections), true});
    left += match.prefix();
    paragraph = rest;
  }
  paragraph = left + paragraph;
  return links;
}

std::vector<Mention> mentionsIn(const Text& text) {
  static const std::regex name(R"re([A-Za-z0-9_.][A-Za-z0-9_./-]*\.md\b)re");
  std::vector<Mention> mentions;
  for (auto& [line, paragraph] : paragraphsOf(text)) {
    if (isDocument(text.path)) {
      for (Mention& each : takeLinks(line, paragraph)) mentions.push_back(std::move(each));
    }
    for (std::sregex_iterator at(paragraph.begin(), paragraph.end(), name), end; at != end; ++at) {
      std::size_t behind = static_cast<std::size_t>(at->position() + at->length());
      if (behind < paragraph.size() && paragraph[behind] == '`') ++behind;
      mentions.push_back({line, at->str(), sectionsAt(paragraph, behind), false});
    }
  }
  return mentions;
}

/// The numbers that its headings begin with.
std::set<std::string> headingsOf(const Text& document) {
  static const std::regex heading(R"re(^#{2,6} (\d+(?:\.\d+)*)\.? )re");
  std::set<std::string> numbers;
  bool fenced = false;
  for (const std::string& line : document.lines) {
    if (line.starts_with("```")) fenced = !fenced;
    std::smatch match;
    if (!fenced && std::regex_search(line, match, heading)) numbers.insert(match[1]);
  }
  return numbers;
}

/// Reads a path from the project root; a folder, or what is no text, has no lines. Nothing: it is not there.
using Reader = std::function<std::optional<Text>(const std::string& path)>;

std::string normal(const fs::path& path) {
  return path.lexically_normal().generic_string();
}

/// Everything that is wrong with a text's mentions, as "file:line: what".
std::vector<std::string> problemsOf(const Text& text, const Reader& read) {
  std::vector<std::string> problems;
  for (const Mention& mention : mentionsIn(text)) {
    const std::string where = text.path + ":" + std::to_string(mention.line) + ": " + mention.name;
    fs::path folder = fs::path(text.path).parent_path();
    std::optional<Text> named = read(normal(folder / mention.name));
    while (!named && !mention.link && !folder.empty()) {
      folder = folder.parent_path();
      named = read(normal(folder / mention.name));
    }
    if (!named) {
      problems.push_back(where + " is not there");
      continue;
    }
    const std::set<std::string> headings = headingsOf(*named);
    for (const std::string& section : mention.sections)
      if (!headings.contains(section)) problems.push_back(where + " has no section " + section);
  }
  return problems;
}

std::optional<Text> readFromTree(const std::string& path) {
  const fs::path file = fs::path(SLUICE_SOURCE_DIR) / path;
  if (path.starts_with("..") || !fs::exists(file)) return std::nullopt;
  Text text{path, {}};
  if (!isDocument(path)) return text;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) text.lines.push_back(line);
  return text;
}

/// Sources and documents of the tree.
std::vector<Text> textsOfTheTree() {
  static const std::set<std::string> kinds{".h", ".cpp", ".md", ".py", ".cmake", ".proto"};
  const fs::path root(SLUICE_SOURCE_DIR);
  std::vector<Text> texts;
  const auto add = [&](const fs::path& path) {
    if (!kinds.contains(path.extension().string()) && path.filename() != "CMakeLists.txt") return;
    Text text{fs::relative(path, root).generic_string(), {}};
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) text.lines.push_back(line);
    texts.push_back(std::move(text));
  };
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_regular_file()) add(entry.path());
  for (const char* folder : {"app", "engine", "resources", "sample_workloads", "tests", "widgets"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file()) add(entry.path());
  std::sort(texts.begin(), texts.end(), [](const Text& a, const Text& b) { return a.path < b.path; });
  return texts;
}

TEST(Documents, WhatIsNamedOrCitedIsThere) {
  const std::vector<Text> texts = textsOfTheTree();
  ASSERT_GT(texts.size(), 1000u);
  std::vector<std::string> problems;
  for (const Text& text : texts)
    for (std::string& problem : problemsOf(text, readFromTree)) problems.push_back(std::move(problem));
  EXPECT_THAT(problems, testing::IsEmpty());
}

/// The tree is not empty of what is looked for, either.
TEST(Documents, SectionsAreCited) {
  std::size_t sections = 0, links = 0;
  for (const Text& text : textsOfTheTree()) {
    for (const Mention& mention : mentionsIn(text)) {
      sections += mention.sections.size();
      links += mention.link ? 1 : 0;
    }
  }
  EXPECT_GT(sections, 100u);
  EXPECT_GT(links, 50u);
}

/// A made-up tree: one document, and the texts that name it.
class MadeUp : public testing::Test {
 protected:
  static std::vector<std::string> problems(const std::string& path, const std::vector<std::string>& lines) {
    const Text timing{"room/timing.md",
                      {"# Timing", "## 3 Routing", "### 3.2 Partition", "```", "## 9 no heading", "```"}};
    return problemsOf({path, lines}, [&](const std::string& wanted) -> std::optional<Text> {
      if (wanted == "room/timing.md") return timing;
      if (wanted == "room") return Text{wanted, {}};
      return std::nullopt;
    });
  }
};

TEST_F(MadeUp, WhatIsThereIsNoProblem) {
  EXPECT_THAT(problems("hall/x.h", {"// As room/timing.md 3, 3.2 say,", "int x;  ///< (room/timing.md"}),
              testing::IsEmpty());
  EXPECT_THAT(problems("room/x.cpp", {"// Order: timing.md", "// 3.2. Else not.", "f(\"// none.md\");"}),
              testing::IsEmpty());
  EXPECT_THAT(
      problems("hall/README.md", {"See [the times](../room/timing.md) 3 to 3.2, [room](../room),",
                                  "[elsewhere](https://example.org/none.md) and `room/timing.md` 3."}),
      testing::IsEmpty());
}

TEST_F(MadeUp, MissingDocumentsAreFound) {
  EXPECT_THAT(problems("hall/x.h", {"", "int x;  // see timing.md 3"}),
              testing::ElementsAre("hall/x.h:2: timing.md is not there"));
  EXPECT_THAT(problems("hall/README.md", {"[the times](room/timing.md), [a picture](none.png)"}),
              testing::ElementsAre("hall/README.md:1: room/timing.md is not there",
                                   "hall/README.md:1: none.png is not there"));
}

TEST_F(MadeUp, MissingSectionsAreFound) {
  EXPECT_THAT(problems("room/x.cpp", {"// by timing.md 3, 9"}),
              testing::ElementsAre("room/x.cpp:1: timing.md has no section 9"));
  EXPECT_THAT(problems("room/x.cpp", {"// by timing.md 3.2", "// and 3.4, as ever"}),
              testing::ElementsAre("room/x.cpp:1: timing.md has no section 3.4"));
  EXPECT_THAT(problems("hall/README.md", {"[the times](../room/timing.md) 4.1"}),
              testing::ElementsAre("hall/README.md:1: ../room/timing.md has no section 4.1"));
}

}  // namespace sluice::documents_test
