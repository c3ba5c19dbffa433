// Emitted projects as their users meet them: from the shell, with make, with a folder that they work in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/core/atomic_file.h"
#include "tests/engine/support/command_line.h"

namespace sluice::emitted_projects_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;

std::string sample(const std::string& name) {
  return "'" SLUICE_SOURCE_DIR "/sample_workloads/" + name + ".sluice'";
}

bool hasVerilator() {
  return std::system("verilator --version >/dev/null 2>&1") == 0;
}

/// Commands in a folder that goes with the test.
class EmittedProjects : public testing::Test {
 protected:
  EmittedProjects() : folder_(fs::path(testing::TempDir()) / ("emitted_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~EmittedProjects() override { fs::remove_all(folder_); }

  Outcome emit(const std::string& arguments) const {
    return runCommandLine("emit " + arguments, true, folder_.string());
  }
  Outcome shell(const std::string& command) const {
    Outcome done;
    const std::string all = "cd '" + folder_.string() + "' && (" + command + ") > said.txt 2>&1";
    const int status = std::system(all.c_str());
    done.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
    done.out = *readFile(folder_ / "said.txt");
    return done;
  }
  std::string textOf(const std::string& file) const { return *readFile(folder_ / file); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = textOf(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(file, text.replace(at, from.size(), to));
  }

  fs::path folder_;
};

const std::string make = "make -s JOBS=1 OPTIMISATION=-O0 -C ";

/// A script that runs `make sim` goes by its exit code.
TEST_F(EmittedProjects, MakeSimFailsWhereTheRunDoesNotEnd) {
  if (!hasVerilator()) GTEST_SKIP() << "verilator is not installed";
  ASSERT_EQ(emit("rtl " + sample("deadlock_fork_join") + " --set depth=8 -o rtl").status, 0);
  const Outcome ended = shell(make + "rtl sim");
  EXPECT_EQ(ended.status, 0) << ended.out;
  EXPECT_THAT(ended.out, HasSubstr("cycles "));
  EXPECT_THAT(ended.out, testing::Not(HasSubstr("failed")));

  replace("rtl/program.sv", "DEPTH(8)", "DEPTH(2)");
  const Outcome locked = shell(make + "rtl sim");
  EXPECT_NE(locked.status, 0);
  EXPECT_THAT(locked.out, HasSubstr("sim: failed, the program deadlocks"));
  EXPECT_THAT(locked.out, HasSubstr("waits "));
  EXPECT_NE(shell(make + "rtl sim").status, 0) << "also when there is nothing to be made";

  replace("rtl/program.sv", "DEPTH(2)) exp_out_broadcast_out_0", "DEPTH(8)) exp_out_broadcast_out_0");
  replace("rtl/program.sv", "TILE({64'd32, 64'd16})", "TILE({64'd32, 64'd8})");
  const Outcome fault = shell(make + "rtl sim");
  EXPECT_NE(fault.status, 0);
  EXPECT_THAT(fault.out, HasSubstr("sim: failed, an operator got what it cannot accept"));
}

/// A deadlock that the simulator expects is no failure of the comparison.
TEST_F(EmittedProjects, MakeCheckAcceptsADeadlockThatIsExpected) {
  if (!hasVerilator()) GTEST_SKIP() << "verilator is not installed";
  ASSERT_EQ(emit("rtl " + sample("deadlock_fork_join") + " -o rtl").status, 0);
  const Outcome same = shell(make + "rtl check");
  EXPECT_EQ(same.status, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("the same"));
  EXPECT_NE(shell(make + "rtl sim").status, 0);
}

}  // namespace sluice::emitted_projects_test
