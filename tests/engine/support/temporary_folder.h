#pragma once
// A folder for the files of a test, gone with it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace sluice::testing_support {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Each case in a folder of its own.
class FolderTest : public testing::Test {
 private:
  TemporaryFolder own_;  // before its path

 protected:
  /// A file there, as for the shell.
  std::string at(const std::string& name) const { return "'" + (folder_ / name).string() + "'"; }

  const std::filesystem::path folder_ = own_.path();
};

}  // namespace sluice::testing_support
