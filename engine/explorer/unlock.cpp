#include "engine/explorer/unlock.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/explorer/lock_reasons.h"

namespace sluice {
namespace {

bool finished(const SimulationResult& run) {
  return !run.cancelled && !run.deadlock && !run.fault;
}

bool hasFull(const CircularWait& circle, const DeadlockReport& report) {
  return std::any_of(circle.members.begin(), circle.members.end(),
                     [&](OperatorId op) { return report.find(op)->reason == WaitReason::Full; });
}

/// One circle, by what becomes of its members when FIFOs are unlimited.
LockKind kindOf(const CircularWait& circle, const DeadlockReport& report, const SimulationResult& unlimited) {
  if (!hasFull(circle, report)) return LockKind::Real;
  const bool stuck = std::any_of(circle.members.begin(), circle.members.end(), [&](OperatorId op) {
    return (unlimited.deadlock && unlimited.deadlock->find(op)) ||
           (unlimited.fault && unlimited.fault->op == op);
  });
  if (stuck) return LockKind::Real;
  return unlimited.cancelled ? LockKind::Undecided : LockKind::Artificial;
}

Repair repairOf(const DepthSearch& search, const DepthSolution& solution, const FlatGraph& graph) {
  Repair repair;
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

std::optional<double> valueOf(const Expr& expr, const std::map<std::string, double>& bound) {
  std::map<std::string, Expr> values;
  for (const std::string& symbol : expr.symbols())
    if (const auto at = bound.find(symbol); at != bound.end())
      values[symbol] = Expr(static_cast<std::int64_t>(std::llround(at->second)));
  const std::optional<std::int64_t> value = expr.substitute(values).constant();
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// The graph of a region, in a document that is const or not; it must be there.
template <class AnyDocument>
auto* bodyAt(AnyDocument& document, const std::string& path) {
  auto* graph = &document.program;
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t dot = std::min(path.find('.', from), path.size());
    const std::string name = path.substr(from, dot - from);
    auto node = graph->nodes.begin();
    while (node->name != name) ++node;
    graph = &node->body->body;
    from = dot + 1;
  }
  return graph;
}

/// Where a stream's origin leads: "expert#4".
struct Place {
  std::string path;  ///< "expert", or empty
  std::size_t position = 0;

  explicit Place(const std::string& origin)
      : path(origin.substr(0, origin.rfind('#'))),
        position(std::stoul(origin.substr(origin.rfind('#') + 1))) {}
  std::string inside(const Endpoint& end) const { return (path.empty() ? "" : path + ".") + text(end); }
};

/// Runs the document that the repair makes, which is what the user gets.
void verify(Unlock& result, const Workload& workload, const PointResult& locked, const SearchBudget& budget) {
  Repair& repair = *result.repair;
  const Workload mended{repaired(workload.document, locked.symbolic.scheme.get(), repair), workload.inputs};
  const Result<PointResult> run = evaluate(mended, locked.point.knobs, RecordMode::Count, budget.stop);
  repair.verified = run && finished(run->simulation);
  if (repair.verified) {
    repair.cycles = run->simulation.cycles;
  } else {
    result.reasons.push_back("the depths below free the run, but not the document with them in it" +
                             (run ? std::string() : ": " + text(run.diagnostics())));
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

std::string text(LockKind kind) {
  return kind == LockKind::Artificial ? "artificial" : kind == LockKind::Real ? "real" : "undecided";
}

Unlock unlock(const FlatGraph& graph, const InputSet& inputs, const SimulationResult& locked,
              const TokenBytes& token_bytes, const SearchBudget& budget) {
  const DeadlockReport& report = *locked.deadlock;
  DepthSearch search(graph, inputs, budget);
  const SimulationResult unlimited = search.runUnlimited();
  Unlock result;
  for (const CircularWait& circle : report.cycles) result.cycles.push_back(kindOf(circle, report, unlimited));
  std::optional<DepthSolution> solution;
  // Where the order of arrival decides, a depth between may still do what unlimited FIFOs do not.
  if (finished(unlimited) || (!unlimited.cancelled && !search.determinate())) {
    if (finished(unlimited)) search.setTokenBytes(token_bytes(unlimited));
    solution = search.solve();
  }
  if (solution) result.repair = repairOf(search, *solution, graph);
  if (solution && !finished(unlimited)) result.cycles.assign(report.cycles.size(), LockKind::Artificial);
  result.kind = finished(unlimited) || solution          ? LockKind::Artificial
                : unlimited.cancelled || search.gaveUp() ? LockKind::Undecided
                                                         : LockKind::Real;
  result.reasons = lockReasons(graph, locked, unlimited, result.kind);
  result.runs = search.runs();
  result.gave_up = search.gaveUp();
  return result;
}

Unlock unlock(const Workload& workload, const PointResult& locked, const SearchBudget& budget) {
  const Scheme* scheme = locked.symbolic.scheme.get();
  Unlock result = unlock(
      locked.symbolic.graph, scheme ? scheme->inputs : workload.inputs, locked.simulation,
      [&](const SimulationResult& unlimited) { return tokenBytes(locked, unlimited); }, budget);
  if (!result.repair) return result;
  for (Repair::Change& change : result.repair->changes) {
    const Place place(change.origin);
    const Stream& stream =
        bodyAt(scheme ? scheme->document : workload.document, place.path)->streams.at(place.position);
    change.stream = place.inside(stream.from) + " -> " + place.inside(stream.to);
  }
  verify(result, workload, locked, budget);
  return result;
}

Document repaired(const Document& document, const Scheme* scheduled, const Repair& repair) {
  Document result = document;
  for (const Repair::Change& change : repair.changes) {
    const Place place(change.origin);
    const Value depth(static_cast<std::int64_t>(change.to));
    if (scheduled) {
      const Stream& stream = bodyAt(scheduled->document, place.path)->streams.at(place.position);
      result.schedule.push_back(
          {"fifo_depth", {{"to", Value(place.inside(stream.to))}, {"depth", depth}}, true});
    } else {
      bodyAt(result, place.path)->streams.at(place.position).depth = depth;
    }
  }
  return result;
}

}  // namespace sluice
