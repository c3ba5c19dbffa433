// Diagnostics have codes: they are made by error(), warning() and note(), every code has a page, every page
// is of a code that is in use.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/embedded_files.h"
#include "tests/conventions/source_files.h"

namespace sluice::diagnostics_test {

using sluice::conventions::SourceFile;
using sluice::conventions::sourceFiles;

bool isWordLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Without comments and what the preprocessor reads; on one line.
std::string codeOf(const SourceFile& file) {
  std::string code;
  for (const std::string& line : file.lines) {
    if (line.starts_with("#")) continue;
    bool quoted = false;
    std::size_t end = 0;
    for (; end < line.size(); ++end) {
      if (quoted && line[end] == '\\')
        ++end;
      else if (line[end] == '"')
        quoted = !quoted;
      else if (!quoted && line.compare(end, 2, "//") == 0)
        break;
    }
    code += line.substr(0, end) + " ";
  }
  return code;
}

struct Source {
  std::string path, code;
  std::vector<std::string> includes;  ///< of ours
};

Source sourceOf(const SourceFile& file) {
  Source source{file.path, codeOf(file), {}};
  constexpr std::string_view including = "#include \"";
  for (const std::string& line : file.lines)
    if (line.starts_with(including))
      source.includes.push_back(line.substr(including.size(), line.rfind('"') - including.size()));
  return source;
}

std::vector<Source> theSources() {
  std::vector<Source> all;
  for (const char* folder : {"engine", "widgets", "app"})
    for (const SourceFile& file : sourceFiles(folder)) all.push_back(sourceOf(file));
  return all;
}

/// The word that ends before `end`.
std::string wordBefore(const std::string& code, std::size_t end) {
  while (end > 0 && code[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && isWordLetter(code[begin - 1])) --begin;
  return code.substr(begin, end - begin);
}

/// Functions, lambdas and structs that take a code, and the position of that argument.
struct Takers {
  std::map<std::string, std::set<std::size_t>> positions;

  void addFrom(const std::string& code) {
    for (std::size_t at = 0; (at = code.find("Code ", at)) != std::string::npos; ++at) {
      if (at > 0 && isWordLetter(code[at - 1])) continue;
      std::size_t end = at + 5;
      while (end < code.size() && isWordLetter(code[end])) ++end;
      if (end == at + 5 || end == code.size()) continue;
      if (code[end] == ',' || code[end] == ')') add(code, at, '(', ',');
      if (code[end] == ';') add(code, at, '{', ';');
    }
  }

 private:
  void add(const std::string& code, std::size_t at, char opening, char separator) {
    std::size_t before = 0;
    for (int depth = 0; at-- > 0;) {
      const char c = code[at];
      if (depth == 0 && c == opening) break;
      if (depth == 0 && c == separator) ++before;
      if (c == ')' || c == '>' || c == ']' || c == '}') ++depth;
      if (c == '(' || c == '<' || c == '[' || c == '{') --depth;
      if (depth < 0) return;
    }
    if (at == std::string::npos) return;
    std::size_t end = at;
    if (end > 0 && code[end - 1] == ']') {  // const auto name = [&](
      end = code.rfind('[', end);
      const std::size_t assigned = code.find_last_not_of(' ', end - 1);
      if (assigned == std::string::npos || code[assigned] != '=') return;
      end = assigned;
    }
    const std::string name = wordBefore(code, end);
    if (!name.empty()) positions[name].insert(before);
  }
};

/// From behind the opening bracket at `at` to the closing one, at top-level commas.
std::vector<std::string> argumentsAt(const std::string& code, std::size_t at) {
  std::vector<std::string> arguments(1);
  bool quoted = false;
  for (int depth = 1; at < code.size(); ++at) {
    const char c = code[at];
    if (quoted && c == '\\') {
      arguments.back() += code.substr(at++, 2);
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '(' || c == '{' || c == '[')) ++depth;
    if (!quoted && (c == ')' || c == '}' || c == ']') && --depth == 0) break;
    if (!quoted && c == ',' && depth == 1)
      arguments.emplace_back();
    else
      arguments.back() += c;
  }
  return arguments;
}

/// What a source and the headers that it includes, and those that they do, declare.
class Declarations {
 public:
  explicit Declarations(const std::vector<Source>& sources) {
    for (const Source& source : sources) sources_[source.path] = &source;
  }

  Takers of(const Source& source) {
    Takers takers;
    takers.positions["Code"] = {0};
    std::set<std::string> seen;
    collect(source, takers, seen);
    return takers;
  }

 private:
  void collect(const Source& source, Takers& takers, std::set<std::string>& seen) {
    if (!seen.insert(source.path).second) return;
    if (!own_.contains(source.path)) own_[source.path].addFrom(source.code);
    for (const auto& [name, positions] : own_[source.path].positions)
      takers.positions[name].insert(positions.begin(), positions.end());
    for (const std::string& include : source.includes)
      if (const auto header = sources_.find(include); header != sources_.end())
        collect(*header->second, takers, seen);
  }

  std::map<std::string, const Source*> sources_;
  std::map<std::string, Takers> own_;
};

void addCodes(const std::string& code, const Takers& takers, std::set<std::string>& found) {
  static const std::regex literal(R"re("([a-z0-9]+(?:-[a-z0-9]+)*)")re");
  for (std::size_t at = 1; at + 1 < code.size(); ++at) {
    if ((code[at] != '(' && code[at] != '{') || !isWordLetter(code[at - 1])) continue;
    const auto taker = takers.positions.find(wordBefore(code, at));
    if (taker == takers.positions.end()) continue;
    const std::vector<std::string> arguments = argumentsAt(code, at + 1);
    for (const std::size_t position : taker->second) {
      if (position >= arguments.size() || arguments[position].find('+') != std::string::npos) continue;
      const std::string& argument = arguments[position];
      for (std::sregex_iterator each(argument.begin(), argument.end(), literal), end; each != end; ++each)
        found.insert((*each)[1]);
    }
  }
}

/// Every literal that is handed on as a code.
std::set<std::string> codesIn(const std::vector<Source>& sources) {
  Declarations declarations(sources);
  std::set<std::string> found;
  for (const Source& source : sources) addCodes(source.code, declarations.of(source), found);
  return found;
}

TEST(Diagnostics, EveryCodeHasAPage) {
  std::set<std::string> pages;
  for (const sluice::EmbeddedFile& file : sluice::diagnosticFiles()) pages.insert(std::string(file.name));
  const std::set<std::string> codes = codesIn(theSources());
  EXPECT_GT(codes.size(), 20u);
  for (const std::string& code : codes)
    EXPECT_TRUE(pages.contains(code)) << "resources/diagnostics/" << code << ".md is missing";
}

TEST(Diagnostics, EveryPageIsOfACodeInUse) {
  const std::vector<Source> sources = theSources();
  for (const sluice::EmbeddedFile& file : sluice::diagnosticFiles()) {
    const std::string literal = "\"" + std::string(file.name) + "\"";
    EXPECT_TRUE(std::ranges::any_of(
        sources, [&](const Source& source) { return source.code.find(literal) != std::string::npos; }))
        << file.name << " is nobody's code";
  }
}

/// The measuring tool itself must find something.
TEST(Diagnostics, CodesAreFoundWhereverTheyAreTaken) {
  EXPECT_THAT(codesIn({{"x.cpp",
                        R"(Diagnostic error(Code code, Location place);
                          return error("one-code", "there", "not-this", "fix");
                          const auto problem = [&](int port, Code code, std::string cause) { return 1; };
                          problem(3, bad ? Code("two") : "three-codes", "it");
                          struct Wrong { int at; Code code; std::string why; };
                          throw Wrong{1, "four", "why"};)",
                        {}}}),
              testing::UnorderedElementsAre("one-code", "two", "three-codes", "four"));
}

TEST(Diagnostics, AreMadeByTheirFactories) {
  std::vector<std::string> violations;
  for (const char* folder : {"engine", "widgets", "app"}) {
    for (const SourceFile& file : sourceFiles(folder)) {
      if (file.path == "engine/core/diagnostic.cpp") continue;
      for (std::size_t i = 0; i < file.lines.size(); ++i)
        for (const char* literal : {"Severity::Error,", "Severity::Warning,", "Severity::Note,"})
          if (file.lines[i].find(literal) != std::string::npos)
            violations.push_back(file.path + ":" + std::to_string(i + 1) + ": " + literal);
    }
  }
  EXPECT_THAT(violations, testing::IsEmpty());
}

}  // namespace sluice::diagnostics_test
