#include "tests/conventions/source_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

namespace sluice::conventions {

std::vector<SourceFile> sourceFiles(const std::string& folder) {
  const std::filesystem::path root(SLUICE_SOURCE_DIR);
  std::vector<SourceFile> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    SourceFile file{std::filesystem::relative(entry.path(), root).generic_string(), {}};
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

namespace {

/// The code without comments, strings and character literals, which may hold braces.
std::vector<std::string> bareCode(const SourceFile& file) {
  static const std::regex raw(R"re(R"(\w*)\(.*?\)\1")re");
  static const std::regex literal(R"re("(\\.|[^"\\])*"|'(\\.|[^'\\])+')re");
  std::vector<std::string> bare;
  for (std::string line : file.lines) {
    if (line.find_first_not_of(" \t") != std::string::npos && line[line.find_first_not_of(" \t")] == '#')
      line.clear();
    line = std::regex_replace(line, raw, "\"\"");
    line = std::regex_replace(line, literal, "\"\"");
    bare.push_back(line.substr(0, line.find("//")));
  }
  return bare;
}

bool opensFunction(const std::string& before) {
  static const std::regex scope(
      R"re(^\s*(template\s*<.*>\s*)?(inline\s+)?(namespace|class|struct|union|enum|extern)\b)re");
  static const std::regex function(
      R"re(\)\s*(const|noexcept|override|final|mutable|&|->[^;{}]*|:[^;{}]*|\s)*\s*$)re");
  return !std::regex_search(before, scope) && before.find(" = {") == std::string::npos &&
         std::regex_search(before, function);
}

}  // namespace

std::vector<Function> functionsOf(const SourceFile& file) {
  std::vector<Function> functions;
  std::vector<bool> is_function;  // of the open blocks
  std::vector<std::size_t> opened;
  std::string before;  // the text since the last ; { or }
  const std::vector<std::string> code = bareCode(file);
  for (std::size_t number = 0; number < code.size(); ++number) {
    for (const char c : code[number] + " ") {
      if (c == '{') {
        const bool inside = std::find(is_function.begin(), is_function.end(), true) != is_function.end();
        is_function.push_back(!inside && opensFunction(before));
        opened.push_back(number + 1);
      } else if (c == '}' && !opened.empty()) {
        if (is_function.back()) functions.push_back({opened.back(), number + 2 - opened.back()});
        is_function.pop_back();
        opened.pop_back();
      }
      if (c == '{' || c == '}' || c == ';') {
        before.clear();
      } else {
        before += c;
      }
    }
  }
  return functions;
}

}  // namespace sluice::conventions
