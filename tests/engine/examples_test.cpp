// The examples at the end of every command's help, one after the other in one folder, as a reader of the help
// would run them: what one writes another reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/engine/support/command_line.h"
#include "tests/engine/support/loop_nests.h"
#include "tests/engine/support/onnx_model.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::examples_test {

namespace fs = std::filesystem;
using testing_support::Outcome;
using testing_support::runCommandLine;

/// A folder with the samples and the files that a reader has: a model, loop nests, a program of his own.
class CommandExamples : public testing_support::FolderTest {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "traces");
    fs::create_directory_symlink(SLUICE_SOURCE_DIR "/sample_workloads", folder_ / "sample_workloads");
    fs::copy_file(folder_ / "sample_workloads/deadlock_fork_join.sluice", folder_ / "mine.sluice");
    fs::permissions(folder_ / "mine.sluice", fs::perms::owner_write, fs::perm_options::add);
    fs::copy_file(testing_support::hidaListingFile(), folder_ / "nests.json");
    write("model.onnx", testing_support::onnx::Model()
                            .input("x", {16, 64})
                            .weight("w", {64, 64})
                            .node("MatMul", {"x", "w"}, "y")
                            .output("y")
                            .write());
    write("requests.jsonl", R"({"jsonrpc": "2.0", "id": 1, "method": "shutdown"})"
                            "\n");
  }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
};

TEST_F(CommandExamples, OfEveryCommandRun) {
  const nlohmann::json commands = runCommandLine("commands").object()["commands"];
  ASSERT_GT(commands.size(), 25u);
  for (const nlohmann::json& command : commands) {
    const std::string name = command["name"];
    if (command["hidden"] == true) continue;
    EXPECT_GE(command["examples"].size(), 2u) << name;
    const std::string help = runCommandLine(name + " --help").out;
    const std::size_t examples = help.find("\nExamples:\n");
    ASSERT_NE(examples, std::string::npos) << name;
    EXPECT_EQ(help.find("\n\n", examples + 1), std::string::npos)
        << name << " does not end with its examples";
    for (const std::string words : command["examples"]) {
      SCOPED_TRACE(words);
      if (name == "export" && !fs::exists(SLUICE_BINARY_DIR "/bin/sluice-chart")) continue;  // without window
      EXPECT_TRUE(words.starts_with(name));
      EXPECT_THAT(help, testing::HasSubstr("  sluice-cli " + words + "\n"));
      const Outcome outcome =
          runCommandLine(words + (words == "serve --stdio" || words == "serve --mcp" ? " < /dev/null" : ""),
                         true, folder_.string());
      // A deadlock is what `unlock` is about, and the program of the reader's own has one.
      const bool locked_up = name == "unlock" || words.starts_with("check mine");
      EXPECT_TRUE(outcome.status == 0 || (locked_up && outcome.status == 3)) << outcome.out;
    }
  }
}

}  // namespace sluice::examples_test
