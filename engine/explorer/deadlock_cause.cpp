#include "engine/explorer/deadlock_cause.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/core/json_extent.h"

namespace sluice::inline explorer {

using Json = nlohmann::ordered_json;

DeadlockCause deadlockCause(const DeadlockReport& deadlock, const FlatGraph& graph) {
  DeadlockCause cause;
  cause.wait_cycles = deadlock.cycles.size();
  const auto first = std::min_element(
      deadlock.cycles.begin(), deadlock.cycles.end(),
      [](const CircularWait& a, const CircularWait& b) { return a.closed_at < b.closed_at; });
  cause.closed_at = first == deadlock.cycles.end() ? deadlock.at : first->closed_at;
  for (const OperatorId op : first == deadlock.cycles.end() ? deadlock.stranded : first->members) {
    cause.members.push_back(graph.operators.at(op).name);
    const BlockedOperator& blocked = *deadlock.find(op);
    if (blocked.reason == WaitReason::Full) cause.full.push_back(graph.streams.at(blocked.stream).name);
  }
  return cause;
}

Json toJson(const DeadlockCause& cause) {
  return {{"members", cause.members},
          {"full", cause.full},
          {"closed_at", cause.closed_at},
          {"circles", cause.wait_cycles}};
}

std::string deadlockJson(const DeadlockCause& cause) {
  return toJson(cause).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<DeadlockCause> deadlockFrom(const std::string& json) {
  if (json.empty() || tooMuchJson(json)) return {};
  return deadlockFrom(Json::parse(json, nullptr, false));
}

std::optional<DeadlockCause> deadlockFrom(const Json& json) {
  try {
    return DeadlockCause{json.at("members").get<std::vector<std::string>>(),
                         json.at("full").get<std::vector<std::string>>(), json.at("closed_at").get<Cycles>(),
                         json.at("circles").get<std::size_t>()};
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace sluice::inline explorer
