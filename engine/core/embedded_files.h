#pragma once
// Files of resources/ that the build puts into the program (engine/CMakeLists.txt), so that they are there
// wherever it is installed.

#include <span>
#include <string_view>

namespace sluice {

struct EmbeddedFile {
  std::string_view name;  ///< without its suffix
  std::string_view text;
};

std::span<const EmbeddedFile> platformFiles();    ///< resources/platforms/: machines, JSON
std::span<const EmbeddedFile> technologyFiles();  ///< resources/technology/: what actions cost, JSON
std::span<const EmbeddedFile> schemaFiles();      ///< resources/schemas/: of messages, .proto
std::span<const EmbeddedFile> publishedFiles();   ///< resources/published/: the papers' numbers, CSV
std::span<const EmbeddedFile> diagnosticFiles();  ///< resources/diagnostics/: a page for each code, Markdown
std::span<const EmbeddedFile> hlsFiles();         ///< resources/hls/: headers of emitted projects, C++
std::span<const EmbeddedFile> rtlFiles();  ///< resources/rtl/: modules of emitted projects, SystemVerilog
std::span<const EmbeddedFile> synthesisFiles();  ///< resources/synthesis/: cells of those modules, CSV
std::span<const EmbeddedFile> stepFiles();       ///< resources/step/: of emitted STeP graphs, Python

}  // namespace sluice
