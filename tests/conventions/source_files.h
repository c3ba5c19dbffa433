#pragma once
// The project's own sources as text, for tests of the conventions.

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::conventions {

struct SourceFile {
  std::string path;  ///< from the project root
  std::vector<std::string> lines;
};

/// Every .h and .cpp below the folder, sorted by path.
std::vector<SourceFile> sourceFiles(const std::string& folder);

struct Function {
  std::size_t first_line = 0;  ///< of its opening brace, 1-based
  std::size_t lines = 0;       ///< from the opening to the closing brace
};

/// Functions by counting braces: a block is a function if what stands before it ends a parameter list and it
/// is not inside another.
std::vector<Function> functionsOf(const SourceFile& file);

}  // namespace sluice::conventions
