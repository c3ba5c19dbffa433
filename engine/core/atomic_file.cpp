#include "engine/core/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace sluice {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  /// 0 or the errno of close(2): a network file system tells only here that the disk is full.
  int close() {
    const int number = std::exchange(number_, -1);
    return number >= 0 && ::close(number) != 0 ? errno : 0;
  }

 private:
  int number_;
};

Diagnostic problem(Code code, const std::filesystem::path& file, std::string cause, std::string fix) {
  return error(code, Location(Where::File, file.string()), std::move(cause), std::move(fix));
}

/// `code`: what is reported where the number of the error says nothing else.
Diagnostic systemProblem(Code code, const std::filesystem::path& file, const std::string& deed, int number) {
  const std::string why = deed + ": " + std::strerror(number);
  switch (number) {
    case ENOENT:
      return problem("file-not-found", file, why,
                     "check the name, and create the folder first if it does not exist");
    case ENOTDIR:
      return problem(code, file, why + "; a part of the path before the last is not a folder",
                     "choose another folder");
    case EACCES:
    case EPERM:
      return problem(code, file, why,
                     "you may not do this here: change the permissions or choose another folder");
    case EROFS:
      return problem(code, file, why, "the disk is mounted read-only: choose another folder");
    case ENOSPC:
    case EDQUOT:
      return problem(code, file, why, "the disk is full: free some space or choose another disk");
    case EFBIG:
      return problem(code, file, why,
                     "the file system or the user limit allows no file of this size: choose another disk");
    case EISDIR:
      return problem("file-is-folder", file, why, "name a file, not a folder");
    case ENAMETOOLONG:
      return problem(code, file, why, "choose a shorter name");
    default:
      return problem(code, file, why, "try again, or choose another place");
  }
}

int writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// A name beside `file` that no other thread or process uses.
std::filesystem::path temporaryBeside(const std::filesystem::path& file) {
  static std::atomic<unsigned> counter{0};
  const std::string suffix = "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
  return file.parent_path() / ("." + file.filename().string().substr(0, 200) + suffix);
}

using Producer = std::function<Result<Done>(const ByteSink&)>;

/// 0 is no problem.
Result<Done> writing(const std::filesystem::path& file, int error) {
  if (error != 0) return systemProblem("file-unwritable", file, "cannot write it", error);
  return Done{};
}

Result<Done> produceInto(const Descriptor& descriptor, const std::filesystem::path& file,
                         const Producer& produce) {
  return produce([&](std::string_view bytes) { return writing(file, writeAll(descriptor.get(), bytes)); });
}

/// /dev/stdout, a pipe: there is nothing to replace, so the bytes go straight in.
Result<Done> writeDevice(const std::filesystem::path& file, const Producer& produce) {
  Descriptor device(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!device.open()) return systemProblem("file-unwritable", file, "cannot open it for writing", errno);
  const Result<Done> written = produceInto(device, file, produce);
  return written ? writing(file, device.close()) : written;
}

/// Syncs and closes the temporary file and gives it its name; 0 or an errno.
int finish(Descriptor& temporary, const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::fsync(temporary.get()) != 0 && errno != EINVAL) return errno;
  if (const int error = temporary.close()) return error;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<std::string> readFile(const std::filesystem::path& file, std::uintmax_t limit) {
  Descriptor source(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.open() && errno == ENOENT) {
    return problem("file-not-found", file, std::string("cannot open it: ") + std::strerror(ENOENT),
                   "check the name and the folder");
  }
  if (!source.open()) return systemProblem("file-unreadable", file, "cannot open it", errno);
  struct stat status {};
  if (::fstat(source.get(), &status) != 0)
    return systemProblem("file-unreadable", file, "cannot read it", errno);
  if (S_ISDIR(status.st_mode))
    return problem("file-is-folder", file, "this is a folder, not a file", "name a file inside it");

  std::string bytes;
  if (S_ISREG(status.st_mode) && static_cast<std::uintmax_t>(status.st_size) <= limit)
    bytes.reserve(static_cast<std::size_t>(status.st_size));
  std::array<char, 1 << 16> block;
  while (true) {
    const ssize_t count = ::read(source.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return systemProblem("file-unreadable", file, "cannot read it", errno);
    if (count == 0) return bytes;
    bytes.append(block.data(), static_cast<std::size_t>(count));
    if (bytes.size() > limit)
      return problem("file-too-large", file,
                     "the file is larger than " + std::to_string(limit) + " bytes, the most that is read",
                     "choose a smaller file");
  }
}

Result<Done> writeFileAtomically(const std::filesystem::path& file, std::string_view bytes) {
  return writeFileAtomically(file, [bytes](const ByteSink& sink) { return sink(bytes); });
}

Result<Done> writeFileAtomically(const std::filesystem::path& name, const Producer& produce) {
  struct stat old {};
  const bool exists = ::stat(name.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return systemProblem("file-unwritable", name, "cannot write it", errno);
  if (exists && S_ISDIR(old.st_mode))
    return systemProblem("file-unwritable", name, "cannot write it", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) return writeDevice(name, produce);
  if (exists && ::access(name.c_str(), W_OK) != 0)
    return systemProblem("file-unwritable", name, "the file is read-only", errno);

  // A symbolic link stays one: the file it names is replaced.
  std::error_code ignored;
  std::filesystem::path file = exists ? std::filesystem::canonical(name, ignored) : name;
  if (file.empty()) file = name;
  if (!file.has_filename()) return problem("file-is-folder", name, "this names no file", "add a file name");

  const std::filesystem::path beside = temporaryBeside(file);
  Descriptor temporary(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!temporary.open())
    return systemProblem("file-unwritable", name, "cannot create a file in this folder", errno);
  const bool permitted = !exists || ::fchmod(temporary.get(), old.st_mode & 07777) == 0;
  Result<Done> written = permitted ? produceInto(temporary, name, produce) : writing(name, errno);
  if (written) written = writing(name, finish(temporary, beside, file));
  if (!written) {
    ::unlink(beside.c_str());
    return written;
  }
  // The new name is durable once the folder is synced; where a folder cannot be opened the file is still
  // whole.
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  Descriptor folderHandle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folderHandle.open()) ::fsync(folderHandle.get());
  return Done{};
}

}  // namespace sluice
