#pragma once
// SDF3's XML (S. Stuijk, M. Geilen, T. Basten: "SDF3: SDF for free", ACSD 2006; www.es.ele.tue.nl/sdf3): the
// graphs of type "sdf" and "csdf", with execution times. README.md says which elements are read, and what is
// taken for what is left out.

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/csdf/graph.h"

namespace sluice::inline csdf {

struct ReadCsdf {
  CsdfGraph graph;
  Diagnostics notes;  ///< what was taken for what the file does not say
};

/// Larger files are refused.
constexpr std::uintmax_t most_sdf3_bytes = std::uintmax_t{1} << 26;

/// Of no XML, another format, ports that do not fit and numbers that are none: one error, with file and line.
Result<ReadCsdf> readSdf3(std::string_view bytes, const std::string& file);
Result<ReadCsdf> loadSdf3(const std::filesystem::path& file);
/// Read again it is the same graph.
std::string writeSdf3(const CsdfGraph& graph);

}  // namespace sluice::inline csdf
