#pragma once
// Folders of generated files: a project that others compile, and work in.

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

/// What becomes of generated files that somebody has changed since.
enum class ChangedFiles : std::uint8_t { Refuse, Replace };

struct WrittenFolder {
  bool replaced = false;           ///< there was a project before
  std::vector<std::string> kept;   ///< what lay in it and was not generated, by its first name: "build/"
  std::vector<std::string> files;  ///< changed ones that were replaced
};

/// Writes the folder whole or not at all: a temporary folder beside it, then a rename. Of one that was
/// written so before the generated files are replaced; what else lies in it - builds, results, notes - is
/// kept. `kind`: the command that wrote it, "emit rtl". Errors: there is another folder that is not empty, or
/// one of another kind; a generated file was changed since, or a file that was not generated is in the way,
/// unless these are to be replaced; a file cannot be written.
Result<WrittenFolder> writeProjectFolder(const std::filesystem::path& folder,
                                         const std::vector<ProjectFile>& files, const std::string& kind,
                                         ChangedFiles changed = ChangedFiles::Refuse);
/// Its first errors, for who computes for long before there are files.
Result<Done> checkProjectFolder(const std::filesystem::path& folder, const std::string& kind,
                                ChangedFiles changed);
/// "kept build/ and notes.txt, which were not generated": of a folder that was replaced; else nothing.
std::string keptText(const WrittenFolder& written);

}  // namespace sluice
