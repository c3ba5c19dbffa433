// writeFileAtomically and readFile as a user meets them: on good disks, full disks and in folders that are
// not there.

#include "engine/core/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace sluice::atomic_file_test {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sluice-atomic-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }

  static std::string content(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
  }
  static std::size_t filesIn(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
  }
  static void expectComplete(const Diagnostics& diagnostics, const fs::path& file) {
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_NE(text(diagnostics[0].place).find(file.string()), std::string::npos)
        << text(diagnostics[0].place);
    EXPECT_FALSE(diagnostics[0].cause.empty());
    EXPECT_FALSE(diagnostics[0].fix.empty());
  }

  fs::path folder_;
};

TEST_F(AtomicFile, WritesWhatIsReadBack) {
  const fs::path file = folder_ / "a.sluice";
  const std::string bytes("zero \0 byte, \xff byte\n", 20);
  ASSERT_TRUE(writeFileAtomically(file, bytes));
  const auto read = readFile(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, bytes);
  ASSERT_TRUE(writeFileAtomically(file, ""));
  EXPECT_EQ(content(file), "");
  EXPECT_EQ(filesIn(folder_), 1u) << "a temporary file was left behind";
}

TEST_F(AtomicFile, ReplacesAndKeepsPermissions) {
  const fs::path file = folder_ / "a.sluice";
  ASSERT_TRUE(writeFileAtomically(file, "old"));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  ASSERT_TRUE(writeFileAtomically(file, "new"));
  EXPECT_EQ(content(file), "new");
  EXPECT_EQ(fs::status(file).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST_F(AtomicFile, WritesThroughASymbolicLink) {
  fs::create_directory(folder_ / "real");
  ASSERT_TRUE(writeFileAtomically(folder_ / "real" / "a", "old"));
  fs::create_symlink(folder_ / "real" / "a", folder_ / "link");
  ASSERT_TRUE(writeFileAtomically(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(folder_ / "real" / "a"), "new");
}

TEST_F(AtomicFile, TellsAMissingFolder) {
  const fs::path file = folder_ / "missing" / "a.sluice";
  const auto done = writeFileAtomically(file, "x");
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), file);
  EXPECT_NE(done.diagnostics()[0].fix.find("folder"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "missing"));
}

TEST_F(AtomicFile, TellsAFileUsedAsFolder) {
  ASSERT_TRUE(writeFileAtomically(folder_ / "plain", "x"));
  const auto done = writeFileAtomically(folder_ / "plain" / "a.sluice", "y");
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), folder_ / "plain" / "a.sluice");
  EXPECT_NE(done.diagnostics()[0].cause.find("not a folder"), std::string::npos);
  EXPECT_EQ(content(folder_ / "plain"), "x");
}

TEST_F(AtomicFile, TellsAFolderUsedAsFile) {
  const auto written = writeFileAtomically(folder_, "x");
  ASSERT_FALSE(written);
  expectComplete(written.diagnostics(), folder_);
  const auto read = readFile(folder_);
  ASSERT_FALSE(read);
  expectComplete(read.diagnostics(), folder_);
  EXPECT_NE(read.diagnostics()[0].cause.find("folder"), std::string::npos);
}

TEST_F(AtomicFile, TellsAFolderThatTakesNoFiles) {
  // /proc refuses new files even to root.
  const auto done = writeFileAtomically("/proc/sluice-test.sluice", "x");
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), "/proc/sluice-test.sluice");
}

TEST_F(AtomicFile, LeavesTheOldFileInAReadOnlyFolder) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may write everywhere; ReadOnlyDisk covers it where mounting is allowed";
  const fs::path file = folder_ / "a";
  ASSERT_TRUE(writeFileAtomically(file, "old"));
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const auto done = writeFileAtomically(file, "new");
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), file);
  EXPECT_NE(done.diagnostics()[0].fix.find("permissions"), std::string::npos);
  EXPECT_EQ(content(file), "old");
}

TEST_F(AtomicFile, TellsAFullDevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto done = writeFileAtomically("/dev/full", "x");
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), "/dev/full");
  EXPECT_NE(done.diagnostics()[0].fix.find("full"), std::string::npos);
}

/// A small disk of its own, where the kernel allows it.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& at) : at_(at) {
    fs::create_directories(at);
    mounted_ = ::mount("tmpfs", at.c_str(), "tmpfs", 0, "size=64k") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount(at_.c_str());
  }
  bool mounted() const { return mounted_; }
  bool makeReadOnly() const {
    return ::mount("tmpfs", at_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k") == 0;
  }

 private:
  fs::path at_;
  bool mounted_ = false;
};

TEST_F(AtomicFile, FullDiskLeavesTheOldFile) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
  const fs::path file = folder_ / "disk" / "a";
  ASSERT_TRUE(writeFileAtomically(file, "old"));
  const auto done = writeFileAtomically(file, std::string(1 << 20, 'x'));
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), file);
  EXPECT_NE(done.diagnostics()[0].fix.find("full"), std::string::npos);
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(filesIn(folder_ / "disk"), 1u) << "a temporary file was left behind";
}

TEST_F(AtomicFile, ReadOnlyDiskLeavesTheOldFile) {
  const SmallDisk disk(folder_ / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs is not allowed here";
  const fs::path file = folder_ / "disk" / "a";
  ASSERT_TRUE(writeFileAtomically(file, "old"));
  ASSERT_TRUE(disk.makeReadOnly());
  const auto done = writeFileAtomically(file, "new");
  ASSERT_FALSE(done);
  expectComplete(done.diagnostics(), file);
  EXPECT_NE(done.diagnostics()[0].fix.find("read-only"), std::string::npos);
  EXPECT_EQ(content(file), "old");
}

/// Writes in a child process whose files may not grow beyond 4 KiB: the write fails half-way, as on a full
/// disk.
TEST_F(AtomicFile, AFailureHalfWayLeavesTheOldFile) {
  const fs::path file = folder_ / "a";
  ASSERT_TRUE(writeFileAtomically(file, "old"));
  const auto writeTooMuch = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto done = writeFileAtomically(file, std::string(1 << 20, 'x'));
    ::_exit(!done && !done.diagnostics()[0].fix.empty() ? 42 : 1);  // no leak check on the way out
  };
  EXPECT_EXIT(writeTooMuch(), ::testing::ExitedWithCode(42), "");
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(filesIn(folder_), 1u) << "a temporary file was left behind";
}

TEST_F(AtomicFile, PiecesBecomeOneFileOrNone) {
  const fs::path file = folder_ / "a";
  const auto pieces = [&](bool to_the_end) {
    return writeFileAtomically(file, [&](const ByteSink& sink) -> Result<Done> {
      for (const char* piece : {"one ", "two ", "three"})
        if (const Result<Done> taken = sink(piece); !taken) return taken;
      if (to_the_end) return Done{};
      return error("store-damaged", "the store", "it is gone", "open another");
    });
  };
  ASSERT_TRUE(pieces(true));
  EXPECT_EQ(content(file), "one two three");
  ASSERT_TRUE(writeFileAtomically(file, "old"));
  const auto refused = pieces(false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(text(refused.diagnostics()[0].place), "the store");
  EXPECT_EQ(content(file), "old");
  EXPECT_EQ(filesIn(folder_), 1u) << "a temporary file was left behind";
}

TEST_F(AtomicFile, WritersAtOnceLeaveOneWholeFile) {
  const fs::path file = folder_ / "a";
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k)
        EXPECT_TRUE(writeFileAtomically(file, std::string(100'000, static_cast<char>('a' + i))));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string bytes = content(file);
  ASSERT_EQ(bytes.size(), 100'000u);
  EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [&](char c) { return c == bytes[0]; }));
  EXPECT_EQ(filesIn(folder_), 1u);
}

TEST_F(AtomicFile, ReadTellsMissingAndTooLarge) {
  const auto missing = readFile(folder_ / "missing");
  ASSERT_FALSE(missing);
  expectComplete(missing.diagnostics(), folder_ / "missing");
  ASSERT_TRUE(writeFileAtomically(folder_ / "a", "12345"));
  EXPECT_TRUE(readFile(folder_ / "a", 5));
  const auto large = readFile(folder_ / "a", 4);
  ASSERT_FALSE(large);
  expectComplete(large.diagnostics(), folder_ / "a");
  EXPECT_NE(large.diagnostics()[0].cause.find("larger than 4"), std::string::npos);
  EXPECT_FALSE(readFile("/dev/zero", 100'000)) << "an endless file must be given up";
}

}  // namespace sluice::atomic_file_test
