#include "app/cli/deadlock_report.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/table.h"
#include "engine/core/enum_names.h"

namespace sluice::cli {
namespace {

const char* reasonText(WaitReason reason) {
  constexpr EnumName<WaitReason> names[] = {
      {WaitReason::Empty, "empty"}, {WaitReason::Full, "full"}, {WaitReason::Memory, "memory"}};
  return nameIn(names, reason);
}

/// As the file has them: what people read says "exp.out" of a broadcast that elaboration has put behind it.
/// Members that are data have the names of operators instead, as in all other answers.
Naming namesFor(const FlatGraph& graph) {
  return {graph, true};
}

Json namesOf(const FlatGraph& graph, const std::vector<OperatorId>& operators) {
  Json names = Json::array();
  for (const OperatorId op : operators) names.push_back(graph.operators.at(op).name);
  return names;
}

Json bytesJson(double bytes) {
  return std::llround(bytes);
}

Json repairJson(const Repair& repair) {
  Json depths = Json::object(), changes = Json::array();
  for (const Repair::Change& change : repair.changes) {
    depths[change.stream] = change.to;
    changes.push_back(changeJson(change));
  }
  return {{"depths", std::move(depths)}, {"bytes", bytesJson(repair.bytes)}, {"cycles_after", repair.cycles},
          {"verified", repair.verified}, {"minimal", repair.minimal},        {"changes", std::move(changes)}};
}

/// Of one wait cycle: it may leave others, which its program deadlocks in.
Json ownRepairJson(const CycleRepair& repair) {
  Json json = repairJson(repair);
  if (!repair.ends) json["cycles_after"] = nullptr;
  json["circles_left"] = repair.left;
  return json;
}

Json cycleJson(const FlatGraph& graph, const DeadlockReport& deadlock, const CircularWait& cycle,
               LockKind kind, const std::optional<Repair>& repair, const std::optional<CycleRepair>& own) {
  Json streams = Json::array(), progress = Json::array(), depths = Json::object();
  for (const OperatorId op : cycle.members) {
    const WaitClause wait = waitClause(graph, *deadlock.find(op));
    for (const WaitClause::At& at : wait.at) {
      const FlatStream& stream = graph.streams.at(at.stream);
      streams.push_back(stream.name);
      if (!repair || !at.full) continue;
      for (const Repair::Change& change : repair->changes)
        if (change.origin == stream.origin) depths[change.stream] = change.to;
    }
    progress.push_back(wait.since);
  }
  return {{"members", namesOf(graph, cycle.members)},
          {"streams", std::move(streams)},
          {"closed_at", cycle.closed_at},
          {"kind", text(kind)},
          {"last_progress", std::move(progress)},
          {"depths", std::move(depths)},
          {"own_repair", own ? ownRepairJson(*own) : Json(nullptr)},
          {"because", texts(becauseChain(graph, deadlock, cycle.members.front()), namesFor(graph))}};
}

Json blockedJson(const FlatGraph& graph, const BlockedOperator& blocked) {
  const bool memory = blocked.reason == WaitReason::Memory;
  Json any_of = Json::array();
  for (const StreamId stream : blocked.any_of) any_of.push_back(graph.streams.at(stream).name);
  return {{"operator", graph.operators.at(blocked.op).name},
          {"waits_on", memory ? "memory" : graph.operators.at(blocked.waits_for).name},
          {"stream", memory ? Json(nullptr) : Json(graph.streams.at(blocked.stream).name)},
          {"any_of", std::move(any_of)},
          {"reason", reasonText(blocked.reason)},
          {"since", blocked.since},
          {"token", blocked.token},
          {"distance", blocked.distance},
          {"because", text(waitClause(graph, blocked), namesFor(graph))}};
}

void printOwnRepair(std::ostream& out, const CycleRepair& repair) {
  out << "  by itself it takes " << bytesText(repair.bytes) << " bytes more, "
      << (repair.minimal ? "the smallest repair" : "the smallest found") << ":";
  for (const Repair::Change& change : repair.changes)
    out << (&change == repair.changes.data() ? " " : ", ") << "depth of " << change.stream << ": "
        << grouped(change.from) << " -> " << grouped(change.to);
  if (repair.ends)
    out << "; the run then ends at cycle " << grouped(repair.cycles) << "\n";
  else if (repair.left > 0)
    out << "; the run then deadlocks in " << grouped(repair.left)
        << (repair.left == 1 ? " other wait cycle\n" : " other wait cycles\n");
  else
    out << "; the run does not end then\n";
}

void printRepair(std::ostream& out, const Unlock& unlocked) {
  if (unlocked.repair) {
    const Repair& repair = *unlocked.repair;
    out << "Repair, " << (repair.minimal ? "the smallest" : "the smallest found") << ": "
        << bytesText(repair.bytes) << " bytes more in FIFOs, the run then takes " << grouped(repair.cycles)
        << " cycles" << (repair.verified ? " (run)" : " (not verified)") << "\n";
    for (const Repair::Change& change : repair.changes) {
      out << "  depth of " << change.stream << ": " << grouped(change.from) << " -> " << grouped(change.to);
      if (change.instances > 1) out << ", in " << grouped(change.instances) << " FIFOs";
      out << "\n";
    }
  }
  if (unlocked.gave_up)
    out << "The search for a repair ended with its budget, after " << counted(unlocked.runs, "run") << ".\n";
}

}  // namespace

Json changeJson(const Repair::Change& change) {
  return {{"stream", change.stream}, {"origin", change.origin}, {"instances", change.instances},
          {"from", change.from},     {"to", change.to},         {"bytes", bytesJson(change.bytes)}};
}

Json deadlockJson(const FlatGraph& graph, const DeadlockReport& deadlock, const Unlock& unlocked) {
  Json cycles = Json::array(), blocked = Json::array();
  for (std::size_t i = 0; i < deadlock.cycles.size(); ++i)
    cycles.push_back(cycleJson(graph, deadlock, deadlock.cycles[i], unlocked.cycles.at(i), unlocked.repair,
                               unlocked.cycle_repairs.at(i)));
  for (const BlockedOperator& each : deadlock.blocked) blocked.push_back(blockedJson(graph, each));
  Json reasons = Json::array();
  for (const LockReason& reason : unlocked.reasons) reasons.push_back(text(reason, namesFor(graph)));
  return {{"kind", text(unlocked.kind)},
          {"at", deadlock.at},
          {"reasons", std::move(reasons)},
          {"cycles", std::move(cycles)},
          {"blocked", std::move(blocked)},
          {"stranded", namesOf(graph, deadlock.stranded)},
          {"victims", namesOf(graph, deadlock.victims)},
          {"repair", unlocked.repair ? repairJson(*unlocked.repair) : Json(nullptr)},
          {"runs", unlocked.runs},
          {"gave_up", unlocked.gave_up}};
}

std::string deadlockText(const FlatGraph& graph, const DeadlockReport& deadlock, const Unlock& unlocked,
                         bool all) {
  const Naming names = namesFor(graph);
  const std::size_t most = all ? deadlock.blocked.size() : 12;
  std::ostringstream out;
  out << "Deadlock (" << text(unlocked.kind) << "); the last wait began at cycle " << grouped(deadlock.at)
      << "\n";
  for (std::size_t i = 0; i < deadlock.cycles.size() && i < most; ++i) {
    const CircularWait& cycle = deadlock.cycles[i];
    out << "Wait cycle " << i + 1 << " of " << deadlock.cycles.size() << ", " << text(unlocked.cycles.at(i))
        << ", closed at cycle " << grouped(cycle.closed_at) << ":\n";
    for (const std::string& sentence : texts(becauseChain(graph, deadlock, cycle.members.front()), names))
      out << "  " << sentence << "\n";
    if (const auto& own = unlocked.cycle_repairs.at(i);
        own && (!unlocked.repair || own->bytes != unlocked.repair->bytes))
      printOwnRepair(out, *own);
  }
  if (deadlock.cycles.size() > most)
    out << "... and " << deadlock.cycles.size() - most << " more wait cycles (--all shows them)\n";
  for (const OperatorId op : deadlock.stranded)
    for (const std::string& sentence : texts(becauseChain(graph, deadlock, op), names))
      out << "Stranded: " << sentence << "\n";
  if (!deadlock.victims.empty()) {
    Table table({"waits behind", "for", "distance", "since"}, 2);
    for (const OperatorId op : deadlock.victims) {
      const BlockedOperator& blocked = *deadlock.find(op);
      table.row(
          {names.op(op), names.op(blocked.waits_for), grouped(blocked.distance), grouped(blocked.since)});
    }
    table.print(out, most);
  }
  for (const LockReason& reason : unlocked.reasons) out << "Why: " << text(reason, names) << "\n";
  printRepair(out, unlocked);
  return out.str();
}

}  // namespace sluice::cli
