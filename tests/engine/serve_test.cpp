// sluice-cli serve --stdio as a script meets it: JSON-RPC over pipes, good requests, bad ones, and
// cancelling.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"

namespace sluice {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string sample = SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice";

class Serve : public testing::Test {
 protected:
  void SetUp() override {
    int to[2], from[2];
    ASSERT_EQ(::pipe(to), 0);
    ASSERT_EQ(::pipe(from), 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      for (const int end : {to[0], to[1], from[0], from[1]}) ::close(end);
      ::execl(SLUICE_BINARY_DIR "/bin/sluice-cli", "sluice-cli", "serve", "--stdio", nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    in_ = ::fdopen(to[1], "w");
    out_ = ::fdopen(from[0], "r");
  }
  void TearDown() override {
    if (in_) std::fclose(in_);
    std::fclose(out_);
    int status = 0;
    ::waitpid(child_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }

  void write(const std::string& line) {
    std::fputs((line + "\n").c_str(), in_);
    std::fflush(in_);
  }
  int send(const std::string& method, const json& params) {
    write(json{{"jsonrpc", "2.0"}, {"id", ++last_}, {"method", method}, {"params", params}}.dump());
    return last_;
  }
  json read() {
    char* line = nullptr;
    std::size_t room = 0;
    const auto length = ::getline(&line, &room, out_);
    const json message = length > 0 ? json::parse(line, nullptr, false) : json();
    std::free(line);
    return message;
  }
  /// The answer to a request; notifications before it are counted.
  json answer(int id) {
    while (true) {
      json message = read();
      if (message.is_null() || message.is_discarded()) return message;
      if (message.value("method", "") == "progress") {
        EXPECT_EQ(message["params"]["id"], id);
        points_ += message["params"]["points"].size();
      } else {
        EXPECT_EQ(message["jsonrpc"], "2.0");
        EXPECT_EQ(message["id"], id) << "answers come in the order of the requests";
        return message;
      }
    }
  }
  json call(const std::string& method, const json& params) { return answer(send(method, params)); }

  pid_t child_ = 0;
  FILE *in_ = nullptr, *out_ = nullptr;
  int last_ = 0;
  std::size_t points_ = 0;
};

TEST_F(Serve, OpensSetsSimulatesAndExplores) {
  const json opened = call("open", {{"file", sample}})["result"];
  EXPECT_EQ(opened["points"], 72);
  ASSERT_FALSE(opened["knobs"].empty());
  const json knob = opened["knobs"][0];
  const json first = call("simulate", json::object())["result"];
  EXPECT_EQ(first["state"], "done");
  const json set =
      call("set", {{"knobs", {{knob["name"].get<std::string>(), knob["values"].back()}}}})["result"];
  EXPECT_EQ(set["knobs"][knob["name"].get<std::string>()], knob["values"].back());
  const json second = call("simulate", json::object())["result"];
  EXPECT_EQ(second["knobs"], set["knobs"]);
  const json cli = testing_support::runCommandLine("explore '" + sample + "' --json").object();
  const json explored = call("explore", json::object())["result"];
  EXPECT_EQ(explored["evaluated"], 72);
  EXPECT_EQ(points_, 72u) << "every point is told once";
  EXPECT_EQ(explored["hypervolume"], cli["hypervolume"]);
  EXPECT_EQ(explored["frontier"].size(), cli["frontier"].size());
  EXPECT_EQ(explored["frontier"][0]["metrics"],
            cli["points"][cli["frontier"][0].get<std::size_t>()]["metrics"]);
}

TEST_F(Serve, CancelsWhatRunsAndWhatWaits) {
  Document document = testing_support::chainDocument(40, 2000, 0);
  document.knobs[0].maximum = 5000;
  call("open", {{"text", writeDocument(document)}});
  const int running = send("explore", {{"budget", 100000}});
  const int waiting = send("explore", {{"budget", 100000}});
  for (std::size_t before = points_; points_ == before;) {
    const json message = read();
    ASSERT_EQ(message.value("method", ""), "progress") << message;
    points_ += message["params"]["points"].size();
  }
  write(R"({"jsonrpc": "2.0", "method": "cancel", "params": {"id": )" + std::to_string(waiting) + "}}");
  write(R"({"jsonrpc": "2.0", "method": "cancel", "params": {"id": )" + std::to_string(running) + "}}");
  EXPECT_EQ(answer(running)["error"]["code"], -32800);
  EXPECT_EQ(answer(waiting)["error"]["code"], -32800);
  EXPECT_EQ(call("simulate", json::object())["result"]["state"], "done") << "it goes on after that";
}

TEST_F(Serve, RefusesWhatIsWrongAndGoesOn) {
  write("this is not JSON");
  EXPECT_EQ(read()["error"]["code"], -32700);
  for (const char* wrong :
       {"[]", "3", "{}", R"({"jsonrpc": "1.0", "id": 1, "method": "open"})",
        R"({"jsonrpc": "2.0", "id": 1, "method": 7})", R"({"jsonrpc": "2.0", "id": {}, "method": "open"})"}) {
    write(wrong);
    EXPECT_EQ(read()["error"]["code"], -32600) << wrong;
  }
  EXPECT_EQ(call("fly", json::object())["error"]["code"], -32601);
  EXPECT_EQ(call("simulate", json::object())["error"]["code"], -32000);
  EXPECT_EQ(call("open", json::object())["error"]["code"], -32602);
  EXPECT_EQ(call("open", {{"file", 3}})["error"]["code"], -32602);
  EXPECT_EQ(call("open", json::array({1, 2}))["error"]["code"], -32602);
  const json missing = call("open", {{"file", "/nowhere.sluice"}})["error"];
  EXPECT_EQ(missing["code"], -32000);
  EXPECT_FALSE(missing["data"][0]["mend"].get<std::string>().empty());
  EXPECT_EQ(call("open", {{"text", "{\"sluice\": 1}"}})["error"]["code"], -32000);
  EXPECT_TRUE(call("open", {{"file", sample}}).contains("result"));
  EXPECT_EQ(call("set", {{"knobs", {{"nonsense", 1}}}})["error"]["code"], -32000);
  EXPECT_EQ(call("set", {{"knobs", {{"nonsense", json::array()}}}})["error"]["code"], -32602);
  EXPECT_EQ(call("explore", {{"strategy", "luck"}})["error"]["code"], -32000);
  EXPECT_EQ(call("explore", {{"level", "deep"}})["error"]["code"], -32602);
  EXPECT_EQ(call("explore", {{"store", "/nowhere/s.db"}})["error"]["code"], -32000);
  EXPECT_TRUE(call("explore", json::object()).contains("result"));
  EXPECT_TRUE(call("shutdown", json::object()).contains("result"));
}

TEST(ServeScript, ThePythonExampleRuns) {
  if (std::system("command -v python3 >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3 here";
  const std::string command = "python3 '" SLUICE_SOURCE_DIR "/resources/python/sluice_rpc.py' '" + sample +
                              "' '" SLUICE_BINARY_DIR "/bin/sluice-cli' 2>/dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string output(65536, '\0');
  output.resize(std::fread(output.data(), 1, output.size(), pipe));
  EXPECT_EQ(::pclose(pipe), 0);
  EXPECT_THAT(output, HasSubstr("72 points"));
  EXPECT_THAT(output, HasSubstr("frontier:"));
}

}  // namespace
}  // namespace sluice
