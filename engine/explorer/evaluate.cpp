#include "engine/explorer/evaluate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <span>
#include <stdexcept>

#include "engine/core/checked.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/symbolic/compiled.h"

namespace sluice {
namespace {

using Clock = std::chrono::steady_clock;
using Bound = std::map<std::string, double>;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The values of `exprs`; absent where a symbol has none. One compilation for all that can be evaluated.
std::vector<std::optional<double>> valuesOf(std::span<const Expr> exprs, const Bound& bound) {
  std::vector<std::optional<double>> values(exprs.size());
  std::vector<Expr> complete;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    const std::set<std::string> symbols = exprs[i].symbols();
    if (!std::all_of(symbols.begin(), symbols.end(), [&](const std::string& s) { return bound.contains(s); }))
      continue;
    complete.push_back(exprs[i]);
    positions.push_back(i);
  }
  std::vector<std::string> names;
  std::vector<double> inputs, outputs(complete.size());
  for (const auto& [name, value] : bound) {
    names.push_back(name);
    inputs.push_back(value);
  }
  const Result<CompiledExprs> compiled = CompiledExprs::compile(complete, std::move(names));
  if (!compiled)
    throw std::logic_error("a complete expression does not compile: " + text(compiled.diagnostics()));
  compiled->evaluate(inputs, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (std::isfinite(outputs[i])) values[positions[i]] = outputs[i];
  }
  return values;
}

/// Fills values from costs, four expressions each.
std::vector<SymbolicResult::Values> valuesOf(std::span<const Cost> costs, const Bound& bound) {
  std::vector<Expr> exprs;
  for (const Cost& cost : costs)
    exprs.insert(exprs.end(), {cost.off_chip_bytes, cost.on_chip_bytes, cost.flops, cost.compute});
  const std::vector<std::optional<double>> numbers = valuesOf(exprs, bound);
  std::vector<SymbolicResult::Values> values;
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    SymbolicResult::Values row{numbers[i], numbers[i + 1], numbers[i + 2], std::nullopt, numbers[i + 3]};
    if (row.flops && row.off_chip_bytes && *row.off_chip_bytes > 0)
      row.operational_intensity = *row.flops / *row.off_chip_bytes;
    values.push_back(row);
  }
  return values;
}

void fillValues(SymbolicResult& result, bool with_operators) {
  result.total = valuesOf(std::span(&result.inference.total, 1), result.bound).front();
  if (with_operators) result.operators = valuesOf(result.inference.operators, result.bound);
}

/// What of its costs is more than results can hold.
std::optional<Diagnostic> beyondCounting(const SymbolicResult& result) {
  const auto check = [](const SymbolicResult::Values& values, const Location& place) {
    const std::pair<const char*, std::optional<double>> numbers[] = {
        {"bytes of off-chip traffic", values.off_chip_bytes},
        {"bytes on chip", values.on_chip_bytes},
        {"FLOPs", values.flops},
        {"FLOPs per cycle", values.compute}};
    for (const auto& [what, value] : numbers) {
      if (!value || *value < static_cast<double>(largest_count)) continue;
      return std::optional(Diagnostic{Severity::Error, place,
                                      std::string("it comes to more than 2^63 ") + what,
                                      "make tiles, streams or costs smaller"});
    }
    return std::optional<Diagnostic>();
  };
  for (std::size_t i = 0; i < result.operators.size(); ++i)
    if (auto wrong = check(result.operators[i], Location(Where::Operator, result.graph.operators[i].name)))
      return wrong;
  return check(result.total, "program");
}

/// The point's graph, types and costs, and what the inputs tell of the symbols; without values yet.
Result<SymbolicResult> analyse(const Workload& workload, const KnobValues& knobs, const CostModel& model = {},
                               const std::stop_token& stop = {}) {
  std::shared_ptr<const Scheme> scheme;
  const auto refused = [&](const Diagnostics& found) {
    const bool blamed = scheme && !stop.stop_requested();
    return blamed ? blameStep(workload.document, workload.inputs, knobs, found) : found;
  };
  if (!workload.document.schedule.empty()) {
    Result<Scheme> scheduled = applySchedule(workload.document, workload.inputs, knobs, stop);
    if (!scheduled) return scheduled.diagnostics();
    scheme = std::make_shared<const Scheme>(*std::move(scheduled));
  }
  Result<FlatGraph> graph =
      elaborate(scheme ? scheme->document : workload.document, knobs, builtInCatalog(), stop);
  if (!graph) return refused(graph.diagnostics());
  Result<Inference> inference = infer(*graph, scheme ? scheme->inputs : workload.inputs, model, stop);
  if (!inference) return refused(inference.diagnostics());
  SymbolicResult result{std::move(scheme), *std::move(graph), *std::move(inference), {}, {}, {}, {}};
  for (const auto& [name, value] : knobs) result.bound[name] = static_cast<double>(value);
  for (const auto& [name, value] : result.inference.known) result.bound[name] = static_cast<double>(value);
  return result;
}

/// Gives the symbols that were not known before the run their measured values.
void bindMeasured(SymbolicResult& symbolic, const SimulationResult& run) {
  for (const auto& [name, where] : symbolic.inference.run_time) {
    const std::vector<std::uint64_t>& groups = run.streams.at(where.stream).groups;
    const std::uint64_t measured = where.rank_index < groups.size() ? groups[where.rank_index] : 0;
    symbolic.bound.emplace(name, static_cast<double>(measured));
  }
}

/// A guess at the cycles of the whole run: none can be faster than its traffic, or than the arithmetic of its
/// busiest operator. 0: nothing is known.
double expectedCycles(const SymbolicResult& symbolic) {
  const double peak = symbolic.graph.machine.offChipBandwidth();
  double cycles = symbolic.total.off_chip_bytes && peak > 0 ? *symbolic.total.off_chip_bytes / peak : 0;
  for (const SymbolicResult::Values& op : symbolic.operators) {
    if (op.flops && op.compute && *op.compute > 0) cycles = std::max(cycles, *op.flops / *op.compute);
  }
  return cycles;
}

/// Runs up evenly while the guess holds, then ever slower towards 1: it neither stops nor turns back when the
/// guess was too low.
double fractionDone(Cycles cycle, double expected) {
  if (expected <= 0) return 0;
  const double share = static_cast<double>(cycle) / expected;
  return share < guess_holds ? share : 1 - guess_holds * (1 - guess_holds) / share;
}

Metrics measure(const SymbolicResult& symbolic, const SimulationResult& run) {
  const auto whole = [](const std::optional<double>& value) {
    return static_cast<std::uint64_t>(std::llround(value.value_or(0)));
  };
  Metrics metrics;
  metrics.cycles = run.cycles;
  metrics.off_chip_bytes = whole(symbolic.total.off_chip_bytes);
  metrics.on_chip_bytes = whole(symbolic.total.on_chip_bytes);
  metrics.flops = run.flops;
  metrics.token_hops = run.token_hops;
  metrics.hbm_requests = run.hbm_requests;
  const auto flops = static_cast<double>(run.flops), cycles = static_cast<double>(run.cycles);
  const auto traffic = static_cast<double>(metrics.off_chip_bytes);
  const double compute = cycles * symbolic.total.compute.value_or(0);
  const double bandwidth = cycles * symbolic.graph.machine.offChipBandwidth();
  if (traffic > 0) metrics.operational_intensity = flops / traffic;
  if (compute > 0) metrics.compute_utilization = flops / compute;
  if (bandwidth > 0) metrics.off_chip_bandwidth_utilization = traffic / bandwidth;
  return metrics;
}

std::string describe(const DeadlockReport& deadlock, const FlatGraph& graph) {
  std::string line = "deadlock at cycle " + std::to_string(deadlock.at);
  if (!deadlock.cycles.empty()) {
    line += ": ";
    for (OperatorId op : deadlock.cycles.front().members) line += graph.operators.at(op).name + " waits for ";
    line += graph.operators.at(deadlock.cycles.front().members.front()).name;
  }
  return line + "; " + std::to_string(deadlock.blocked.size()) + " operators are blocked";
}

DeadlockCause causeOf(const DeadlockReport& deadlock, const FlatGraph& graph) {
  DeadlockCause cause;
  cause.circles = deadlock.cycles.size();
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

/// State and cause of a run that ended.
void judge(DesignPoint& point, const SymbolicResult& symbolic, const SimulationResult& run) {
  const std::uint64_t capacity = symbolic.graph.machine.on_chip_capacity;
  if (run.cancelled) {
    point.state = PointState::Cancelled;
    point.cause = "cancelled";
  } else if (run.fault) {
    point.state = PointState::Failed;
    point.cause = "operator '" + symbolic.graph.operators.at(run.fault->op).name + "': " + run.fault->cause;
  } else if (run.deadlock) {
    point.state = PointState::Deadlocked;
    point.cause = describe(*run.deadlock, symbolic.graph);
    point.deadlock = causeOf(*run.deadlock, symbolic.graph);
    const auto& bytes = symbolic.total.on_chip_bytes;
    if (bytes && *bytes < static_cast<double>(largest_count))
      point.metrics.on_chip_bytes = static_cast<Bytes>(std::llround(*bytes));
  } else if (const auto beyond = beyondCounting(symbolic)) {
    point.state = PointState::Failed;
    point.cause = text(beyond->place) + ": " + beyond->cause;
  } else if (!symbolic.total.off_chip_bytes || !symbolic.total.on_chip_bytes) {
    point.state = PointState::Failed;
    point.cause =
        "the traffic or the on-chip memory depends on a symbol that neither the inputs nor the run give";
  } else if (capacity > 0 && point.metrics.on_chip_bytes > capacity) {
    point.state = PointState::Infeasible;
    point.cause = "needs " + std::to_string(point.metrics.on_chip_bytes) +
                  " bytes on chip; the machine has " + std::to_string(capacity);
  }
}

PointResult judgeRun(const Workload& workload, const KnobValues& knobs, SymbolicResult symbolic,
                     RecordMode mode, const PointRun& simulation) {
  const Clock::time_point start = Clock::now();
  PointResult result{{}, std::move(symbolic), {}};
  const Scheme* scheme = result.symbolic.scheme.get();
  result.simulation = simulation(result.symbolic, scheme ? scheme->inputs : workload.inputs);
  const SimulationResult& run = result.simulation;
  const bool finished = !run.cancelled && !run.fault && !run.deadlock;
  if (finished) bindMeasured(result.symbolic, run);
  fillValues(result.symbolic, mode != RecordMode::Count || !result.symbolic.operators.empty());
  if (finished && !beyondCounting(result.symbolic)) result.point.metrics = measure(result.symbolic, run);
  result.point.knobs = knobs;
  judge(result.point, result.symbolic, run);
  result.point.wall_seconds = secondsSince(start);
  return result;
}

}  // namespace

Result<SymbolicResult> evaluateSymbolic(const Workload& workload, const KnobValues& knobs,
                                        const CostModel& model, const std::stop_token& stop) {
  Result<SymbolicResult> result = analyse(workload, knobs, model, stop);
  if (!result) return result;
  fillValues(*result, true);
  if (auto beyond = beyondCounting(*result)) return *std::move(beyond);
  return result;
}

PointResult simulatePoint(const Workload& workload, const KnobValues& knobs, SymbolicResult symbolic,
                          RecordMode mode, std::stop_token stop, const SimulationProgress& progress) {
  SimulationOptions options;
  options.mode = mode;
  options.stop = std::move(stop);
  if (progress) {
    options.progress = [&progress, expected = expectedCycles(symbolic)](Cycles cycle) {
      progress(fractionDone(cycle, expected), cycle);
    };
  }
  const auto run = [&](const SymbolicResult& point, const InputSet& inputs) {
    return simulate(point.graph, inputs, options);
  };
  return judgeRun(workload, knobs, std::move(symbolic), mode, run);
}

Result<PointResult> evaluateBy(const Workload& workload, const KnobValues& knobs, const PointRun& run) {
  Result<SymbolicResult> symbolic = analyse(workload, knobs);
  if (!symbolic) return symbolic.diagnostics();
  return judgeRun(workload, knobs, *std::move(symbolic), RecordMode::Count, run);
}

Result<PointResult> evaluate(const Workload& workload, const KnobValues& knobs, RecordMode mode,
                             std::stop_token stop, const SimulationProgress& progress) {
  const Clock::time_point start = Clock::now();
  Result<SymbolicResult> symbolic = analyse(workload, knobs, {}, stop);
  if (!symbolic) return symbolic.diagnostics();
  if (progress) {
    fillValues(*symbolic, true);  // progress is guessed from the costs
    if (auto beyond = beyondCounting(*symbolic)) return *std::move(beyond);
  }
  PointResult result = simulatePoint(workload, knobs, *std::move(symbolic), mode, std::move(stop), progress);
  result.point.wall_seconds = secondsSince(start);
  return result;
}

}  // namespace sluice
