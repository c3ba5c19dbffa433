#pragma once
// What tests of the result store share: records and points to write, and a folder with a store.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/explorer/store/result_store.h"
#include "tests/engine/support/documents.h"

namespace sluice::testing_support {

inline Knob range(const std::string& name, std::int64_t most) {
  Knob knob;
  knob.name = name;
  knob.maximum = most;
  return knob;
}

inline Knob choice(const std::string& name, std::vector<std::string> choices) {
  Knob knob;
  knob.name = name;
  knob.kind = KnobKind::Choice;
  knob.choices = std::move(choices);
  return knob;
}

inline ExplorationRecord recordWith(std::vector<Knob> knobs, const std::string& workload = "w") {
  ExplorationRecord record = explorationHere();
  record.workload = workload;
  record.title = "A title, \"quoted\"";
  record.knobs = std::move(knobs);
  record.objectives = {"cycles", "on_chip_bytes"};
  record.budget = 100;
  return record;
}

inline DesignPoint pointAt(std::int64_t a, std::uint64_t cycles, std::uint64_t bytes) {
  DesignPoint point;
  point.knobs = {{"a", a}};
  point.metrics.cycles = cycles;
  point.metrics.on_chip_bytes = bytes;
  point.metrics.compute_utilization = 0.1 * static_cast<double>(a);
  point.wall_seconds = 0.25;
  return point;
}

/// A folder of its own with a place for a store, gone afterwards.
class Store : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "sluice-store-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "results.db";
  }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  static ResultStore opened(const std::filesystem::path& file,
                            ResultStore::Access access = ResultStore::Access::Write) {
    Result<ResultStore> store = ResultStore::open(file, access);
    if (!store) throw std::runtime_error(text(store.diagnostics()));
    return *std::move(store);
  }
  template <class T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error(text(result.diagnostics()));
    return *std::move(result);
  }
  static void expectOneClear(const Diagnostics& wrong, const std::string& cause, Where kind = Where::Store) {
    ASSERT_EQ(wrong.size(), 1u);
    EXPECT_TRUE(wrong[0].place.beginsWith(kind)) << text(wrong[0].place);
    EXPECT_THAT(wrong[0].cause, testing::HasSubstr(cause));
    EXPECT_FALSE(wrong[0].fix.empty());
  }
  /// SQLite's own opinion of the file.
  static std::string integrity(const std::filesystem::path& file) {
    sqlite3* handle = nullptr;
    sqlite3_open(file.c_str(), &handle);
    std::string answer;
    sqlite3_exec(
        handle, "PRAGMA integrity_check",
        [](void* into, int, char** values, char**) {
          *static_cast<std::string*>(into) += values[0];
          return 0;
        },
        &answer, nullptr);
    sqlite3_close(handle);
    return answer;
  }

  std::filesystem::path folder_, file_;
};

}  // namespace sluice::testing_support
