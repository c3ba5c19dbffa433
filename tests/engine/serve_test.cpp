// sluice-cli serve --stdio as a script meets it: JSON-RPC over pipes, good requests, bad ones, batches,
// cancelling, and going without a word.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "engine/explorer/search/strategies.h"
#include "engine/program/file_format.h"
#include "tests/engine/support/command_line.h"
#include "tests/engine/support/documents.h"

namespace sluice::serve_test {

using nlohmann::json;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string sample = SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice";

/// {"text": a program with `points` points that take some milliseconds each}.
json slowProgram(std::int64_t points) {
  Document document = testing_support::chainDocument(40, 2000, 0);
  document.knobs[0].maximum = points;
  return {{"text", writeDocument(document)}};
}

json request(const json& id, const std::string& method, const json& params = json::object()) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}
json notification(const std::string& method, const json& params = json::object()) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", params}};
}

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
    if (out_) std::fclose(out_);
    if (child_ > 0) end(0);
  }
  /// That it ends by itself (`flags`: waitpid's).
  bool end(int flags) {
    int status = 0;
    if (::waitpid(child_, &status, flags) != child_) return false;
    child_ = 0;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    return true;
  }

  void write(const std::string& line) {
    std::fputs((line + "\n").c_str(), in_);
    std::fflush(in_);
  }
  int send(const std::string& method, const json& params) {
    write(request(++last_, method, params).dump());
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
        tell(message);
      } else {
        EXPECT_EQ(message["jsonrpc"], "2.0");
        EXPECT_EQ(message["id"], id) << "answers come in the order of the requests";
        return message;
      }
    }
  }
  json call(const std::string& method, const json& params) { return answer(send(method, params)); }
  /// The error's message, if it is one of parameters.
  std::string wrongParams(const std::string& method, const json& params) {
    const json error = call(method, params).value("error", json::object());
    EXPECT_EQ(error.value("code", 0), -32602) << params;
    return error.value("message", "");
  }
  void tell(const json& progress) {
    for (const json& point : progress["params"]["points"]) {
      ++points_;
      told_.insert(point["knobs"].dump());
    }
  }

  pid_t child_ = 0;
  FILE *in_ = nullptr, *out_ = nullptr;
  int last_ = 0;
  std::size_t points_ = 0;
  std::set<std::string> told_;  ///< the points, by their knobs
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
  EXPECT_EQ(points_, 72u) << "every point is reported once";
  EXPECT_EQ(explored["hypervolume"], cli["hypervolume"]);
  EXPECT_EQ(explored["frontier"].size(), cli["frontier"].size());
  EXPECT_EQ(explored["frontier"][0]["metrics"],
            cli["points"][cli["frontier"][0].get<std::size_t>()]["metrics"]);
  const json part = call("explore", {{"fixed", {{"token_tile", 8}}}})["result"];
  EXPECT_EQ(part["evaluated"], 72 / 4);
  for (const json& point : part["frontier"]) EXPECT_EQ(point["knobs"]["token_tile"], 8);
  EXPECT_EQ(call("explore", {{"fixed", {{"token_tile", 7}}}})["error"]["code"], -32000);
}

TEST_F(Serve, CancelsWhatRunsAndWhatWaits) {
  call("open", slowProgram(5000));
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
  EXPECT_FALSE(missing["data"][0]["fix"].get<std::string>().empty());
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

TEST_F(Serve, TellsEveryPointOnceWhateverTheStrategy) {
  call("open", {{"file", sample}});
  for (const Strategy& strategy : strategies()) {
    points_ = 0;
    told_.clear();
    const json result = call("explore", {{"strategy", strategy.name}, {"budget", 72}})["result"];
    EXPECT_GT(points_, 0u) << strategy.name;
    EXPECT_EQ(points_, result["evaluated"]) << strategy.name;
    EXPECT_EQ(told_.size(), points_) << strategy.name;
    if (strategy.name == std::string("pruned")) {
      EXPECT_GT(result["pruned"], 0) << "it ends early";
    }
  }
}

TEST_F(Serve, TellsWhatACancelledSearchHasEvaluated) {
  const fs::path store = fs::temp_directory_path() / ("sluice-serve-" + std::to_string(::getpid()) + ".db");
  call("open", slowProgram(5000));
  const int running = send("explore", {{"store", store}});
  tell(read());
  ASSERT_GT(points_, 0u);
  write(notification("cancel", {{"id", running}}).dump());
  EXPECT_EQ(answer(running)["error"]["code"], -32800);
  const std::string rows = testing_support::runCommandLine("points '" + store.string() + "'").out;
  EXPECT_EQ(points_ + 1, static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')))
      << "a line of names, and all that is stored";
  EXPECT_EQ(told_.size(), points_);
  fs::remove(store);
}

TEST_F(Serve, AnswersABatchByOneList) {
  const json batch = {request(1, "open", {{"file", sample}}),
                      notification("set", {{"knobs", {{"nonsense", 1}}}}),
                      request("two", "simulate"),
                      7,
                      json::array(),
                      request(json::array(), "simulate"),
                      request(3, "fly"),
                      request(4.5, "explore")};
  write(batch.dump());
  json answers = read();
  while (answers.is_object() && answers.value("method", "") == "progress") answers = read();
  ASSERT_TRUE(answers.is_array()) << answers;
  ASSERT_EQ(answers.size(), 7u) << answers;
  EXPECT_EQ(answers[0]["result"]["points"], 72);
  EXPECT_EQ(answers[1]["id"], "two");
  EXPECT_EQ(answers[1]["result"]["state"], "done");
  for (const int wrong : {2, 3, 4}) {
    EXPECT_EQ(answers[wrong]["error"]["code"], -32600);
    EXPECT_TRUE(answers[wrong]["id"].is_null());
  }
  EXPECT_EQ(answers[5]["error"]["code"], -32601);
  EXPECT_EQ(answers[6]["id"], 4.5);
  EXPECT_EQ(answers[6]["result"]["evaluated"], 72);
  write("[]");
  EXPECT_EQ(read()["error"]["code"], -32600);
  write(json::array({notification("simulate"), notification("fly")}).dump());
  write(json(std::vector<json>(1001, notification("simulate"))).dump());
  EXPECT_THAT(read()["error"]["message"].get<std::string>(), HasSubstr("1000"))
      << "notifications alone are not answered; more are taken by nobody";
  EXPECT_TRUE(call("simulate", json::object()).contains("result"));
}

TEST_F(Serve, CancelsInsideABatch) {
  call("open", slowProgram(5000));
  write(json::array({request(11, "explore"), request(12, "explore"), request(13, "simulate")}).dump());
  json message = read();
  ASSERT_EQ(message.value("method", ""), "progress") << message;
  write(json::array({request(21, "cancel", {{"id", 12}}), request(22, "cancel", {{"id", 99}})}).dump());
  do message = read();
  while (message.is_object());
  EXPECT_EQ(message[0]["result"]["cancelled"], true) << "heard while the other batch is worked on";
  EXPECT_EQ(message[1]["result"]["cancelled"], false);
  write(notification("cancel", {{"id", 11}}).dump());
  do message = read();
  while (message.is_object());
  ASSERT_EQ(message.size(), 3u);
  EXPECT_EQ(message[0]["error"]["code"], -32800);
  EXPECT_EQ(message[1]["error"]["code"], -32800);
  EXPECT_EQ(message[2]["result"]["state"], "done");
}

TEST_F(Serve, ShutdownInABatchWaitsForWhatCameBefore) {
  call("open", {{"file", sample}});
  write(json::array({request(1, "simulate"), request(2, "shutdown"), request(3, "simulate"),
                     notification("simulate")})
            .dump());
  const json answers = read();
  ASSERT_EQ(answers.size(), 3u) << answers;
  EXPECT_EQ(answers[0]["result"]["state"], "done");
  EXPECT_TRUE(answers[1].contains("result"));
  EXPECT_EQ(answers[2]["error"]["code"], -32600);
  EXPECT_TRUE(read().is_null()) << "it has ended";
}

TEST_F(Serve, TakesParametersByNameAndKnowsThem) {
  call("open", {{"file", sample}});
  for (const json& params : {json(7), json("x"), json()}) {
    write(request(++last_, "simulate", params).dump());
    const json message = read();
    EXPECT_EQ(message["error"]["code"], -32600) << params;
    EXPECT_EQ(message["id"], last_);
  }
  EXPECT_THAT(wrongParams("simulate", json::array()), HasSubstr("by name"));
  const std::string misspelt = wrongParams("simulate", {{"knob", json::object()}});
  EXPECT_THAT(misspelt, HasSubstr("'knob'"));
  EXPECT_THAT(misspelt, HasSubstr("there are 'knobs' and 'record'"));
  EXPECT_THAT(misspelt, HasSubstr("did you mean 'knobs'?"));
  EXPECT_THAT(wrongParams("shutdown", {{"now", true}}), HasSubstr("there are none"));
  EXPECT_THAT(wrongParams("explore", {{"resume", true}}), HasSubstr("'store'"));
  const json none =
      call("explore", {{"strategy", "pruned"}, {"constraints", {"on_chip_bytes<=10"}}})["result"];
  EXPECT_THAT(none["ruled_out"]["cause"].get<std::string>(), HasSubstr("on_chip_bytes is at least"));
  EXPECT_LT(wrongParams("open", {{std::string(1 << 20, 'x'), 1}}).size(), 300u) << "not all of it again";
  EXPECT_THAT(call("simulat", json::object())["error"]["message"].get<std::string>(),
              HasSubstr("did you mean 'simulate'?"));
}

TEST_F(Serve, SaysWhatAParameterShouldBe) {
  call("open", {{"file", sample}});
  for (const char* name : {"budget", "seed"}) {
    for (const json& value : {json(-1), json(1.5), json("7"), json(true), json()}) {
      const std::string message = wrongParams("explore", {{name, value}});
      EXPECT_THAT(message, HasSubstr("'" + std::string(name) + "' must be a whole number"));
      EXPECT_THAT(message, HasSubstr("not " + (value.is_string() ? "'7'" : value.dump())));
    }
  }
  EXPECT_THAT(wrongParams("open", {{"file", 3}}), HasSubstr("'file' must be a text, not 3"));
  EXPECT_THAT(wrongParams("open", {{"file", "x"}, {"inputs", {{"a", 1}}}}), HasSubstr("must be a file"));
  EXPECT_THAT(wrongParams("open", {{"file", "x"}, {"inputs", {{"a=b", "c"}}}}), HasSubstr("'='"));
  EXPECT_THAT(wrongParams("simulate", {{"record", 1}}), HasSubstr("must be true or false, not 1"));
  EXPECT_THAT(wrongParams("set", {{"knobs", json::array()}}), HasSubstr("must be an object, not a list"));
  EXPECT_THAT(wrongParams("set", {{"knobs", {{"a", 1.5}}}}), HasSubstr("must be a whole number or a text"));
  EXPECT_THAT(wrongParams("explore", {{"objectives", "cycles"}}), HasSubstr("must be a list of texts"));
  EXPECT_THAT(wrongParams("explore", {{"constraints", {1}}}), HasSubstr("must be a text, not 1"));
}

TEST_F(Serve, AnswersAnInvalidIdWithNull) {
  for (const char* id : {"[1]", "{\"a\": 1}", "true"}) {
    write(R"({"jsonrpc": "2.0", "method": "simulate", "id": )" + std::string(id) + "}");
    const json message = read();
    EXPECT_EQ(message["error"]["code"], -32600);
    EXPECT_THAT(message["error"]["message"].get<std::string>(), HasSubstr("'id'"));
    ASSERT_TRUE(message.contains("id"));
    EXPECT_TRUE(message["id"].is_null()) << message;
  }
}

TEST_F(Serve, CancelNeedsAnId) {
  call("open", slowProgram(200));
  write(notification("explore").dump());
  std::vector<json> answers;
  const std::vector<json> wrong = {json::object(), {{"id", nullptr}}, {{"id", json::array()}}};
  for (const json& params : wrong) send("cancel", params);
  while (answers.size() < wrong.size() || points_ < 200) {
    const json message = read();
    ASSERT_TRUE(message.is_object()) << "the notification was stopped";
    message.contains("method") ? tell(message) : answers.push_back(message);
  }
  for (const json& each : answers) EXPECT_EQ(each["error"]["code"], -32602) << each;
}

TEST_F(Serve, DeepJsonIsNoRequest) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& line :
       {R"({"jsonrpc": "2.0", "id": 1, "method": "open", "params": {"x": )" + deep + "}}",
        R"({"jsonrpc": "2.0", "id": )" + deep + R"(, "method": "open"})", deep, "[" + deep + "]",
        std::string(100'000, '[')}) {
    write(line);
    const json message = read();
    ASSERT_TRUE(message.is_object()) << "the server is gone";
    EXPECT_EQ(message["error"]["code"], -32600);
    EXPECT_THAT(message["error"]["message"].get<std::string>(), HasSubstr("nested deeper"));
    EXPECT_TRUE(message["id"].is_null());
  }
  EXPECT_TRUE(call("open", {{"file", sample}}).contains("result"));
}

/// Where names are looked for one after the other, it takes longer than a test may.
TEST_F(Serve, ManyParametersAreRefused) {
  std::string params;
  for (int i = 0; i < 300'000; ++i) params += (i ? ",\"" : "\"") + std::to_string(i) + "\":1";
  write(R"({"jsonrpc": "2.0", "id": 1, "method": "open", "params": {)" + params + "}}");
  EXPECT_EQ(answer(1)["error"]["code"], -32602);
}

TEST_F(Serve, EndsQuietlyWhenNobodyReads) {
  const fs::path store = fs::temp_directory_path() / ("sluice-left-" + std::to_string(::getpid()) + ".db");
  call("open", slowProgram(5000));
  send("explore", {{"store", store}});
  send("explore", json::object());
  tell(read());
  ASSERT_GT(points_, 0u);
  std::fclose(out_);
  out_ = nullptr;
  bool ended = false;  // although the other pipe stays open
  for (int i = 0; i < 600 && !(ended = end(WNOHANG)); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(ended);
  const std::string rows = testing_support::runCommandLine("points '" + store.string() + "'").out;
  EXPECT_GT(static_cast<std::size_t>(std::count(rows.begin(), rows.end(), '\n')), points_);
  fs::remove(store);
}

bool hasPython() {
  return std::system("command -v python3 >/dev/null 2>&1") == 0;
}

/// The exit status of a script that has sluice_rpc at hand, and CLI, the server.
int runPython(const std::string& script) {
  const fs::path file = fs::temp_directory_path() / ("sluice-rpc-" + std::to_string(::getpid()) + ".py");
  std::ofstream(file) << "import sys\nsys.path.insert(0, '" SLUICE_SOURCE_DIR "/resources/python')\n"
                      << "sys.dont_write_bytecode = True\nimport sluice_rpc\n"
                      << "CLI = '" SLUICE_BINARY_DIR "/bin/sluice-cli'\n"
                      << script;
  const int status = std::system(("timeout 60 python3 '" + file.string() + "'").c_str());
  fs::remove(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ServeScript, AnswersComeInAnyOrder) {
  if (!hasPython()) GTEST_SKIP() << "no python3 here";
  EXPECT_EQ(runPython("with sluice_rpc.Sluice(CLI) as sluice:\n"
                      "    sluice.open('" +
                      sample + "')\n" +
                      R"(
    a = sluice.send('simulate')
    b = sluice.send('explore')
    c = sluice.send('fly')
    assert sluice.answer(b)['evaluated'] == 72
    assert sluice.answer(a)['state'] == 'done'
    try:
        sluice.answer(c)
        sys.exit('it flies')
    except sluice_rpc.SluiceError as error:
        assert error.code == -32601
    try:
        sluice.answer(a)
        sys.exit('an answer was given twice')
    except KeyError:
        pass
assert sluice.process.returncode == 0
)"),
            0);
}

TEST(ServeScript, LeavingByAnExceptionEndsTheServer) {
  if (!hasPython()) GTEST_SKIP() << "no python3 here";
  const fs::path program =
      fs::temp_directory_path() / ("sluice-slow-" + std::to_string(::getpid()) + ".sluice");
  std::ofstream(program) << slowProgram(100'000)["text"].get<std::string>();
  EXPECT_EQ(runPython("program = '" + program.string() + "'\n" + R"(
def stop(progress):
    raise InterruptedError

try:
    with sluice_rpc.Sluice(CLI, patience=30) as sluice:
        sluice.open(program)
        sluice.explore(stop)
    sys.exit('nothing was raised')
except InterruptedError:
    assert sluice.process.returncode == 0, sluice.process.returncode
)"),
            0);
  fs::remove(program);
}

TEST(ServeScript, AServerThatDoesNotEndIsKilled) {
  if (!hasPython()) GTEST_SKIP() << "no python3 here";
  EXPECT_EQ(runPython(R"(
import os, stat, tempfile
with tempfile.TemporaryDirectory() as folder:
    stub = os.path.join(folder, 'stub')
    with open(stub, 'w') as file:
        file.write('#!/bin/sh\nexec sleep 1000\n')
    os.chmod(stub, stat.S_IRWXU)
    with sluice_rpc.Sluice(stub, patience=0.5) as sluice:
        sluice.send('open', file='x')
    assert sluice.process.returncode == -9, sluice.process.returncode
)"),
            0);
}

TEST(ServeScript, ThePythonExampleRuns) {
  if (!hasPython()) GTEST_SKIP() << "no python3 here";
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

}  // namespace sluice::serve_test
