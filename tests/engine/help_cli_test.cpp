// What sluice-cli says of itself, and by which names commands take what they have in common.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/engine/support/command_line.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::help_cli_test {

using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string simple_moe = "'" SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice' ";

/// `help` and the path of a command: what the command says of itself with --help.
TEST(HelpCli, HelpOfACommandIsThatOfTheCommand) {
  const auto fromOptions = [](const std::string& text) { return text.substr(text.find("[OPTIONS]")); };
  for (const std::string path : {"emit step", "itensor convert", "emit", "simulate"}) {
    const Outcome outcome = runCommandLine("help " + path);
    EXPECT_EQ(outcome.status, 0) << path;
    EXPECT_EQ(fromOptions(outcome.out), fromOptions(runCommandLine(path + " --help").out))
        << "but for the path of the program";
    EXPECT_THAT(outcome.out, HasSubstr("-h,--help"));
    EXPECT_EQ(runCommandLine("help " + path + " --json").object()["help"], "sluice-cli " + path + " --help");
  }
  const Outcome form = runCommandLine("help emit rlt", true);
  EXPECT_EQ(form.status, 2);
  EXPECT_THAT(form.out, HasSubstr("'emit' has no command 'rlt' (did you mean 'rtl'?"));
  EXPECT_THAT(runCommandLine("help rank-mismatch rank", true).out, HasSubstr("topic 'rank-mismatch rank'"));
}

/// Where a form cannot be had of a model, its operators are the reason, and not that there is no such file.
TEST(HelpCli, EveryFormOfEmitKnowsModelsByTheirNames) {
  for (const std::string form : {"step", "rtl"}) {
    const std::string emit = "emit " + form + " gpt2 -o help_cli_never --set ";
    const Outcome refused = runCommandLine(emit + "tokens=4", true);
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.out, HasSubstr("operator 'attention_norm'")) << form;
    EXPECT_THAT(refused.out, HasSubstr("[unsupported-operator]")) << form;
    EXPECT_THAT(runCommandLine(emit + "tokns=4", true).out,
                HasSubstr("'tokns' is nothing that can be set here (did you mean 'tokens'?"));
  }
}

/// What two commands ask for alike is called alike, and by whatever name one of them once had for it.
TEST(HelpCli, ObjectivesAreSpeltAlikeInAllCommands) {
  const json wanted = {"on_chip_bytes", "cycles"};
  for (const std::string& command : {"explore " + simple_moe, "design " + simple_moe + "--budget 2 --quick ",
                                     "strategies " + simple_moe + "--budget 3 --strategy random "})
    for (const std::string spelling :
         {"--objective on_chip_bytes --objective cycles", "--objectives on_chip_bytes,cycles",
          "--objective on_chip_bytes,cycles"})
      EXPECT_EQ(runCommandLine(command + spelling + " --json").object()["objectives"], wanted)
          << command << spelling;
}

TEST(HelpCli, OutputsAreSpeltAlikeInAllCommands) {
  const testing_support::TemporaryFolder own;
  const std::filesystem::path& folder = own.path();
  for (const std::string option : {"-o", "--output", "--out"}) {
    const std::string to = " " + option + " '" + (folder / option).string();
    EXPECT_EQ(runCommandLine("dot " + simple_moe + to + ".dot'").status, 0) << option;
    EXPECT_EQ(runCommandLine("simulate " + simple_moe + to + "'").status, 0) << option;
    EXPECT_EQ(runCommandLine("emit step " + simple_moe + "--no-run" + to + "_step'").status, 0) << option;
    EXPECT_TRUE(std::filesystem::exists(folder / option / "occupancy.csv"));
    EXPECT_TRUE(std::filesystem::exists(folder / (option + ".dot")));
    EXPECT_TRUE(std::filesystem::exists(folder / (option + "_step") / "graph.pb"));
  }
}

}  // namespace sluice::help_cli_test
