#include "engine/fifo/lock_reasons.h"

#include <algorithm>

namespace sluice {
namespace {

std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

/// "'a.out -> b.in' brought 32 tokens, with 4 stops of level 1 or more".
std::string account(const FlatGraph& graph, const SimulationResult& run, StreamId id) {
  const StreamStats& stats = run.streams.at(id);
  std::string line = "'" + graph.streams[id].name + "' brought " + counted(stats.tokens, "token");
  for (std::size_t level = 1; level < stats.groups.size(); ++level)
    line += (level == 1 ? ", with " : " and ") + counted(stats.groups[level], "stop") + " of level " +
            std::to_string(level) + " or more";
  return stats.groups.size() < 2 ? line + " and no stop" : line;
}

std::string sent(const FlatGraph& graph, const SimulationResult& run, OperatorId id) {
  std::uint64_t tokens = 0;
  for (const StreamId out : graph.operators[id].outputs) tokens += run.streams.at(out).tokens;
  return counted(tokens, "token");
}

/// An operator that folds or gathers groups of a rank sends nothing until their stop arrives.
std::string missingStop(const FlatGraph& graph, const SimulationResult& run, OperatorId id) {
  const FlatOperator& op = graph.operators[id];
  if (op.inputs.empty() || !op.parameters.values().contains("rank")) return {};
  const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
  const StreamStats& in = run.streams.at(op.inputs.front());
  if (rank == 0 || in.tokens == 0 || (rank < in.groups.size() && in.groups[rank] > 0)) return {};
  return op.name + " waits for a stop of level " + std::to_string(rank) +
         " or more, and none came: " + account(graph, run, op.inputs.front());
}

/// The run ends with the fault, so other inputs may have had more to bring.
void tellFault(const FlatGraph& graph, const SimulationResult& unlimited, std::vector<std::string>& reasons) {
  const SimulationFault& fault = *unlimited.fault;
  const FlatOperator& op = graph.operators[fault.op];
  reasons.push_back("with unlimited FIFOs the program does not end either: at token " +
                    std::to_string(fault.token) + " of input " + std::to_string(fault.port) + " of " +
                    op.name + ", " + fault.cause + "; " + fault.fix);
  for (std::uint32_t port = 0; port < op.inputs.size(); ++port)
    reasons.push_back(account(graph, unlimited, op.inputs[port]) + (port == fault.port ? "" : ", by then"));
}

void tellStranded(const FlatGraph& graph, const SimulationResult& run, std::vector<std::string>& reasons) {
  for (const OperatorId id : run.deadlock->stranded) {
    const BlockedOperator& blocked = *run.deadlock->find(id);
    if (blocked.reason != WaitReason::Full) continue;
    const std::string reader = graph.operators[blocked.waits_for].name;
    reasons.push_back(
        reader + " has finished, but " + graph.operators[id].name +
        " still has tokens for it: " + account(graph, run, blocked.stream) + ", and " + reader + " took " +
        std::to_string(run.streams[blocked.stream].tokens - graph.streams[blocked.stream].depth));
    for (const StreamId in : graph.operators[blocked.waits_for].inputs)
      if (in != blocked.stream) reasons.push_back(account(graph, run, in));
  }
}

std::string names(const FlatGraph& graph, const std::vector<OperatorId>& members) {
  std::string list;
  for (const OperatorId id : members) list += (list.empty() ? "" : ", ") + graph.operators[id].name;
  return list;
}

void tellStarved(const FlatGraph& graph, const SimulationResult& unlimited,
                 std::vector<std::string>& reasons) {
  for (const CircularWait& circle : unlimited.deadlock->cycles) {
    reasons.push_back("with unlimited FIFOs " + names(graph, circle.members) +
                      " still wait for each other: each for a token that only the next can send, and none "
                      "comes in from outside");
    for (const OperatorId id : circle.members) {
      const std::string missing = missingStop(graph, unlimited, id);
      reasons.push_back(!missing.empty()
                            ? missing
                            : graph.operators[id].name + " has sent " + sent(graph, unlimited, id) + "; " +
                                  account(graph, unlimited, unlimited.deadlock->find(id)->stream));
    }
  }
  tellStranded(graph, unlimited, reasons);
}

}  // namespace

std::vector<std::string> lockReasons(const FlatGraph& graph, const SimulationResult& locked,
                                     const SimulationResult& unlimited, LockKind kind) {
  std::vector<std::string> reasons;
  if (kind == LockKind::Undecided) {
    reasons.push_back(
        unlimited.cancelled
            ? "the run with unlimited FIFOs did not end within the budget"
            : "with unlimited FIFOs the program does not end either, but the order of arrival decides what "
              "happens in it, and not all depths between could be tried within the budget");
  } else if (kind == LockKind::Artificial) {
    if (!unlimited.deadlock && !unlimited.fault)
      reasons.push_back("only room is missing: with unlimited FIFOs the program ends at cycle " +
                        std::to_string(unlimited.cycles));
    tellStranded(graph, locked, reasons);
  } else if (unlimited.fault) {
    tellFault(graph, unlimited, reasons);
  } else {
    tellStarved(graph, unlimited, reasons);
  }
  return reasons;
}

}  // namespace sluice
