// Emitted projects as their users meet them: from the shell, with make, with a folder that they work in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/core/atomic_file.h"
#include "engine/interchange/numpy.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/npy.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::emitted_projects_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing_support::Outcome;
using testing_support::runCommandLine;
using testing_support::sample;

bool hasVerilator() {
  return std::system("verilator --version >/dev/null 2>&1") == 0;
}

/// Commands in a folder that goes with the test.
class EmittedProjects : public testing_support::FolderTest {
 protected:
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

/// Of many differences those are told that say most; a damaged file is told before a run on it.
TEST_F(EmittedProjects, MakeCheckTellsTheFirstDifferencesAndMakeSimWhichFileIsDamaged) {
  if (!hasVerilator()) GTEST_SKIP() << "verilator is not installed";
  ASSERT_EQ(emit("rtl " + sample("simple_moe") + " -o rtl").status, 0);
  ASSERT_EQ(shell(make + "rtl check").status, 0);
  const std::string data = textOf("rtl/data/route_2.hex");
  const std::size_t line = data.find('\n') + 1;
  std::string other = data;
  write("rtl/data/route_2.hex", other.replace(line, 1, "2"));
  const Outcome fault = shell(make + "rtl check");
  EXPECT_NE(fault.status, 0);
  EXPECT_THAT(fault.out, HasSubstr("> fault "));
  EXPECT_THAT(fault.out, HasSubstr("< cycles "));
  EXPECT_THAT(fault.out, testing::ContainsRegex("< \\.\\.\\. and [0-9]+ more lines"));
  EXPECT_LT(std::ranges::count(fault.out, '\n'), 14);
  EXPECT_GT(std::ranges::count(textOf("rtl/out/differences.txt"), '\n'), 40);

  const auto damaged = [&](const std::string& text, const std::string& said) {
    write("rtl/data/route_2.hex", text);
    for (const char* target : {"rtl sim", "rtl check"}) {
      const Outcome refused = shell(make + target);
      EXPECT_NE(refused.status, 0) << said;
      EXPECT_THAT(refused.out, HasSubstr("data: failed, data/route_2.hex" + said)) << target;
    }
  };
  damaged(std::string(data).replace(line, 2, "zz"), ", line 2: a hexadecimal number is expected, and 'zz");
  damaged(data.substr(0, line), ": 16 numbers are expected, one a line, and 1 found");
  damaged(data + data, ": 16 numbers are expected, one a line, and 32 found");
  damaged("", ": 16 numbers are expected, one a line, and 0 found");
  fs::remove(folder_ / "rtl/data/route_2.hex");
  EXPECT_THAT(shell(make + "rtl sim").out,
              HasSubstr("data/route_2.hex is not there; 16 numbers are expected"));
  write("rtl/data/route_2.hex", data);
  EXPECT_EQ(shell(make + "rtl check").status, 0);
}

/// A program reads of what a project is; people read it in the README and at the head of the sources.
TEST_F(EmittedProjects, NameTheirPoint) {
  ASSERT_EQ(emit("rtl " + sample("simple_moe") + " --set token_tile=8 --no-run -o rtl").status, 0);
  const json point = json::parse(textOf("rtl/point.json"));
  EXPECT_EQ(point["program"], "Simplified mixture of experts");
  EXPECT_EQ(point["form"], "rtl");
  EXPECT_EQ(point["knobs"]["token_tile"], 8);
  EXPECT_EQ(point["machine"]["fifo_depth"], 4) << "an expression over a knob, at this point";
  EXPECT_EQ(point["inputs"][0]["name"], "routing");
  EXPECT_EQ(point["inputs"][0]["shape"], json({16, 1}));
  EXPECT_THAT(textOf("rtl/testbench.sv"),
              HasSubstr("emitted_point = 128'h" + point["point"].get<std::string>()))
      << "by which a recording is known";
  EXPECT_THAT(textOf("rtl/README.md"), HasSubstr("token_tile = 8"));
  EXPECT_THAT(textOf("rtl/program.sv").substr(0, 200), HasSubstr("token_tile = 8"));
  ASSERT_EQ(emit("rtl " + sample("simple_moe") + " --no-run -o other").status, 0);
  EXPECT_NE(json::parse(textOf("other/point.json"))["point"], point["point"]);

  ASSERT_EQ(emit("hls gpt2 --set tokens=4 --rewrites 'fold everywhere' --no-data -o hls").status, 0);
  const json model = json::parse(textOf("hls/point.json"));
  EXPECT_EQ(model["choices"]["tokens"], "4");
  EXPECT_EQ(model["choices"]["rewrites"], "fold everywhere");
  EXPECT_EQ(model["choices"]["numbers"], "float32");
  EXPECT_THAT(textOf("hls/README.md"), HasSubstr("tokens: 4"));
  EXPECT_THAT(textOf("hls/src/design.h"), HasSubstr("tokens: 4"));
  ASSERT_EQ(emit("sdf3 gpt2 --set tokens=4 -o sdf3").status, 0);
  EXPECT_EQ(json::parse(textOf("sdf3/point.json"))["form"], "sdf3");
}

/// What a program is called must not get out of the comment, nor of the table.
TEST_F(EmittedProjects, AHostileTitleStaysInItsComment) {
  json program = json::parse(*readFile(SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice"));
  program["title"] = "x | y\n`include \"/etc/passwd\" \\";
  write("hostile.sluice", program.dump());
  ASSERT_EQ(emit("rtl hostile.sluice --no-run -o rtl").status, 0);
  EXPECT_THAT(textOf("rtl/program.sv"), testing::Not(HasSubstr("`include")));
  EXPECT_THAT(textOf("rtl/README.md"), testing::Not(HasSubstr("x | y")));
  EXPECT_EQ(json::parse(textOf("rtl/point.json"))["program"], program["title"]);
}

/// A build takes minutes, and notes are written by hand: they are not the emitter's.
TEST_F(EmittedProjects, EmittingAgainKeepsWhatIsNotGenerated) {
  for (const std::string& form :
       {"rtl " + sample("simple_moe") + " --no-run", std::string("hls gpt2 --no-data")}) {
    SCOPED_TRACE(form);
    const bool rtl = form.starts_with("rtl");
    const std::string first = rtl ? " --set token_tile=8" : " --set tokens=4";
    const std::string second = rtl ? " --set token_tile=16" : " --set tokens=8";
    fs::remove_all(folder_ / "p");
    ASSERT_EQ(emit(form + first + " -o p").status, 0);
    write("p/build/csim", "a program");
    write("p/notes.txt", "mine");
    fs::create_directories(folder_ / "p/empty");
    fs::create_symlink("notes.txt", folder_ / "p/shortcut");
    const Outcome again = emit(form + second + " -o p");
    ASSERT_EQ(again.status, 0) << again.out;
    EXPECT_THAT(again.out, HasSubstr("kept build/, empty, notes.txt, shortcut, which were not generated"));
    EXPECT_EQ(textOf("p/build/csim"), "a program");
    EXPECT_EQ(textOf("p/shortcut"), "mine");
    EXPECT_TRUE(fs::is_symlink(folder_ / "p/shortcut") && fs::is_directory(folder_ / "p/empty"));
    const json point = json::parse(textOf("p/point.json"));
    EXPECT_EQ(rtl ? point["knobs"]["token_tile"] : point["choices"]["tokens"], rtl ? json(16) : json("8"));

    const std::string source = rtl ? "p/testbench.sv" : "p/bench/testbench.cpp";
    write(source, textOf(source) + "// mine\n");
    const std::string readme = textOf("p/README.md");
    const Outcome refused = emit(form + first + " -o p");
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.out, HasSubstr("'" + source.substr(2) + "'"));
    EXPECT_THAT(refused.out, HasSubstr("--replace"));
    EXPECT_THAT(textOf(source), HasSubstr("// mine"));
    EXPECT_EQ(textOf("p/README.md"), readme) << "nothing is written";
    const Outcome replaced = emit(form + first + " -o p --replace");
    EXPECT_EQ(replaced.status, 0);
    EXPECT_THAT(replaced.out, HasSubstr("replaced 1 changed file"));
    EXPECT_THAT(textOf(source), testing::Not(HasSubstr("// mine")));
    EXPECT_EQ(textOf("p/notes.txt"), "mine");
  }
}

/// Changed data that happens to be what is emitted now is nothing that would be lost; a file where a folder
/// has to be is.
TEST_F(EmittedProjects, AFileInTheWayIsNotLost) {
  const std::string form = "rtl " + sample("simple_moe") + " --no-run -o p";
  ASSERT_EQ(emit(form).status, 0);
  write("p/sizes.sv", textOf("p/sizes.sv"));
  EXPECT_EQ(emit(form).status, 0);
  fs::remove_all(folder_ / "p/data");
  write("p/data", "mine");
  const Outcome refused = emit(form);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("'data'"));
  EXPECT_EQ(textOf("p/data"), "mine");
}

/// The sample's help names a card; its default knobs do not fit there. The refusal says which do.
TEST_F(EmittedProjects, WhatDoesNotFitACardSaysWhichKnobsDo) {
  for (const std::string& command :
       {"compile " + sample("gpt2_block") + " --platform u55c",
        "emit hls " + sample("gpt2_block") + " --platform u55c --no-data -o block"}) {
    const Outcome refused = runCommandLine(command, true, folder_.string());
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.out, HasSubstr("it fits with tile=16, or with unroll=2048"));
  }
  EXPECT_EQ(
      emit("hls " + sample("gpt2_block") + " --platform u55c --set unroll=2048 --no-data -o block").status,
      0);
  EXPECT_EQ(json::parse(textOf("block/point.json"))["choices"]["card"], "u55c");
}

/// What the test bench would refuse, or what would make its results worthless, is told where it is emitted.
TEST_F(EmittedProjects, ArraysThatAreGivenAreChecked) {
  const std::string form = "hls gpt2 --set tokens=4 -o hls --tensors ";
  const auto refused = [&](const IntTensor& values, const std::string& type, const std::string& told) {
    writeNpy(folder_ / "x.npy", values, type);
    const Outcome outcome = emit(form + "x.npy");
    EXPECT_EQ(outcome.status, 1) << told;
    EXPECT_THAT(outcome.out, HasSubstr("x.npy: ")) << told;
    EXPECT_THAT(outcome.out, HasSubstr(told));
    EXPECT_FALSE(fs::exists(folder_ / "hls")) << told;
  };
  const std::size_t columns = 1024;
  IntTensor whole{{4, columns}, std::vector<std::int64_t>(4 * columns, 3)};
  refused({{2, 3}, {1, 2, 3, 4, 5, 6}}, "<i8",
          "its shape is 2 x 3, and that of the program's tensor 4 x 1024");
  IntTensor large = whole;
  large.data[7] = (1 << 24) + 1;
  refused(large, "<i8", "16777217 is no number of float32");
  for (const auto& [number, name] :
       {std::pair(std::numeric_limits<double>::infinity(), "is infinite"),
        std::pair(std::numeric_limits<double>::quiet_NaN(), "is not a number")}) {
    IntTensor other{{4, columns}, std::vector<std::int64_t>(4 * columns)};
    other.data[5] = std::bit_cast<std::int64_t>(number);
    refused(other, "<f8", "its element 5, in the order of memory, " + std::string(name));
  }
  fs::rename(folder_ / "x.npy", folder_ / "y.npy");
  EXPECT_THAT(emit(form + "y.npy").out, HasSubstr("did you mean 'x'?"));
  ASSERT_TRUE(saveTensors(folder_ / "none.npz", TensorSet{}));
  const Outcome none = emit(form + "none.npz");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("none.npz: the archive holds no array"));
  EXPECT_FALSE(fs::exists(folder_ / "hls"));
  writeNpy(folder_ / "x.npy", whole);
  ASSERT_EQ(emit(form + "x.npy").status, 0);
  EXPECT_THAT(textOf("hls/README.md"), HasSubstr("`x` 4 x 1024"));
}

/// On no card the program's machine stands, and clock and memory are of a stand-in: every file says so.
TEST_F(EmittedProjects, OnNoCardEveryFileNamesTheSameMachine) {
  ASSERT_EQ(emit("hls " + sample("gpt2_block") + " --set tokens=32 --no-data -o free").status, 0);
  const json point = json::parse(textOf("free/point.json"));
  EXPECT_EQ(point["machine"]["name"], "U55C") << "of the program";
  EXPECT_EQ(point["choices"]["card"], "none");
  EXPECT_EQ(point["choices"]["clock_and_memory_of"], "generic");
  for (const char* file : {"free/link/connectivity.cfg", "free/README.md"})
    EXPECT_THAT(textOf(file),
                HasSubstr("machine 'U55C', on no card (--platform places it): clock and memory are "
                          "those of 'A generic accelerator'"));
  ASSERT_EQ(emit("hls gpt2 --set tokens=4 --platform u280 --no-data -o placed").status, 0);
  EXPECT_EQ(json::parse(textOf("placed/point.json"))["machine"]["name"], "u280");
  EXPECT_THAT(textOf("placed/link/connectivity.cfg"), testing::Not(HasSubstr("on no card")));
  EXPECT_THAT(textOf("placed/link/connectivity.cfg"), HasSubstr("U280"));
}

}  // namespace sluice::emitted_projects_test
