#include "engine/core/project_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "engine/core/atomic_file.h"
#include "engine/core/content_hash.h"
#include "engine/core/names_and_more.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

/// A folder that has it was generated: a line for each file, its hash and its path. In front of them is the
/// kind of the folder, where the version that wrote it told that.
constexpr const char* marker = ".sluice-project";
constexpr std::string_view kind_line = "kind";

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

std::string hashOf(std::string_view bytes) {
  ContentHash hash;
  hash.add(bytes);
  return hash.hex();
}

struct Marker {
  std::string kind;                           ///< empty: not told
  std::map<std::string, std::string> hashes;  ///< of the generated files, by path
};

/// That of an earlier version is empty.
Marker markerOf(const fs::path& folder) {
  Marker found;
  const Result<std::string> text = readFile(folder / marker);
  if (!text) return found;
  std::string_view left = *text;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size()), space = left.find(' ');
    if (space < end) {
      const std::string_view first = left.substr(0, space), rest = left.substr(space + 1, end - space - 1);
      if (first == kind_line)
        found.kind = rest;
      else
        found.hashes.emplace(rest, first);
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return found;
}

std::string markerText(const std::vector<ProjectFile>& files, const std::string& kind) {
  std::string text = std::string(kind_line) + " " + kind + "\n";
  for (const ProjectFile& file : files) text += hashOf(file.bytes) + " " + file.path + "\n";
  return text;
}

/// What lies in a folder that is to be replaced.
struct Earlier {
  std::vector<fs::path> kept;     ///< files that were not generated, and empty folders
  std::vector<std::string> lost;  ///< what would be: generated and changed since, or in the way
};

/// Whether the file, or a folder that it would have to lie in, is a path of the project.
bool isInTheWay(const fs::path& path, const std::map<std::string, const ProjectFile*>& files,
                const std::set<std::string>& folders) {
  if (folders.contains(path.generic_string())) return true;
  for (fs::path above = path; !above.empty(); above = above.parent_path())
    if (files.contains(above.generic_string())) return true;
  return false;
}

/// Errors: the folder cannot be read.
Result<Earlier> earlierOf(const fs::path& folder, const std::vector<ProjectFile>& files) {
  std::map<std::string, const ProjectFile*> by_path;
  std::set<std::string> folders;
  for (const ProjectFile& file : files) {
    by_path.emplace(file.path, &file);
    for (fs::path above = fs::path(file.path).parent_path(); !above.empty(); above = above.parent_path())
      folders.insert(above.generic_string());
  }
  const std::map<std::string, std::string> generated = markerOf(folder).hashes;
  Earlier earlier;
  std::error_code problem;
  fs::recursive_directory_iterator at(folder, problem);
  for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
    const fs::path path = at->path().lexically_relative(folder);
    const std::string name = path.generic_string();
    if (name == marker) continue;
    if (at->is_directory(problem) && !at->is_symlink(problem)) {
      if (fs::is_empty(at->path(), problem) && !isInTheWay(path, by_path, folders))
        earlier.kept.push_back(path);
      continue;
    }
    const auto known = generated.find(name);
    const auto wanted = by_path.find(name);
    if (known == generated.end() && !isInTheWay(path, by_path, folders)) {
      earlier.kept.push_back(path);
      continue;
    }
    const Result<std::string> bytes = readFile(at->path(), std::numeric_limits<std::uintmax_t>::max());
    const bool as_generated = bytes && known != generated.end() && hashOf(*bytes) == known->second;
    if (!as_generated && !(bytes && wanted != by_path.end() && *bytes == wanted->second->bytes))
      earlier.lost.push_back(name);
  }
  if (problem)
    return unwritable(folder, "what lies in it cannot be read: " + problem.message(), "choose another name");
  std::ranges::sort(earlier.lost);
  return earlier;
}

Diagnostic wouldBeLost(const fs::path& folder, const std::vector<std::string>& lost) {
  constexpr std::size_t most_named = 3;
  return unwritable(folder,
                    "files in it that were changed since they were generated would be lost: " +
                        namesAndMore(lost, most_named, "'"),
                    "move them away, choose another folder, or have them replaced (--replace; in the window "
                    "*Replace files that were changed since*)");
}

/// "out/" is "out".
fs::path plainName(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

/// What lies in the folder, if it is one to be replaced. Errors: it is not to be, or not by these files.
Result<std::optional<Earlier>> earlierIn(const fs::path& folder, const std::vector<ProjectFile>& files,
                                         const std::string& kind, ChangedFiles changed) {
  SLUICE_TRY(const bool replaced, replaces(folder));
  if (!replaced) return std::optional<Earlier>();
  if (const std::string there = markerOf(folder).kind; !there.empty() && there != kind)
    return unwritable(folder, "it holds what '" + there + "' has written, which '" + kind + "' would delete",
                      "choose another name, or remove the folder first");
  SLUICE_TRY(Earlier earlier, earlierOf(folder, files));
  if (changed == ChangedFiles::Refuse && !earlier.lost.empty()) return wouldBeLost(folder, earlier.lost);
  return std::optional(std::move(earlier));
}

/// A second name of the same file, so that it is in both folders until the old one goes; a copy where the
/// file system has no such names.
std::error_code giveName(const fs::path& from, const fs::path& to) {
  std::error_code problem;
  fs::create_directories(to.parent_path(), problem);
  if (fs::is_symlink(from, problem)) {
    fs::copy_symlink(from, to, problem);
    return problem;
  }
  if (fs::is_directory(from, problem)) {
    fs::create_directories(to, problem);
    return problem;
  }
  fs::create_hard_link(from, to, problem);
  if (!problem) return problem;
  fs::copy_file(from, to, problem);
  if (!problem) fs::last_write_time(to, fs::last_write_time(from, problem), problem);
  return problem;
}

Result<Done> keep(const Earlier& earlier, const fs::path& from, const fs::path& to) {
  for (const fs::path& path : earlier.kept)
    if (const std::error_code problem = giveName(from / path, to / path))
      return unwritable(from, "cannot keep '" + path.string() + "' in it: " + problem.message(),
                        "move it away, or choose another folder");
  return Done{};
}

/// The first parts of the paths, each once.
std::vector<std::string> firstNames(const std::vector<fs::path>& paths) {
  std::set<std::string> names;
  for (const fs::path& path : paths)
    names.insert(path.has_parent_path() ? path.begin()->string() + "/" : path.string());
  return {names.begin(), names.end()};
}

Result<Done> writeAll(const fs::path& folder, const fs::path& temporary,
                      const std::vector<ProjectFile>& files, const std::string& kind) {
  std::error_code problem;
  for (const ProjectFile& file : files) {
    const fs::path path = temporary / file.path;
    fs::create_directories(path.parent_path(), problem);
    if (problem)
      return unwritable(folder, "cannot write it: " + problem.message(), "free some space or choose another");
    SLUICE_CHECK(writeFileAtomically(path, file.bytes));
  }
  return writeFileAtomically(temporary / marker, markerText(files, kind));
}

}  // namespace

std::string keptText(const WrittenFolder& written) {
  constexpr std::size_t most_named = 4;
  if (written.kept.empty()) return {};
  return "kept " + namesAndMore(written.kept, most_named) +
         (written.kept.size() == 1 ? ", which was" : ", which were") + " not generated";
}

Result<Done> checkProjectFolder(const fs::path& wanted, const std::string& kind, ChangedFiles changed) {
  SLUICE_CHECK(earlierIn(plainName(wanted), {}, kind, changed));
  return Done{};
}

Result<WrittenFolder> writeProjectFolder(const fs::path& wanted, const std::vector<ProjectFile>& files,
                                         const std::string& kind, ChangedFiles changed) {
  const fs::path folder = plainName(wanted);
  WrittenFolder written;
  SLUICE_TRY(std::optional<Earlier> found, earlierIn(folder, files, kind, changed));
  written.replaced = found.has_value();
  Earlier earlier = std::move(found).value_or(Earlier());
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
  SLUICE_CHECK(writeAll(folder, temporary.path(), files, kind));
  SLUICE_CHECK(keep(earlier, folder, temporary.path()));
  problem = exchange(temporary.path(), folder, written.replaced);
  if (problem)
    return unwritable(folder, "cannot give it its name: " + problem.message(), "choose another name");
  if (!written.replaced) temporary.keep();
  written.kept = firstNames(earlier.kept);
  written.files = std::move(earlier.lost);
  return written;
}

}  // namespace sluice
