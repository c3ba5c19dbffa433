// JSON Schemas of the methods of `serve`, with its answers held against them, and the Model Context Protocol.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/engine/support/command_line.h"

namespace sluice::rpc_schema_test {

using nlohmann::json;
using testing_support::runCommandLine;
namespace fs = std::filesystem;

const std::string sample = SLUICE_SOURCE_DIR "/sample_workloads/simple_moe.sluice";

bool isOf(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return value.type_name() == type;
}

/// Where a value differs from a schema of the few words that ours have; empty: nowhere.
std::string difference(const json& schema, const json& value, const std::string& place = "") {
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    if (std::ranges::none_of(types, [&](const json& type) { return isOf(value, type); }))
      return place + " is " + value.dump().substr(0, 60) + ", not " + types.dump();
  }
  if (schema.contains("minimum") && value < schema["minimum"]) return place + " is below the minimum";
  for (const json& name : schema.value("required", json::array()))
    if (!value.contains(name)) return place + "/" + name.get<std::string>() + " is missing";
  std::string found;
  if (value.is_object() && schema.value("type", json()) == "object") {
    const json properties = schema.value("properties", json::object());
    for (const auto& [name, each] : value.items()) {
      const json own = properties.value(name, schema.value("additionalProperties", json(true)));
      if (own == json(false)) return place + "/" + name + " is not in the schema";
      if (found.empty() && own != json(true)) found = difference(own, each, place + "/" + name);
    }
  }
  if (value.is_array() && schema.contains("items"))
    for (const json& each : value)
      if (found.empty()) found = difference(schema["items"], each, place + "[]");
  return found;
}

/// The answers to requests, by their id.
std::map<int, json> answers(const std::string& options, const std::vector<json>& requests) {
  const fs::path file = fs::temp_directory_path() / ("sluice-rpc-" + std::to_string(::getpid()));
  {
    std::ofstream out(file);
    for (const json& request : requests) out << request.dump() << "\n";
  }
  std::istringstream lines(runCommandLine("serve " + options + " < '" + file.string() + "'").out);
  fs::remove(file);
  std::map<int, json> found;
  for (std::string line; std::getline(lines, line);) {
    const json message = json::parse(line);
    if (message.contains("id")) found[message["id"]] = message;
    EXPECT_TRUE(message.contains("id") || options == "--stdio") << line;  // agents know no such notifications
  }
  return found;
}

json request(int id, const std::string& method, const json& params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
}

json schemas() {
  return runCommandLine("schema").object()["methods"];
}

const std::string locked = SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice";
const std::string tensors = SLUICE_SOURCE_DIR "/sample_workloads/gpt2_block.sluice";

/// What is asked of one server, each method at least once; the last two end it.
const std::vector<std::pair<std::string, json>> calls{
    {"open", {{"file", sample}}},
    {"set", {{"knobs", {{"token_tile", 8}}}}},
    {"simulate", {{"knobs", {{"token_tile", 4}}}, {"record", true}}},
    {"explore", {{"strategy", "random"}, {"budget", 4}, {"objectives", {"cycles"}}}},
    {"design", {{"budget", 4}, {"steps", 1}, {"quick", true}, {"forbid", {"tile"}}}},
    {"size_fifos", {{"strategy", "simulated"}, {"region", "expert"}, {"tolerance_percent", 5}}},
    {"size_fifos", {{"strategy", "bram"}, {"front", true}, {"grouped", true}, {"most_simulations", 500}}},
    {"size_fifos", {{"strategy", "simulated"}, {"pick", 2}}},
    {"compare", {{"knobs_a", {{"token_tile", 4}}}, {"knobs_b", {{"token_tile", 16}}}, {"top", 3}}},
    {"compare", {{"file", locked}}},
    {"unlock", json::object()},
    {"open", {{"file", locked}}},
    {"unlock", {{"seconds", 4}}},
    {"open", {{"file", tensors}}},
    {"compile", {{"text", true}}},
    {"cancel", {{"id", 77}}},
    {"shutdown", json::object()}};

TEST(RpcSchema, EveryMethodIsDescribedAndItsAnswersAreAsDescribed) {
  std::vector<json> requests;
  for (std::size_t i = 0; i + 2 < calls.size(); ++i)
    requests.push_back(request(static_cast<int>(i), calls[i].first, calls[i].second));
  std::map<int, json> found = answers("--stdio", requests);
  for (std::size_t i = calls.size() - 2; i < calls.size(); ++i) {
    const int id = static_cast<int>(i);
    found.merge(answers("--stdio", {request(id, calls[i].first, calls[i].second)}));
  }
  const json described = schemas();
  std::set<std::string> asked;
  for (const auto& [method, params] : calls) asked.insert(method);
  EXPECT_EQ(described.size(), asked.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& [method, params] = calls[i];
    SCOPED_TRACE(method);
    EXPECT_EQ(difference(described[method]["params"], params), "");
    ASSERT_TRUE(found[static_cast<int>(i)].contains("result")) << found[static_cast<int>(i)];
    EXPECT_EQ(difference(described[method]["result"], found[static_cast<int>(i)]["result"]), "");
  }
}

TEST(RpcSchema, ADeadlockIsAnAnswerToo) {
  const std::string lock = SLUICE_SOURCE_DIR "/sample_workloads/deadlock_fork_join.sluice";
  const auto found =
      answers("--stdio", {request(1, "open", {{"file", lock}}), request(2, "simulate", json::object())});
  EXPECT_EQ(found.at(2)["result"]["state"], "deadlocked");
  EXPECT_EQ(difference(schemas()["simulate"]["result"], found.at(2)["result"]), "");
}

TEST(RpcSchema, WhatIsChangedCanBeOpenedAgain) {
  const auto unlocked =
      answers("--stdio", {request(1, "open", {{"file", locked}}), request(2, "unlock", json::object())});
  const json repair = unlocked.at(2)["result"];
  EXPECT_EQ(repair["deadlock"]["kind"], "artificial") << repair;
  const auto sized = answers(
      "--stdio", {request(1, "open", {{"text", repair["text"]}}), request(2, "simulate", json::object()),
                  request(3, "unlock", json::object()), request(4, "size_fifos", json::object()),
                  request(5, "size_fifos", {{"strategy", "simulatd"}})});
  EXPECT_EQ(sized.at(2)["result"]["state"], "done");
  EXPECT_EQ(sized.at(3)["result"]["deadlock"], nullptr);
  EXPECT_LE(sized.at(4)["result"]["bytes_after"], sized.at(4)["result"]["bytes_before"]);
  EXPECT_THAT(sized.at(5)["error"]["message"].get<std::string>(), testing::HasSubstr("simulated"));
  const auto smaller = answers("--stdio", {request(1, "open", {{"text", sized.at(4)["result"]["text"]}}),
                                           request(2, "simulate", json::object())});
  EXPECT_EQ(smaller.at(2)["result"]["cycles"], sized.at(4)["result"]["cycles_after"]);
}

TEST(RpcSchema, WhatASchemaDoesNotKnowIsRefused) {
  const json described = schemas();
  for (const auto& [method, schema] : described.items()) {
    if (method == "shutdown" || method == "cancel") continue;
    const json params = {{"no such parameter", 1}};
    EXPECT_NE(difference(schema["params"], params), "");
    EXPECT_EQ(answers("--stdio", {request(1, method, params)}).at(1)["error"]["code"], -32602) << method;
  }
  EXPECT_EQ(runCommandLine("schema --method open").object()["methods"].size(), 1u);
}

TEST(ModelContextProtocol, ToolsAreListedAndCalled) {
  const auto call = [](int id, const std::string& tool, const json& arguments) {
    return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
  };
  const auto found = answers(
      "--mcp",
      {request(1, "initialize", {{"protocolVersion", "2025-03-26"}, {"capabilities", json::object()}}),
       {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
       request(2, "tools/list", json::object()),
       request(3, "ping", json::object()),
       call(4, "open", {{"file", sample}}),
       call(5, "simulate", json::object()),
       call(6, "explore", {{"strategy", "random"}, {"budget", 40}}),
       call(7, "open", {{"file", "none.sluice"}}),
       call(8, "simulte", json::object()),
       call(9, "set", {{"knobs", {{"token_tile", 5}}}}),
       request(10, "resources/list", json::object())});
  EXPECT_EQ(found.at(1)["result"]["protocolVersion"], "2025-03-26");
  EXPECT_TRUE(found.at(1)["result"]["capabilities"].contains("tools"));
  EXPECT_EQ(found.at(3)["result"], json::object());
  std::map<std::string, json> tools;
  for (const json& tool : found.at(2)["result"]["tools"]) tools[tool["name"]] = tool;
  EXPECT_THAT(tools, testing::SizeIs(schemas().size() - 2));
  for (const auto& [id, tool] : {std::pair{4, "open"}, {5, "simulate"}, {6, "explore"}}) {
    SCOPED_TRACE(tool);
    const json& result = found.at(id)["result"];
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(difference(tools.at(tool)["outputSchema"], result["structuredContent"]), "");
    EXPECT_EQ(json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
  }
  EXPECT_EQ(found.at(7)["result"]["isError"], true);
  EXPECT_THAT(found.at(7)["result"]["content"][0]["text"].get<std::string>(),
              testing::HasSubstr("none.sluice"));
  EXPECT_EQ(found.at(8)["error"]["code"], -32602);
  EXPECT_EQ(found.at(9)["result"]["isError"], true);
  EXPECT_EQ(found.at(10)["error"]["code"], -32601);
}

TEST(ModelContextProtocol, OneOfTheProtocolsIsAskedFor) {
  EXPECT_EQ(runCommandLine("serve").status, 2);
}

}  // namespace sluice::rpc_schema_test
