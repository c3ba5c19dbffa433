#pragma once
// What there is to read on each code of a diagnostic (resources/diagnostics/): what it means, an
// example that ends with it, how to get rid of it.

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/embedded_files.h"

namespace sluice {

struct DiagnosticPage {
  struct File {
    std::string name, text;
  };

  std::string code;
  std::string meaning;
  std::vector<File> files;  ///< that the example needs
  std::string command;      ///< a line for the shell that ends with the code; empty: none does
  std::string example;      ///< what is said beside the command, or why there is none
  std::string fix;
};

/// Reads "# CODE", the meaning, "## Example" with fenced blocks, "## Fix". The pages are ours: one of another
/// form throws std::invalid_argument.
DiagnosticPage readDiagnosticPage(const EmbeddedFile& file);

/// All of them, by code.
const std::vector<DiagnosticPage>& diagnosticPages();
/// Null: there is no such code.
const DiagnosticPage* diagnosticPage(std::string_view code);

}  // namespace sluice
