#include "app/cli/mcp.h"

#include <algorithm>
#include <array>

namespace sluice::cli {
namespace {

/// Of the protocol; what differs between them is not used here.
constexpr std::array versions{"2025-06-18", "2025-03-26", "2024-11-05"};

Json initialized(const Given& params) {
  std::string version = versions.front();
  if (params.is_object() && params.contains("protocolVersion") && params["protocolVersion"].is_string()) {
    const auto asked = params["protocolVersion"].get<std::string>();
    if (std::ranges::find(versions, asked) != versions.end()) version = asked;
  }
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", Json::object()}}},
          {"serverInfo", {{"name", "sluice"}, {"version", SLUICE_VERSION}}},
          {"instructions", "Call 'open' first; the other tools work on the program that is open."}};
}

Json tools() {
  Json list = Json::array();
  for (const RpcService::Method& method : RpcService::methods())
    list.push_back({{"name", method.told.name},
                    {"description", method.told.summary},
                    {"inputSchema", schemaOf(method.told.parameters)},
                    {"outputSchema", schemaOf(method.told.results)}});
  return {{"tools", std::move(list)}};
}

Json textContent(std::string text) {
  return Json::array({{{"type", "text"}, {"text", std::move(text)}}});
}

/// What a tool refuses is for the agent to read, so it is a result here.
Json refusal(const RpcError& error) {
  std::string text;  // of the diagnostics, where there are any: the message is the first of them in short
  for (const Json& diagnostic : error.data.is_array() ? error.data : Json::array())
    text += (text.empty() ? "" : "\n") + diagnostic.value("place", "") + ": " +
            diagnostic.value("cause", "") + " (" + diagnostic.value("fix", "") + ") [" +
            diagnostic.value("code", "") + "]";
  if (text.empty()) text = error.message;
  return {{"content", textContent(std::move(text))}, {"isError", true}};
}

Json called(RpcService& service, const Json& id, const Given& params, const std::stop_source& stop) {
  if (!params.is_object() || !params.contains("name") || !params["name"].is_string())
    throw wrongParams("'name' must be that of a tool");
  const auto name = params["name"].get<std::string>();
  const auto is_it = [&](const RpcService::Method& method) { return method.told.name == name; };
  if (std::ranges::none_of(RpcService::methods(), is_it))
    throw wrongParams("there is no tool " + found(params["name"]));
  const Given none = Given::object();
  const Given& arguments = params.contains("arguments") ? params["arguments"] : none;
  try {
    Json result = service.work(name, id, arguments, stop);
    return {{"content", textContent(result.dump())},
            {"structuredContent", std::move(result)},
            {"isError", false}};
  } catch (const RpcError& error) {
    if (error.code != Refused && error.code != InvalidParams) throw;
    return refusal(error);
  }
}

}  // namespace

Json mcpResult(RpcService& service, const std::string& method, const Json& id, const Given& params,
               const std::stop_source& stop) {
  if (method == "initialize") return initialized(params);
  if (method == "ping") return Json::object();
  if (method == "tools/list") return tools();
  if (method == "tools/call") return called(service, id, params, stop);
  throw RpcError{MethodNotFound, "there is no method " + found(method) +
                                     " here; use initialize, ping, tools/list or tools/call"};
}

}  // namespace sluice::cli
