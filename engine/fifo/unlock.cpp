#include "engine/fifo/unlock.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/explorer/precheck.h"
#include "engine/program/stream_id.h"

namespace sluice::inline fifo {
namespace {

bool hasFull(const CircularWait& cycle, const DeadlockReport& report) {
  return std::any_of(cycle.members.begin(), cycle.members.end(),
                     [&](OperatorId op) { return report.find(op)->reason == WaitReason::Full; });
}

/// One wait cycle, by what becomes of its members when FIFOs are unlimited.
LockKind kindOf(const CircularWait& cycle, const DeadlockReport& report, const SimulationResult& unlimited) {
  if (!hasFull(cycle, report)) return LockKind::Real;
  const bool stuck = std::any_of(cycle.members.begin(), cycle.members.end(), [&](OperatorId op) {
    return (unlimited.deadlock && unlimited.deadlock->find(op)) ||
           (unlimited.fault && unlimited.fault->op == op);
  });
  if (stuck) return LockKind::Real;
  return unlimited.cancelled ? LockKind::Undecided : LockKind::Artificial;
}

/// An endless loop keeps the program from ending, whatever the depths; nothing need be run to see it.
std::optional<Unlock> endless(const FlatGraph& graph, const DeadlockReport& report) {
  const std::vector<std::vector<OperatorId>> loops = endlessLoops(graph);
  if (loops.empty()) return std::nullopt;
  const auto in_loop = [&](OperatorId op) {
    return std::any_of(loops.begin(), loops.end(), [op](const std::vector<OperatorId>& loop) {
      return std::find(loop.begin(), loop.end(), op) != loop.end();
    });
  };
  Unlock result;
  result.kind = LockKind::Real;
  for (const CircularWait& cycle : report.cycles) {
    const bool real =
        !hasFull(cycle, report) || std::any_of(cycle.members.begin(), cycle.members.end(), in_loop);
    result.cycles.push_back(real ? LockKind::Real : LockKind::Undecided);
  }
  result.cycle_repairs.resize(report.cycles.size());
  for (const std::vector<OperatorId>& loop : loops) result.reasons.push_back(EndlessLoop{loop});
  return result;
}

template <class AnyRepair>
AnyRepair repairOf(const DepthSearch& search, const DepthSolution& solution, const FlatGraph& graph) {
  AnyRepair repair;
  for (const auto& [number, depth] : solution.depths) {
    const DepthGroup& group = search.groups()[number];
    repair.changes.push_back({group.origin, graph.streams[group.streams.front()].name, group.streams.size(),
                              group.depth, depth, static_cast<double>(depth - group.depth) * group.bytes});
  }
  repair.bytes = solution.bytes;
  repair.cycles = solution.cycles;
  repair.minimal = solution.minimal;
  repair.verified = true;
  return repair;
}

/// Each wait cycle by itself; wait cycles at the same FIFOs of the document have the same repair.
void repairCycles(Unlock& result, const FlatGraph& graph, const InputSet& inputs,
                  const DeadlockReport& report, const std::vector<double>& bytes, SearchBudget budget) {
  const auto end = std::chrono::steady_clock::now() + budget.time;
  std::map<std::set<std::string>, std::optional<CycleRepair>> known;
  for (std::size_t i = 0; i < report.cycles.size() && !budget.stop.stop_requested(); ++i) {
    if (result.cycles[i] != LockKind::Artificial) continue;
    std::set<std::string> inside;
    for (const OperatorId op : report.cycles[i].members)
      for (const WaitClause::At& at : waitClause(graph, *report.find(op)).at)
        inside.insert(graph.streams[at.stream].origin);
    const auto [at, fresh] = known.try_emplace(inside);
    if (fresh) {
      FlatGraph alone = graph;
      for (FlatStream& stream : alone.streams)
        if (!inside.contains(stream.origin)) stream.depth = unlimited_depth;
      budget.time =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      DepthSearch search(depthProblem(std::move(alone), inputs), budget);
      search.setTokenBytes(bytes);
      if (const std::optional<DepthSolution> solution = search.solve())
        at->second = repairOf<CycleRepair>(search, *solution, graph);
      result.runs += search.runs();
    }
    result.cycle_repairs[i] = at->second;
  }
}

std::optional<double> valueOf(const Expr& expr, const std::map<std::string, double>& bound) {
  std::map<std::string, Expr> values;
  for (const std::string& symbol : expr.symbols())
    if (const auto at = bound.find(symbol); at != bound.end())
      values[symbol] = Expr(static_cast<std::int64_t>(std::llround(at->second)));
  const std::optional<std::int64_t> value = expr.substitute(values).constant();
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// "expert.gate.in": an end of a stream, as it is called at the top of the program.
std::string fullName(const Endpoint& end, const std::string& origin) {
  const std::string graph = graphOfStream(origin);
  return (graph.empty() ? "" : graph + ".") + text(end);
}

/// Runs the document that the repair makes, which is what the user gets.
Result<PointResult> runRepaired(const Workload& workload, const PointResult& locked, const Repair& repair,
                                const SearchBudget& budget) {
  const Workload fixed{repaired(workload.document, locked.symbolic.scheduled.get(), repair), workload.inputs};
  return evaluate(fixed, locked.point.knobs, RecordMode::Count, budget.stop);
}

void verify(Unlock& result, const Workload& workload, const PointResult& locked, const SearchBudget& budget) {
  Repair& repair = *result.repair;
  const Result<PointResult> run = runRepaired(workload, locked, repair, budget);
  repair.verified = run && run->simulation.finished();
  if (repair.verified) {
    repair.cycles = run->simulation.cycles;
  } else {
    result.reasons.push_back(DocumentDiffers{run ? std::string() : text(run.diagnostics())});
  }
}

/// What becomes of the program with the repair of one wait cycle alone.
void verifyCycle(CycleRepair& repair, const CircularWait& cycle, const SimulationResult& run) {
  const auto members = [](const CircularWait& wait) {
    return std::set<OperatorId>(wait.members.begin(), wait.members.end());
  };
  repair.ends = run.finished();
  repair.cycles = run.cycles;
  repair.verified = repair.ends;
  if (!run.deadlock) return;
  repair.left = run.deadlock->cycles.size();
  repair.verified = std::none_of(run.deadlock->cycles.begin(), run.deadlock->cycles.end(),
                                 [&](const CircularWait& each) { return members(each) == members(cycle); });
}

void verifyCycles(Unlock& result, const Workload& workload, const PointResult& locked,
                  const SearchBudget& budget) {
  std::map<std::map<std::string, std::uint64_t>, Result<PointResult>> runs;
  for (std::size_t i = 0; i < result.cycle_repairs.size(); ++i) {
    if (!result.cycle_repairs[i]) continue;
    CycleRepair& repair = *result.cycle_repairs[i];
    std::map<std::string, std::uint64_t> depths;
    for (const Repair::Change& change : repair.changes) depths[change.origin] = change.to;
    auto at = runs.find(depths);
    if (at == runs.end()) at = runs.emplace(depths, runRepaired(workload, locked, repair, budget)).first;
    repair.verified = false;
    if (at->second) verifyCycle(repair, locked.simulation.deadlock->cycles[i], at->second->simulation);
  }
}

}  // namespace

std::vector<double> tokenBytes(const PointResult& point, const SimulationResult& unlimited) {
  std::map<std::string, double> bound = point.symbolic.bound;
  for (const auto& [name, where] : point.symbolic.inference.run_time) {
    const std::vector<std::uint64_t>& groups = unlimited.streams.at(where.stream).groups;
    bound.emplace(name,
                  where.rank_index < groups.size() ? static_cast<double>(groups[where.rank_index]) : 0.0);
  }
  std::map<std::string, double> known;  // many streams, few types
  std::vector<double> bytes;
  for (const StreamType& type : point.symbolic.inference.streams) {
    const Expr size = sizeOf(type.element);
    const auto [at, fresh] = known.try_emplace(size.text(), 1.0);
    if (fresh) at->second = valueOf(size, bound).value_or(1.0);
    bytes.push_back(at->second);
  }
  return bytes;
}

Unlock unlock(const FlatGraph& graph, const InputSet& inputs, const SimulationResult& locked,
              const TokenBytes& token_bytes, const SearchBudget& budget) {
  const DeadlockReport& report = *locked.deadlock;
  if (std::optional<Unlock> real = endless(graph, report)) return *std::move(real);
  DepthSearch search(depthProblem(graph, inputs), budget);
  const SimulationResult unlimited = search.runUnlimited();
  Unlock result;
  for (const CircularWait& cycle : report.cycles) result.cycles.push_back(kindOf(cycle, report, unlimited));
  std::optional<DepthSolution> solution;
  // Where the order of arrival decides how much comes, a depth between may do what unlimited FIFOs do not.
  if (!unlimited.cancelled && (unlimited.finished() || !search.countsDeterminate())) {
    search.setTokenBytes(token_bytes(unlimited));
    solution = search.solve();
  }
  if (solution) result.repair = repairOf<Repair>(search, *solution, graph);
  if (solution && !unlimited.finished()) result.cycles.assign(report.cycles.size(), LockKind::Artificial);
  result.kind = unlimited.finished() || solution         ? LockKind::Artificial
                : unlimited.cancelled || search.gaveUp() ? LockKind::Undecided
                                                         : LockKind::Real;
  result.reasons = lockReasons(graph, locked, unlimited, result.kind);
  result.runs = search.runs();
  result.gave_up = search.gaveUp();
  result.cycle_repairs.resize(report.cycles.size());
  if (solution && unlimited.finished()) {
    SearchBudget rest = budget;
    rest.time = budget.time / 4;
    repairCycles(result, graph, inputs, report, token_bytes(unlimited), rest);
  }
  return result;
}

Unlock unlock(const Workload& workload, const PointResult& locked, const SearchBudget& budget) {
  const ScheduledProgram* scheduled = locked.symbolic.scheduled.get();
  Unlock result = unlock(
      locked.symbolic.graph, scheduled ? scheduled->inputs : workload.inputs, locked.simulation,
      [&](const SimulationResult& unlimited) { return tokenBytes(locked, unlimited); }, budget);
  const auto streams = streamsById(scheduled ? scheduled->document : workload.document);
  const auto name = [&](Repair& repair) {
    for (Repair::Change& change : repair.changes)
      change.stream = fifoName(*streams.at(change.origin), change.origin);
  };
  for (std::optional<CycleRepair>& repair : result.cycle_repairs)
    if (repair) name(*repair);
  verifyCycles(result, workload, locked, budget);
  if (!result.repair) return result;
  name(*result.repair);
  verify(result, workload, locked, budget);
  return result;
}

std::string fifoName(const Stream& stream, const std::string& origin) {
  return fullName(stream.from, origin) + " -> " + fullName(stream.to, origin);
}

namespace {

/// The expression of a depth that is raised stays, so that it still follows its knobs where they ask for
/// more. One that is lowered is what was found, and follows nothing.
Value depthAfter(const Repair::Change& change, const Stream& stream, const Document& document) {
  const Value before = stream.depth.value_or(document.machine.fifo_depth);
  const std::string* expression = before.string();
  if (expression && change.to >= change.from)
    return Value("max(" + *expression + ", " + std::to_string(change.to) + ")");
  return Value(static_cast<std::int64_t>(change.to));
}

}  // namespace

Document repaired(const Document& document, const ScheduledProgram* scheduled, const Repair& repair) {
  Document result = document;
  if (!scheduled) {
    const auto streams = streamsById(result);
    for (const Repair::Change& change : repair.changes) {
      Stream& stream = *streams.at(change.origin);
      stream.depth = depthAfter(change, stream, document);
    }
    return result;
  }
  const auto streams = streamsById(scheduled->document);
  for (const Repair::Change& change : repair.changes) {
    const Stream& stream = *streams.at(change.origin);
    const Value depth = depthAfter(change, stream, scheduled->document);
    const Value to(fullName(stream.to, change.origin));
    result.schedule.push_back({"fifo_depth", {{"to", to}, {"depth", depth}}, true});
  }
  return result;
}

}  // namespace sluice::inline fifo
