#pragma once
// Folders of generated files: a project that others compile.

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/result.h"

namespace sluice {

struct ProjectFile {
  std::string path;  ///< in the folder: "src/group_0.cpp"
  std::string bytes;

  bool operator==(const ProjectFile&) const = default;
};

/// Writes the folder whole or not at all: a temporary folder beside it, then a rename. One that was written
/// so before is replaced. Errors: there is another that is not empty, or a file cannot be written.
Result<Done> writeProjectFolder(const std::filesystem::path& folder, const std::vector<ProjectFile>& files);

}  // namespace sluice
