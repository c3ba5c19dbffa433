#include "engine/core/project_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "engine/core/atomic_file.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr const char* marker = ".sluice-project";  // a folder that has it may be replaced

Diagnostic unwritable(const fs::path& folder, const std::string& cause, const std::string& fix) {
  return error("file-unwritable", Location(Where::File, folder.string()), cause, fix);
}

/// A folder that is removed again unless it is kept.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

/// Whether there is a folder that was written here before; an empty one counts as none.
Result<bool> replaces(const fs::path& folder) {
  std::error_code problem;
  const fs::file_status status = fs::symlink_status(folder, problem);
  if (!fs::exists(status)) return false;
  if (fs::is_symlink(status))
    return unwritable(folder, "there is a link of this name, which is not replaced",
                      "name the folder that it leads to, or choose another name");
  if (!fs::is_directory(status))
    return unwritable(folder, "there is something of this name that is no folder", "choose another name");
  if (fs::exists(folder / marker, problem)) return true;
  if (!fs::is_empty(folder, problem) || problem)
    return unwritable(folder, "there is a folder of this name that was not emitted, and it is not empty",
                      "choose another name, or remove the folder first");
  return false;
}

/// Gives the temporary folder its name; what had the name before, if anything, is the temporary folder then.
std::error_code exchange(const fs::path& temporary, const fs::path& folder, bool replaced) {
  std::error_code problem;
  if (!replaced)
    fs::rename(temporary, folder, problem);
  else if (::renameat2(AT_FDCWD, temporary.c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0)
    problem = std::error_code(errno, std::generic_category());
  return problem;
}

}  // namespace

Result<Done> writeProjectFolder(const fs::path& wanted, const std::vector<ProjectFile>& files) {
  const fs::path folder = wanted.has_filename() ? wanted : wanted.parent_path();  // "out/" is "out"
  SLUICE_TRY(const bool replaced, replaces(folder));
  std::string name(".");
  name.append(folder.filename().string().substr(0, 200)).append(".").append(std::to_string(::getpid()));
  name.append(".tmp");
  TemporaryFolder temporary(folder.parent_path() / name);
  std::error_code problem;
  if (!fs::create_directory(temporary.path(), problem)) {
    const std::string why = problem ? problem.message() : "a folder for temporary files is there already";
    return unwritable(folder, "cannot write beside it: " + why,
                      "create the folder that it shall be in, or choose another");
  }
  for (const ProjectFile& file : files) {
    const fs::path path = temporary.path() / file.path;
    fs::create_directories(path.parent_path(), problem);
    if (problem)
      return unwritable(folder, "cannot write it: " + problem.message(), "free some space or choose another");
    SLUICE_CHECK(writeFileAtomically(path, file.bytes));
  }
  SLUICE_CHECK(writeFileAtomically(temporary.path() / marker, ""));
  problem = exchange(temporary.path(), folder, replaced);
  if (problem)
    return unwritable(folder, "cannot give it its name: " + problem.message(), "choose another name");
  if (!replaced) temporary.keep();
  return Done{};
}

}  // namespace sluice
