// What every command of sluice-cli owes its caller, whatever ends it: an exit code, a reason, with --json one
// object. The commands come from the program itself, so that a new one is in all of these tests.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"
#include "tests/engine/support/temporary_folder.h"

namespace sluice::every_command_test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing_support::runCommandLine;
using testing_support::sample;

const std::string cli = "'" SLUICE_BINARY_DIR "/bin/sluice-cli'";

struct Command {
  std::string name, arguments;  ///< of a run that ends well
  bool json = false;            ///< it knows --json

  std::string words() const { return name + " " + arguments + (json ? " --json" : ""); }
};

struct Ended {
  int status = 0;  ///< exit code; 1000 + signal if one killed it
  std::string out, err;

  json object() const { return json::parse(out, nullptr, false); }
};

class EveryCommand : public testing_support::FolderTest {
 protected:
  EveryCommand() {
    runCommandLine("explore " + sample("swiglu") + " --strategy random --budget 3 --store " + at("s.db"));
    std::ofstream(folder_ / "step.json") << R"({"depth":2,"cfg":{},"fb":2,"ops":[
      {"T":"OffChipLoad","id":1,"out":[4,2],"tile_row":2,"tile_col":8,"par":1},
      {"T":"PrinterContext","id":3,"inp":[1,null]}]})";
    std::ofstream(folder_ / "requests") << R"({"jsonrpc":"2.0","id":1,"method":"set"})"
                                        << "\n";
  }
  /// Where more is needed than a program.
  std::map<std::string, std::string> arguments() const {
    const std::string lock = sample("deadlocks/interlocking");
    const std::string type = "'itensor<8x8xf32, iter_space: [1,1]*[8,8], iter_map: (d0,d1)->(d0,d1)>'";
    return {{"compare", sample("swiglu") + " " + sample("swiglu")},
            {"calibrate", sample("swiglu") + " --fit hbm_start_up --measured '" SLUICE_SOURCE_DIR
                                             "/sample_workloads/measurements/swiglu_rtl.csv'"},
            {"depth-frontier", lock + " --up-to 3"},
            {"distribution", sample("simple_moe") + " --input routing=set:zipf,count=4,skew=0.5"},
            {"unlock", lock},
            {"strategies", sample("swiglu") + " --budget 10 --strategies random"},
            {"explorations", at("s.db")},
            {"points", at("s.db")},
            {"merge", at("all.db") + " " + at("s.db")},
            {"serve", "--stdio <" + at("requests")},
            {"schema", ""},
            {"workload", "swiglu"},
            {"reproduce", "fig8"},
            {"import", at("step.json") + " -o " + at("imported.sluice")},
            {"itensor", type},
            {"itensor convert", type + " " + type + " --tensor 8x8"},
            {"parallelize", "'" SLUICE_SOURCE_DIR "/tests/data/streamtensor/hida_listing.json'"},
            {"compile", "gpt2 --set tokens=8"},
            {"size-fifos", "'" SLUICE_SOURCE_DIR "/tests/data/streamtensor/fork_join.json'"},
            {"throughput", "'" SLUICE_SOURCE_DIR "/sample_workloads/csdf/audio_player.xml'"},
            {"emit", "hls gpt2 --set tokens=4 --no-data -o " + at("emitted")},
            {"emit hls", "gpt2 --set tokens=4 --no-data -o " + at("emitted")},
            {"emit rtl", sample("swiglu") + " -o " + at("emitted_rtl")},
            {"emit sdf3", "gpt2 --set tokens=4 -o " + at("emitted_sdf3")},
            {"emit step", sample("swiglu") + " -o " + at("emitted_step")},
            {"export", sample("swiglu") + " --chart graph --out " + at("graph.svg")},
            {"help", "json-syntax"},
            {"man-page", ""},
            {"commands", ""}};
  }

  std::vector<Command> commands() const {
    std::vector<Command> all;
    const auto known = arguments();
    const json list = runCommandLine("commands").object();
    for (const json& each : list.at("commands")) {
      const std::string name = each["name"];
      const auto found = known.find(name);
      Command command{name, found == known.end() ? sample("swiglu") : found->second, false};
      for (const json& option : each["options"]) command.json = command.json || option["name"] == "--json";
      all.push_back(std::move(command));
    }
    EXPECT_GT(all.size(), 20u);
    return all;
  }

  /// Runs words of the shell; standard output goes to `out`, a descriptor, or to a file.
  pid_t start(const std::string& words, int out = -1) const {
    const std::string command = "exec " + words + " 2>" + at("err") + (out < 0 ? " >" + at("out") : "");
    const pid_t child = ::fork();
    if (child != 0) return child;
    // The tests may have been started in the background, where a shell lets signals be ignored.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    if (out >= 0) ::dup2(out, STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  Ended end(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), read("out"), read("err")};
  }
  Ended run(const std::string& words) const { return end(start(words)); }

  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return text.str();
  }

  /// Waits until a process takes signals itself; false: it has ended before.
  static bool takesSignals(pid_t child) {
    for (int i = 0; i < 30000; ++i) {
      std::ifstream status("/proc/" + std::to_string(child) + "/status");
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("State:\tZ")) return false;
        if (line.starts_with("SigBlk:") && (std::stoull(line.substr(7), nullptr, 16) & 1u << (SIGTERM - 1)))
          return true;
      }
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }
};

TEST_F(EveryCommand, EndsWellAndWithJsonPrintsOneObject) {
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.words());
    const Ended ended = run(cli + " " + command.words());
    if (command.name == "export" && ended.err.find("not there") != std::string::npos) continue;  // no window
    EXPECT_THAT(ended.status, AnyOf(0, 3)) << ended.err;
    if (command.json) {
      EXPECT_TRUE(ended.object().is_object()) << ended.out;
    }
  }
}

TEST_F(EveryCommand, TellsOfOutputThatIsLost) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  int nobody[2];
  ASSERT_EQ(::pipe2(nobody, O_CLOEXEC), 0);
  ::close(nobody[0]);
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.words());
    const std::string words = cli + " " + command.words();
    if (run(words).out.empty()) continue;  // it only writes a file
    for (const int where : {full, nobody[1], -1}) {
      const Ended ended = end(where < 0 ? start(words + " >&-", full) : start(words, where));
      // A client that leaves the server has lost nothing.
      const bool fine = command.name == "serve" && where == nobody[1];
      EXPECT_EQ(ended.status, fine ? 0 : 1) << where;
      EXPECT_THAT(ended.err, HasSubstr(fine ? "" : "standard output: it cannot be written"));
    }
  }
  ::close(full);
  ::close(nobody[1]);
}

TEST_F(EveryCommand, RefusesWrongUseWithOneObject) {
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.name);
    const Ended ended = run(cli + " " + command.name + " --no-such-option --json");
    EXPECT_EQ(ended.status, 2);
    ASSERT_TRUE(ended.object().is_object()) << ended.out;
    EXPECT_EQ(ended.object()["diagnostics"][0]["place"], "command line");
    EXPECT_THAT(ended.err, HasSubstr("--help"));
  }
}

/// What is wrong whatever the files hold is 2, a file that is not there 1.
TEST_F(EveryCommand, TellsWrongUseFromWrongFiles) {
  const json list = runCommandLine("commands").object();
  std::size_t wrong = 0;
  for (const json& each : list.at("commands")) {
    const std::string name = each["name"];
    bool takes_file = false;
    for (const json& option : each["options"]) {
      const std::string option_name = option["name"], type = option.value("type", "");
      if (option_name == "FILE" && option.value("required", false)) takes_file = true;
      if (!option_name.starts_with("--")) continue;
      const bool number = type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
      if (!number && type.find(":{") == std::string::npos) continue;
      SCOPED_TRACE(name + " " + option_name);
      EXPECT_EQ(run(cli + " " + name + " " + at("nothing") + " " + option_name + " no_such_value").status, 2);
      ++wrong;
    }
    if (!takes_file || name == "serve") continue;
    SCOPED_TRACE(name);
    EXPECT_EQ(run(cli + " " + name).status, 2);
    const bool writes = name == "import" || name == "export" || name.starts_with("emit");
    const std::string measured = name == "calibrate" ? " --fit tile --measured " + at("nothing") : "";
    const std::string out = name == "export" ? " --out " + at("x.svg") : writes ? " -o " + at("x") : "";
    EXPECT_EQ(run(cli + " " + name + " " + at("nothing") + out + measured).status, 1);
  }
  EXPECT_GT(wrong, 20u);
  for (const std::string words :
       {"explore FILE --objectives nothing", "explore FILE --constraint 'cycles<2 3'",
        "explore FILE --resume", "explore FILE --shard 1", "design FILE --resume",
        "strategies FILE --constraint 'nothing<=1'"}) {
    SCOPED_TRACE(words);
    std::string given = words;
    EXPECT_EQ(run(cli + " " + given.replace(given.find("FILE"), 4, sample("swiglu"))).status, 2);
  }
}

/// "... and 200 more (--all shows them)".
TEST_F(EveryCommand, NamesOnlyOptionsThatItHas) {
  std::size_t named = 0;
  const std::string graph = "throughput '" SLUICE_SOURCE_DIR "/tests/data/sdf3/BlackScholes.xml'";
  for (const std::string& words :
       {graph, "shapes " + sample("moe_mixtral"), "simulate " + sample("moe_mixtral"),
        "explore " + sample("moe_three_ways"), "compare " + sample("swiglu") + " " + sample("simple_moe")}) {
    SCOPED_TRACE(words);
    const std::string out = run(cli + " " + words).out;
    const std::string help = run(cli + " " + words.substr(0, words.find(' ')) + " --help").out;
    for (std::size_t at = out.find(" shows them)"); at != std::string::npos;
         at = out.find(" shows them)", at + 1)) {
      const std::size_t begin = out.rfind('(', at) + 1;
      EXPECT_THAT(help, HasSubstr(out.substr(begin, at - begin)));
      ++named;
    }
  }
  EXPECT_GT(named, 0u);
}

/// Whatever it is doing then.
TEST_F(EveryCommand, EndsBySignals) {
  for (const Command& command : commands()) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      SCOPED_TRACE(command.words() + ", signal " + std::to_string(signal));
      const pid_t child = start(cli + " " + command.words());
      if (takesSignals(child)) ::kill(child, signal);
      const Ended ended = end(child);
      EXPECT_THAT(ended.status, AnyOf(0, 1, 3, 130)) << ended.err;
      if (command.json) {
        EXPECT_TRUE(ended.object().is_object()) << ended.out;
      }
      if (ended.status == 130) {
        EXPECT_THAT(ended.err, HasSubstr("cancelled by SIG"));
      }
    }
  }
}

TEST_F(EveryCommand, ThatIsLongStopsAndSaysSo) {
  Document endless = testing_support::chainDocument(50, 2'000'000'000, 0);
  ASSERT_TRUE(saveDocument(endless, folder_ / "endless.sluice"));
  const std::string file = at("endless.sluice"), set = " --set-a depth=1";
  const std::vector<std::string> all = {"simulate " + file,
                                        "simulate " + file + " --stalls",
                                        "explore " + file + " --store " + at("long.db"),
                                        "compare " + file + set,
                                        "strategies " + file,
                                        "unlock " + file,
                                        "depth-frontier " + file};
  for (const std::string& words : all) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      SCOPED_TRACE(words + ", signal " + std::to_string(signal));
      const pid_t child = start(cli + " " + words + " --json");
      ASSERT_TRUE(takesSignals(child));
      std::this_thread::sleep_for(300ms);
      ::kill(child, signal);
      ::kill(child, signal);           // as timeout(1) does
      const Ended ended = end(child);  // which would take hours
      EXPECT_EQ(ended.status, 130) << ended.err;
      ASSERT_TRUE(ended.object().is_object()) << ended.out;
      EXPECT_EQ(ended.object()["cancelled"], true);
      if (words.starts_with("explore")) {
        EXPECT_THAT(ended.err, HasSubstr("--resume"));
      }
    }
  }
}

/// Standard output is closed when the answer is complete; then the program only cleans up.
TEST_F(EveryCommand, TakesNoSignalAfterTheAnswer) {
  for (int round = 0; round < 20; ++round) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      int answer[2];
      ASSERT_EQ(::pipe2(answer, O_CLOEXEC), 0);
      const pid_t child = start(cli + " check " + sample("simple_moe") + " --json", answer[1]);
      ::close(answer[1]);
      std::string text;
      char buffer[4096];
      for (ssize_t got = 0; (got = ::read(answer[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
      ::kill(child, signal);
      ::close(answer[0]);
      EXPECT_EQ(end(child).status, 0) << "signal " << signal;
      EXPECT_TRUE(json::parse(text, nullptr, false).is_object()) << text;
    }
  }
}

/// As nohup does.
TEST_F(EveryCommand, LeavesAnIgnoredHangUpIgnored) {
  const pid_t child =
      start("sh -c \"trap '' HUP; exec " + cli + " explore " + sample("simple_moe") + " --json\"");
  if (takesSignals(child)) ::kill(child, SIGHUP);
  EXPECT_EQ(end(child).status, 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(EveryCommand, WithoutMemoryIsADiagnosticAndOneObject) {
  ASSERT_TRUE(saveDocument(testing_support::chainDocument(40'000, 10, 2), folder_ / "large.sluice"));
  bool told = false;
  for (const std::string name : {"check", "shapes", "simulate", "explore", "compare", "dot"}) {
    for (const int megabytes : {250, 300, 400}) {
      const std::string files = at("large.sluice") + (name == "compare" ? " " + at("large.sluice") : "");
      const std::string words = name + " " + files + (name == "dot" ? "" : " --json");
      SCOPED_TRACE(words + " in " + std::to_string(megabytes) + " MB");
      const Ended ended = run("sh -c 'ulimit -v " + std::to_string(megabytes * 1024) + "; exec \"$@\"' sh " +
                              cli + " " + words);
      EXPECT_THAT(ended.status, AnyOf(0, 1)) << ended.err;
      EXPECT_THAT(ended.err, testing::Not(HasSubstr("internal error")));
      told = told || ended.err.find("memory") != std::string::npos;
      if (name != "dot") {
        EXPECT_TRUE(ended.object().is_object()) << ended.out.substr(0, 500);
      }
    }
  }
  EXPECT_TRUE(told) << "there was memory enough: this tests nothing";
}
#endif

std::vector<pid_t> childrenOf(pid_t process) {
  std::ifstream list("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

bool isAlive(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  return std::getline(status, text) && text.find(") Z ") == std::string::npos;
}

TEST_F(EveryCommand, TakesItsChildrenAlong) {
  if (!fs::exists(SLUICE_BINARY_DIR "/bin/sluice-chart")) GTEST_SKIP() << "built without the window";
  Document slow = testing_support::chainDocument(50, 2'000'000'000, 0);
  ASSERT_TRUE(saveDocument(slow, folder_ / "slow.sluice"));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGKILL}) {
    SCOPED_TRACE(signal);
    const pid_t child = start(cli + " export " + at("slow.sluice") + " --out " + at("x.pdf") + " --json");
    for (int i = 0; i < 3000 && childrenOf(child).empty(); ++i) std::this_thread::sleep_for(10ms);
    const std::vector<pid_t> helpers = childrenOf(child);
    ASSERT_EQ(helpers.size(), 1u);
    std::this_thread::sleep_for(300ms);
    ::kill(child, signal);
    const Ended ended = end(child);
    EXPECT_EQ(ended.status, signal == SIGKILL ? 1000 + SIGKILL : 130);
    if (signal != SIGKILL) {
      EXPECT_EQ(ended.object()["cancelled"], true) << ended.out;
    }
    for (int i = 0; i < 1000 && isAlive(helpers[0]); ++i) std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(isAlive(helpers[0]));
  }
}

TEST_F(EveryCommand, AndTheOtherProgramsTellOfLostOutput) {
  const std::string window = SLUICE_BINARY_DIR "/bin/sluice", chart = SLUICE_BINARY_DIR "/bin/sluice-chart";
  if (!fs::exists(window) || !fs::exists(chart)) GTEST_SKIP() << "built without the window";
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  const std::string charts =
      "env QT_QPA_PLATFORM=offscreen '" + window + "' " + sample("simple_moe") + " --charts " + at("charts");
  EXPECT_EQ(run(charts).status, 0);
  for (const std::string& words : {charts, "'" + chart + "' --json </dev/null"}) {
    const Ended ended = end(start(words, full));
    EXPECT_EQ(ended.status, 1) << words;
    EXPECT_FALSE(ended.err.empty()) << words;
  }
  ::close(full);
}

}  // namespace sluice::every_command_test
