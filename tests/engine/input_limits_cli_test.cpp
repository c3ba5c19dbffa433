// What the command line is given and cannot be meant, as a user meets it: refused, and in words that say what
// is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/explorer/store/result_store.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"

namespace sluice::input_limits_cli_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::Outcome;
using testing_support::runCommandLine;

const std::string swiglu = "'" SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice'";
const std::string mixtral = "'" SLUICE_SOURCE_DIR "/sample_workloads/moe_mixtral.sluice'";

void expectRefused(const std::string& arguments, int status, const std::string& why) {
  const Outcome outcome = runCommandLine(arguments, true);
  EXPECT_EQ(outcome.status, status) << arguments << "\n" << outcome.out;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(why), Not(HasSubstr("internal error")))) << arguments;
}

TEST(InputLimits, ConstraintsAreFiniteNumbers) {
  for (const char* bound : {"nan", "inf", "-inf", "1e999"})
    expectRefused("explore " + swiglu + " --constraint 'cycles<=" + bound + "'", 2, "not a finite number");
}

TEST(InputLimits, NumbersThatDoNotFitAreNoOthers) {
  expectRefused("explore " + swiglu + " --seed 99999999999999999999", 2, "too large");
  expectRefused("explore " + swiglu + " --budget 18446744073709551616", 2, "not in range 1 to");
  expectRefused("simulate " + swiglu + " --near-misses 18446744073709551616", 2, "too large");
  expectRefused("explore " + swiglu + " --threads -1", 2, "--threads");
  expectRefused("unlock " + swiglu + " --seconds nan", 2, "finite");
}

/// 2 is what no file could make right; what depends on a file is a diagnostic of it.
TEST(InputLimits, WrongUseIsTheSameInAllCommands) {
  for (const std::string command : {"explore ", "design ", "strategies "}) {
    expectRefused(command + swiglu + " --objective cylces", 2, "did you mean 'cycles'?");
    expectRefused(command + swiglu + " --objective cycles,cycles", 2, "given twice");
  }
  expectRefused("design " + swiglu + " --forbid tiel", 2, "did you mean 'tile'?");
  expectRefused("workload mo", 2, "did you mean 'moe'?");
  expectRefused("workload moe --model mixtral", 2, "it has no model 'mixtral'");
  expectRefused("workload moe --size Q=3", 2, "it has no size 'Q'");
  expectRefused("design " + swiglu + " --lock exprt", 1, "no region or operator of this name");
  expectRefused("simulate " + swiglu + " --set tlie=3", 1, "the file has no knob 'tlie'");
  // Of a file the same is a mistake in the file.
  const fs::path file = fs::temp_directory_path() / "sluice-tiel.sluice";
  Document document = *loadDocument(SLUICE_SOURCE_DIR "/sample_workloads/moe_three_ways.sluice");
  document.schedule.front().transformation = "tiel";
  ASSERT_TRUE(saveDocument(document, file));
  expectRefused("schedule " + file.string(), 1, "there is no transformation 'tiel'");
  fs::remove(file);
}

TEST(InputLimits, AWorkloadIsRefusedWhereItsFileWouldBe) {
  const fs::path file = fs::temp_directory_path() / "sluice-large.sluice";
  fs::remove(file);
  const std::string to = " -o " + file.string();
  expectRefused("workload moe --size B=99999999999" + to, 2, "size 'B': 99999999999 is more than 67108864");
  expectRefused("workload moe --size B=67108864" + to, 2, "tokens x top_k");
  expectRefused("workload attention --size N=99999999999" + to, 2, "size 'N'");
  EXPECT_FALSE(fs::exists(file));
}

TEST(InputLimits, EmptyTextsNameNothing) {
  expectRefused("simulate " + swiglu + " --trace ''", 2, "empty");
  expectRefused("explore " + swiglu + " --out ''", 2, "empty");
  expectRefused("check ''", 2, "empty");
  expectRefused("simulate " + mixtral + " --input routing=", 2, "no value");
  expectRefused("simulate " + swiglu + " --set tile=", 2, "no value");
  expectRefused("compare " + swiglu + " --set-b tile=", 2, "no value");
}

TEST(InputLimits, OurOwnDocumentsAreNotImported) {
  expectRefused("import " + swiglu + " -o /dev/null", 1, "nothing to import");
  const fs::path copy = fs::temp_directory_path() / "sluice-own.json";
  fs::copy_file(SLUICE_SOURCE_DIR "/sample_workloads/swiglu.sluice", copy,
                fs::copy_options::overwrite_existing);
  expectRefused("import '" + copy.string() + "' -o /dev/null", 1, "nothing to import");
  fs::remove(copy);
}

TEST(InputLimits, ControlCharactersInArgumentsAreWrittenOut) {
  const Outcome outcome = runCommandLine("check \"$(printf '/no\\033[31msuch\\007file')\"", true);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("/no\\x1b[31msuch\\x07file"), Not(HasSubstr("\x1b"))));
}

/// What sluice-cli prints to a terminal.
std::string onATerminal(const std::vector<std::string>& arguments) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::string program = SLUICE_BINARY_DIR "/bin/sluice-cli";
    std::vector<char*> words{program.data()};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    ::execv(program.c_str(), words.data());
    ::_exit(127);
  }
  std::string text;
  char block[4096];
  for (ssize_t count = 0; (count = ::read(terminal, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(count));
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  return text;
}

TEST(InputLimits, ATitleMovesNoCursor) {
  const fs::path file = fs::temp_directory_path() / "sluice-title.db";
  fs::remove(file);
  {
    Result<ResultStore> store = ResultStore::open(file, ResultStore::Access::Write);
    ASSERT_TRUE(store);
    ExplorationRecord record = explorationHere();
    record.workload = "w";
    record.title = "before \x1b[2J\x1b]0;owned\a after";
    ASSERT_TRUE(store->begin(record));
  }
  const std::string shown = onATerminal({"explorations", file.string()});
  fs::remove(file);
  EXPECT_THAT(shown, AllOf(HasSubstr("before \\x1b[2J"), Not(HasSubstr("\x1b")), Not(HasSubstr("\a"))));
}

TEST(InputLimits, KnobsAndConstantsOfOneNameAreToldApart) {
  const fs::path file = fs::temp_directory_path() / "sluice-names.sluice";
  std::ofstream(file) << R"({"sluice": 1, "constants": {"K": 2}, "knobs": [{"name": "K", "kind": "Range", )"
                         R"("default": 1}], "program": {}})";
  expectRefused("check '" + file.string() + "'", 1, "there is already a constant named 'K'");
  fs::remove(file);
}

TEST(InputLimits, SpacesBeyondNumberingAreToldInNumbersThatAreTrue) {
  const fs::path file = fs::temp_directory_path() / "sluice-space.sluice";
  Document document = testing_support::chainDocument(1, 4, 0);
  for (int i = 0; i < 4; ++i) {
    Knob knob;
    knob.name = "k" + std::to_string(i);
    knob.maximum = 1'000'000;
    document.knobs.push_back(knob);
  }
  ASSERT_TRUE(saveDocument(document, file));
  expectRefused("explore '" + file.string() + "'", 1, "2^63 or more points");
  fs::remove(file);
}

}  // namespace sluice::input_limits_cli_test
