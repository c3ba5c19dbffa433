#include "engine/explorer/evaluate.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "engine/core/cancelled.h"
#include "engine/core/checked.h"
#include "engine/core/stopwatch.h"
#include "engine/explorer/deadlock_cause.h"
#include "engine/explorer/elaborated.h"
#include "engine/explorer/given_inputs.h"
#include "engine/explorer/metrics/registry.h"
#include "engine/explorer/metrics/technology_metrics.h"
#include "engine/operators/numeric_inference.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/compiled_program.h"
#include "engine/simulator/explanation.h"
#include "engine/tensor/programs/padded_program.h"

namespace sluice::inline explorer {
namespace {

/// The sum of what is known of every operator; nothing where one is open.
std::optional<CostValues> addedUp(std::span<const CostValues> operators) {
  CostValues total;
  for (const CostTerm& term : costTerms()) {
    double sum = 0;
    for (const CostValues& op : operators) {
      if (!(op.*term.value)) return std::nullopt;
      sum += *(op.*term.value);
    }
    total.*term.value = sum;
  }
  return total;
}

/// The formulas of the whole are as long as all of its operators': they are evaluated where these do not
/// tell.
void fillValues(SymbolicResult& result, bool with_operators) {
  if (with_operators) result.operators = valuesOf(result.inference.operators, result.bound);
  const std::optional<CostValues> sum = with_operators ? addedUp(result.operators) : std::nullopt;
  result.total = sum ? *sum : valuesOf(std::span(&result.inference.total, 1), result.bound).front();
}

}  // namespace

std::optional<Diagnostic> beyondCounting(const SymbolicResult& result) {
  const auto check = [](const CostValues& values, const auto& place) {
    for (const CostTerm& term : costTerms()) {
      const std::optional<double>& value = values.*term.value;
      if (!value || *value < static_cast<double>(largest_count)) continue;
      return std::optional(error("overflow", place(), std::string("it comes to more than 2^63 ") + term.what,
                                 "make tiles, streams or costs smaller"));
    }
    return std::optional<Diagnostic>();
  };
  for (std::size_t i = 0; i < result.operators.size(); ++i) {
    const auto place = [&] { return Location(Where::Operator, result.graph.operators[i].name); };
    if (auto wrong = check(result.operators[i], place)) return wrong;
  }
  return check(result.total, [] { return Location("program"); });
}

namespace {

Result<SymbolicResult> withValues(SymbolicResult result) {
  fillValues(result, true);
  if (auto beyond = beyondCounting(result)) return *std::move(beyond);
  return result;
}

/// What was padded in the tensor programs that the schedule has compiled.
Diagnostics paddingIn(const ScheduledProgram& scheduled) {
  Diagnostics found;
  for (const auto& [path, program] : scheduled.compiled)
    for (Diagnostic& one : paddingOf(program->compilation.compiled.design.program)) {
      one.place = Location(Where::Operator, path) / one.place;
      found.push_back(std::move(one));
    }
  return found;
}

/// Whether what the schedule compiled stays with the result. Only steps rewrite it, and a trace of them shows
/// it; results of runs are kept for long.
enum class Compiled { Kept, Dropped };

/// Of a graph with its types and costs, and what the inputs tell of the symbols; without values yet.
SymbolicResult symbolicOf(FlatGraph graph, Inference inference, const KnobValues& knobs,
                          const Workload& workload) {
  SymbolicResult result{nullptr, std::move(graph), std::move(inference), {}, {}, {}, {}, workload.technology};
  for (const auto& [name, value] : knobs) result.bound[name] = static_cast<double>(value);
  for (const auto& [name, value] : result.inference.known) result.bound[name] = static_cast<double>(value);
  return result;
}

/// The point's graph, types and costs, and what the inputs tell of the symbols; without values yet.
Result<SymbolicResult> analyse(const Workload& workload, const KnobValues& knobs, Compiled compiled,
                               const CostModel& model = {}, const std::stop_token& stop = {}) {
  std::shared_ptr<const ScheduledProgram> scheduled;
  Diagnostics warnings;
  const auto refused = [&](const Diagnostics& found) {
    if (stop.stop_requested()) return found;
    if (auto input = blameInputs(workload, knobs)) return Diagnostics{*std::move(input)};
    return scheduled ? blameStep(workload.document, workload.inputs, knobs, found) : found;
  };
  if (!workload.document.schedule.empty()) {
    Result<ScheduledProgram> made = applySchedule(workload.document, workload.inputs, knobs, stop);
    if (!made) return refused(made.diagnostics());
    warnings = paddingIn(*made);
    if (compiled == Compiled::Dropped) made->compiled.clear();
    scheduled = std::make_shared<const ScheduledProgram>(*std::move(made));
  }
  Result<FlatGraph> graph =
      elaborate(scheduled ? scheduled->document : workload.document, knobs, builtInCatalog(), stop);
  if (!graph) return refused(graph.diagnostics());
  Result<Inference> inference = infer(*graph, scheduled ? scheduled->inputs : workload.inputs, model, stop);
  if (!inference) return refused(inference.diagnostics());
  SymbolicResult result = symbolicOf(*std::move(graph), *std::move(inference), knobs, workload);
  result.scheduled = std::move(scheduled);
  result.warnings = std::move(warnings);
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
  for (const CostValues& op : symbolic.operators) {
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
  Metrics metrics;
  for (const MetricSpec* metric : registeredMetrics()) {
    if (metric->run) {
      metric->set(metrics, run.*metric->run);
    } else if (!metric->derived && !metric->priced) {
      metric->set(metrics, rounded(metric->formula.value(symbolic.total)));
    }
  }
  for (const MetricSpec* metric : registeredMetrics()) {
    if (metric->derived) metric->set(metrics, metric->derived(metrics, symbolic));
  }
  setTechnologyMetrics(metrics, symbolic, run);
  return metrics;
}

/// State and cause of a run that ended.
void judge(DesignPoint& point, const SymbolicResult& symbolic, const SimulationResult& run) {
  const std::uint64_t capacity = symbolic.graph.machine.on_chip_capacity;
  if (run.cancelled) {
    point.state = PointState::Cancelled;
    point.cause = "cancelled";
  } else if (run.fault) {
    point.state = PointState::Failed;
    point.failed_at = symbolic.graph.operators.at(run.fault->op).name;
    point.cause = "operator '" + point.failed_at + "': " + run.fault->cause;
  } else if (run.deadlock) {
    point.state = PointState::Deadlocked;
    point.cause = text(*run.deadlock, Naming{symbolic.graph});
    point.deadlock = deadlockCause(*run.deadlock, symbolic.graph);
    const auto& bytes = symbolic.total.on_chip_bytes;
    if (bytes && *bytes < static_cast<double>(largest_count)) point.metrics.on_chip_bytes = rounded(bytes);
  } else if (const auto beyond = beyondCounting(symbolic)) {
    point.state = PointState::Failed;
    point.cause = text(beyond->place) + ": " + beyond->cause;
    point.failed_at = operatorIn(beyond->place);
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
  const ScheduledProgram* scheduled = result.symbolic.scheduled.get();
  result.simulation = simulation(result.symbolic, scheduled ? scheduled->inputs : workload.inputs);
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
  SLUICE_TRY(SymbolicResult result, analyse(workload, knobs, Compiled::Kept, model, stop));
  return withValues(std::move(result));
}

bool inNumbers(const InputSet& inputs) {
  constexpr std::int64_t many = 32;
  return std::ranges::any_of(inputs, [](const auto& input) { return input.second.experts >= many; });
}

Result<SymbolicResult> evaluateSymbolic(const Workload& workload, const KnobValues& knobs, FlatGraph graph,
                                        const std::stop_token& stop) {
  Result<Inference> inference = inNumbers(workload.inputs) ? inferNumbers(graph, workload.inputs, stop)
                                                           : infer(graph, workload.inputs, {}, stop);
  if (!inference && !isCancelled(inference.diagnostics()) && inNumbers(workload.inputs))
    inference = infer(graph, workload.inputs, {}, stop);
  if (!inference) return inference.diagnostics();
  return withValues(symbolicOf(std::move(graph), *std::move(inference), knobs, workload));
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

PointResult simulatePoint(const Workload& workload, const KnobValues& knobs, SymbolicResult symbolic,
                          const PointRun& run) {
  return judgeRun(workload, knobs, std::move(symbolic), RecordMode::Count, run);
}

Result<PointResult> evaluateBy(const Workload& workload, const KnobValues& knobs, const PointRun& run) {
  SLUICE_TRY(SymbolicResult symbolic, analyse(workload, knobs, Compiled::Dropped));
  return judgeRun(workload, knobs, std::move(symbolic), RecordMode::Count, run);
}

namespace {

/// evaluate() before its run.
Result<SymbolicResult> beforeRun(const Workload& workload, const KnobValues& knobs,
                                 const std::stop_token& stop, const SimulationProgress& progress) {
  SLUICE_TRY(SymbolicResult symbolic, analyse(workload, knobs, Compiled::Dropped, {}, stop));
  if (!progress) return symbolic;
  fillValues(symbolic, true);  // progress is guessed from the costs
  if (auto beyond = beyondCounting(symbolic)) return *std::move(beyond);
  return symbolic;
}

}  // namespace

Result<PointResult> evaluate(const Workload& workload, const KnobValues& knobs, RecordMode mode,
                             std::stop_token stop, const SimulationProgress& progress) {
  const Clock::time_point start = Clock::now();
  SLUICE_TRY(SymbolicResult symbolic, beforeRun(workload, knobs, stop, progress));
  PointResult result = simulatePoint(workload, knobs, std::move(symbolic), mode, std::move(stop), progress);
  result.point.wall_seconds = secondsSince(start);
  return result;
}

Result<PricedPoint> evaluatePriced(const Workload& workload, const KnobValues& knobs, RecordMode mode,
                                   std::stop_token stop, const SimulationProgress& progress) {
  const Clock::time_point start = Clock::now();
  SLUICE_TRY(SymbolicResult symbolic, beforeRun(workload, knobs, stop, progress));
  // The run is not priced where it is measured: the report is had from it once, below.
  std::shared_ptr<const Technology> technology = std::exchange(symbolic.technology, nullptr);
  PointResult result = simulatePoint(workload, knobs, std::move(symbolic), mode, std::move(stop), progress);
  result.symbolic.technology = std::move(technology);
  PricedPoint priced{std::move(result), {}};
  priced.energy = energyReport(priced.result);
  if (priced.energy) setTechnologyMetrics(priced.result.point.metrics, *priced.energy);
  priced.result.point.wall_seconds = secondsSince(start);
  return priced;
}

}  // namespace sluice::inline explorer
