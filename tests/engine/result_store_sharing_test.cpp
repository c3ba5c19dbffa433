// The result store among others: disks that may only be read, processes that start together, what is no
// store.

#include <sys/mount.h>
#include <sys/wait.h>

#include <fstream>

#include "tests/engine/support/store_folder.h"

namespace sluice::result_store_sharing_test {

namespace fs = std::filesystem;
using namespace testing_support;

class StoreSharing : public Store {};

TEST_F(StoreSharing, MergesFromADiskThatIsReadOnly) {
  const auto storeWith = [&](const fs::path& file, std::int64_t a) {
    ResultStore store = opened(file);
    const ExplorationRecord record = must(store.begin(recordWith({range("a", 9)})));
    must(store.write(record, std::vector<Visit>{{0, pointAt(a, 10, 1)}}));
  };
  storeWith(file_, 1);
  const fs::path disk = folder_ / "disk?#%";  // a name that a URI would take apart
  fs::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=4m") != 0) GTEST_SKIP() << "may not mount a tmpfs";
  storeWith(disk / "results.db", 2);
  ASSERT_EQ(::mount("none", disk.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=4m"), 0);
  ResultStore store = opened(file_);
  const Result<MergeReport> report = store.merge(disk / "results.db");
  ::umount2(disk.c_str(), MNT_DETACH);
  ASSERT_TRUE(report) << text(report.diagnostics());
  EXPECT_EQ(report->explorations, 1u);
  EXPECT_EQ(report->points, 1u);
  EXPECT_EQ(must(store.explorations()).size(), 2u);
}

TEST_F(StoreSharing, ProcessesThatStartTogetherGoOnWithOneExploration) {
  const ExplorationRecord record = recordWith({range("a", 9)});
  for (int round = 0; round < 8; ++round) {
    const fs::path file = folder_ / ("together" + std::to_string(round) + ".db");
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        Result<ResultStore> store = ResultStore::open(file, ResultStore::Access::Write);
        ::_exit(store && store->resume(record) ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 1;
      ::waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    ResultStore store = opened(file, ResultStore::Access::Read);
    EXPECT_EQ(must(store.explorations()).size(), 1u);
  }
}

TEST_F(StoreSharing, FoldersAndEmptyFilesAreCalledSo) {
  for (const auto access : {ResultStore::Access::Write, ResultStore::Access::Read})
    expectOneClear(ResultStore::open(folder_, access).diagnostics(), "this is a folder", Where::File);
  std::ofstream(folder_ / "empty.db").close();
  expectOneClear(ResultStore::open(folder_ / "empty.db", ResultStore::Access::Read).diagnostics(),
                 "the file is empty", Where::File);
  EXPECT_TRUE(ResultStore::open(folder_ / "empty.db", ResultStore::Access::Write));
}

}  // namespace sluice::result_store_sharing_test
