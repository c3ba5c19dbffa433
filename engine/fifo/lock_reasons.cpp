#include "engine/fifo/lock_reasons.h"

#include <optional>

#include "engine/core/enum_names.h"

namespace sluice::inline fifo {
namespace {

StreamAccount accountOf(const SimulationResult& run, StreamId id) {
  const StreamStats& stats = run.streams.at(id);
  StreamAccount account{id, stats.tokens, {}};
  for (std::size_t level = 1; level < stats.groups.size(); ++level)
    account.stops.push_back(stats.groups[level]);
  return account;
}

/// An operator that folds or gathers groups of a rank sends nothing until their stop arrives.
std::optional<NoStopCame> missingStop(const FlatGraph& graph, const SimulationResult& run, OperatorId id) {
  const FlatOperator& op = graph.operators[id];
  if (op.inputs.empty() || !op.parameters.values().contains("rank")) return {};
  const auto rank = static_cast<std::size_t>(op.parameters.integer("rank"));
  const StreamStats& in = run.streams.at(op.inputs.front());
  if (rank == 0 || in.tokens == 0 || (rank < in.groups.size() && in.groups[rank] > 0)) return {};
  return NoStopCame{id, rank, accountOf(run, op.inputs.front())};
}

/// The run ends with the fault, so other inputs may have had more to bring.
void addFault(const FlatGraph& graph, const SimulationResult& unlimited, std::vector<LockReason>& reasons) {
  const SimulationFault& fault = *unlimited.fault;
  reasons.push_back(FaultWithoutLimits{fault});
  const std::vector<StreamId>& inputs = graph.operators[fault.op].inputs;
  for (std::uint32_t port = 0; port < inputs.size(); ++port)
    reasons.push_back(Brought{accountOf(unlimited, inputs[port]), port != fault.port});
}

void addStranded(const FlatGraph& graph, const SimulationResult& run, std::vector<LockReason>& reasons) {
  for (const OperatorId id : run.deadlock->stranded) {
    const BlockedOperator& blocked = *run.deadlock->find(id);
    if (blocked.reason != WaitReason::Full) continue;
    reasons.push_back(LeftOver{blocked.waits_for, id, accountOf(run, blocked.stream),
                               run.streams[blocked.stream].tokens - graph.streams[blocked.stream].depth});
    for (const StreamId in : graph.operators[blocked.waits_for].inputs)
      if (in != blocked.stream) reasons.push_back(Brought{accountOf(run, in)});
  }
}

void addStarved(const FlatGraph& graph, const SimulationResult& unlimited, std::vector<LockReason>& reasons) {
  for (const CircularWait& cycle : unlimited.deadlock->cycles) {
    reasons.push_back(StarvedCycle{cycle.members});
    for (const OperatorId id : cycle.members) {
      if (std::optional<NoStopCame> missing = missingStop(graph, unlimited, id)) {
        reasons.push_back(*std::move(missing));
        continue;
      }
      HasSent sent{id, 0, accountOf(unlimited, unlimited.deadlock->find(id)->stream)};
      for (const StreamId out : graph.operators[id].outputs) sent.tokens += unlimited.streams.at(out).tokens;
      reasons.push_back(std::move(sent));
    }
  }
  addStranded(graph, unlimited, reasons);
}

std::string counted(std::uint64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

/// One sentence of each kind of reason.
struct Teller {
  const Naming& names;

  std::string list(const std::vector<OperatorId>& members) const {
    std::string all;
    for (const OperatorId id : members) all += (all.empty() ? "" : ", ") + names.op(id);
    return all;
  }
  /// "'a.out -> b.in' brought 32 tokens, with 4 stops of level 1 or more"
  std::string told(const StreamAccount& account) const {
    std::string line = names.stream(account.stream) + " brought " + counted(account.tokens, "token");
    for (std::size_t at = 0; at < account.stops.size(); ++at)
      line += (at == 0 ? ", with " : " and ") + counted(account.stops[at], "stop") + " of level " +
              std::to_string(at + 1) + " or more";
    return account.stops.empty() ? line + " and no stop" : line;
  }

  std::string operator()(const NotRunToItsEnd&) const {
    return "the run with unlimited FIFOs did not end within the budget";
  }
  std::string operator()(const NotAllDepthsTried&) const {
    return "with unlimited FIFOs the program does not end either, but the order of arrival decides what "
           "happens in it, and not all depths between could be tried within the budget";
  }
  std::string operator()(const OnlyRoomMissing& reason) const {
    return "the FIFOs are only too shallow: with unlimited ones the program ends at cycle " +
           std::to_string(reason.ends_at);
  }
  std::string operator()(const FaultWithoutLimits& reason) const {
    const SimulationFault& fault = reason.fault;
    return "with unlimited FIFOs the program does not end either: at token " + std::to_string(fault.token) +
           " of input " + std::to_string(fault.port) + " of " + names.op(fault.op) + ", " + fault.cause +
           "; " + fault.fix;
  }
  std::string operator()(const Brought& reason) const {
    return told(reason.account) + (reason.by_then ? ", by then" : "");
  }
  std::string operator()(const LeftOver& reason) const {
    const std::string reader = names.op(reason.reader);
    return reader + " has finished, but " + names.op(reason.writer) +
           " still has tokens for it: " + told(reason.account) + ", and " + reader + " took " +
           std::to_string(reason.taken);
  }
  std::string operator()(const StarvedCycle& reason) const {
    return "with unlimited FIFOs " + list(reason.members) +
           " still wait for each other: each for a token that only the next can send, and none comes in "
           "from outside";
  }
  std::string operator()(const NoStopCame& reason) const {
    return names.op(reason.op) + " waits for a stop of level " + std::to_string(reason.level) +
           " or more, and none came: " + told(reason.account);
  }
  std::string operator()(const HasSent& reason) const {
    return names.op(reason.op) + " has sent " + counted(reason.tokens, "token") + "; " + told(reason.account);
  }
  std::string operator()(const EndlessLoop& reason) const {
    return "nothing ends the loop of " + list(reason.members) +
           ": each goes on until the one before it ends, and the first waits for the last; with more room "
           "the run would last for ever";
  }
  std::string operator()(const DocumentDiffers& reason) const {
    return "the depths below free the run, but not the document with them in it" +
           (reason.why.empty() ? std::string() : ": " + reason.why);
  }
};

}  // namespace

std::string text(LockKind kind) {
  constexpr EnumName<LockKind> names[] = {
      {LockKind::Artificial, "artificial"}, {LockKind::Real, "real"}, {LockKind::Undecided, "undecided"}};
  return nameIn(names, kind);
}

std::string text(const LockReason& reason, const Naming& names) {
  return std::visit(Teller{names}, reason);
}

std::vector<LockReason> lockReasons(const FlatGraph& graph, const SimulationResult& locked,
                                    const SimulationResult& unlimited, LockKind kind) {
  std::vector<LockReason> reasons;
  if (kind == LockKind::Undecided) {
    if (unlimited.cancelled)
      reasons.push_back(NotRunToItsEnd{});
    else
      reasons.push_back(NotAllDepthsTried{});
  } else if (kind == LockKind::Artificial) {
    if (!unlimited.deadlock && !unlimited.fault) reasons.push_back(OnlyRoomMissing{unlimited.cycles});
    addStranded(graph, locked, reasons);
  } else if (unlimited.fault) {
    addFault(graph, unlimited, reasons);
  } else {
    addStarved(graph, unlimited, reasons);
  }
  return reasons;
}

}  // namespace sluice::inline fifo
