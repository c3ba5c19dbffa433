#include "engine/designer/candidate.h"

#include <algorithm>

#include "engine/core/checked.h"
#include "engine/core/thread_clock.h"
#include "engine/distributions/set_search.h"
#include "engine/distributions/trace_evaluator.h"
#include "engine/explorer/bounds.h"
#include "engine/explorer/elaborated.h"
#include "engine/explorer/token_counts.h"
#include "engine/operators/registry.h"
#include "engine/operators/simulate.h"
#include "engine/program/elaborate.h"
#include "engine/schedule/graph_hash.h"
#include "engine/schedule/patch.h"
#include "engine/schedule/schedule.h"

namespace sluice::inline designer {
namespace {

/// The first locked path that the steps have changed, as the problem of the last one.
Diagnostics changesLocked(const Candidate& candidate, const Workload& plain,
                          const ScheduledProgram& scheduled, const std::set<std::string>& locked) {
  if (locked.empty() || candidate.schedule.empty()) return {};
  const ScheduledPatch patch = difference({plain.document, plain.inputs}, scheduled);
  for (const std::string& path : locked)
    if (isChanged(path, patch))
      return {error("illegal-step", placeOf(candidate.schedule.back(), candidate.schedule.size() - 1),
                    "it changes '" + path + "', which is locked", "unlock it, or forbid the transformation")};
  return {};
}

std::uint64_t tokensOf(const SymbolicResult& symbolic, const InputSet& inputs) {
  std::uint64_t tokens = 0;
  for (const StreamCount& stream : countTokens(symbolic.graph, symbolic.inference, inputs).streams)
    if (!addWithin<63>(tokens, stream.tokens.value_or(0))) return largest_count;
  return tokens;
}

}  // namespace

bool isChanged(const std::string& path, const ScheduledPatch& patch) {
  const GraphPatch* graph = &patch.program;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    for (const Hunk<Node>& hunk : graph->nodes)
      if (std::ranges::find(hunk.removed, name, &Node::name) != hunk.removed.end()) return true;
    const auto body = graph->bodies.find(name);
    if (body == graph->bodies.end()) return false;
    graph = &body->second;
    begin = end + 1;
  }
  return !graph->empty();
}

Workload withSchedule(const Workload& workload, std::vector<ScheduleStep> schedule) {
  Workload made = workload;
  made.document.schedule = std::move(schedule);
  return made;
}

void prepare(Candidate& candidate, const Preparation& how, const std::set<std::string>& known,
             const std::stop_token& stop) {
  const auto& [plain, knobs, locked, priced] = how;
  const ThreadClock applying;
  Result<ScheduledProgram> program = programBehind(plain, candidate.schedule, candidate.begun, knobs, stop);
  candidate.begun = {};
  candidate.seconds.evaluation = applying.seconds();
  if (program) candidate.refused = changesLocked(candidate, plain, *program, locked);
  if (!program) candidate.refused = program.diagnostics();
  if (!candidate.refused.empty()) return;
  candidate.program = {std::move(program->document), std::move(program->inputs), plain.technology};
  candidate.compiled = std::move(program->compiled);
  const ThreadClock elaborating;
  Result<FlatGraph> graph = elaborate(candidate.program.document, knobs, builtInCatalog(), stop);
  candidate.seconds.evaluation += elaborating.seconds();
  if (!graph) {
    candidate.refused = graph.diagnostics();
    return;
  }
  candidate.graph = graphHash(*graph, candidate.program.inputs);
  if (known.contains(candidate.graph)) return forgetProgram(candidate);
  const ThreadClock typing;
  Result<SymbolicResult> symbolic = evaluateSymbolic(candidate.program, knobs, *std::move(graph), stop);
  candidate.seconds.evaluation += typing.seconds();
  if (!symbolic) {
    candidate.refused = symbolic.diagnostics();
    return;
  }
  candidate.point = boundsOf(*symbolic, knobs, priced);
  candidate.tokens = tokensOf(*symbolic, candidate.program.inputs);
  candidate.symbolic = std::move(*symbolic);
}

void forgetProgram(Candidate& candidate) {
  candidate.symbolic.reset();
  candidate.program = {};
  candidate.compiled = {};
}

void simulate(Candidate& candidate, const KnobValues& knobs, std::uint64_t most_resumptions,
              const std::stop_token& stop) {
  if (candidate.tokens > most_resumptions) {
    // An operator before a deep FIFO pushes all its tokens without being resumed.
    forgetProgram(candidate);
    candidate.end = DesignRun::End::TooLong;
    return;
  }
  const ThreadClock clock;
  SimulationOptions options;
  options.stop = stop;
  options.horizon = candidate.horizon;
  options.most_resumptions = most_resumptions;
  const auto run = [&](const SymbolicResult& symbolic, const InputSet& inputs) {
    return sluice::simulate(symbolic.graph, inputs, options);
  };
  PointResult result = simulatePoint(candidate.program, knobs, *std::move(candidate.symbolic), run);
  candidate.seconds.simulation = clock.seconds();
  if (result.point.state == PointState::Cancelled) {
    forgetProgram(candidate);
    const bool late = result.simulation.cycles >= candidate.horizon;
    candidate.end = stop.stop_requested() ? DesignRun::End::Stopped
                    : late                ? DesignRun::End::Late
                                          : DesignRun::End::TooLong;
    return;
  }
  candidate.end = DesignRun::End::Done;
  candidate.bound = bindingResource(result.symbolic.graph, result);
  candidate.point = std::move(result.point);
  candidate.typed = std::make_shared<const ScheduledProgram>(
      ScheduledProgram{std::move(candidate.program.document), std::move(candidate.program.inputs),
                       std::move(candidate.compiled),
                       std::make_shared<const TypedProgram>(TypedProgram{
                           std::move(result.symbolic.graph), std::move(result.symbolic.inference)})});
  forgetProgram(candidate);
}

void sayWhyBounded(Candidate& candidate) {
  if (!candidate.point.cause.empty()) return;
  candidate.point.cause =
      candidate.end == DesignRun::End::Late
          ? "bounds only: its run was stopped once no end of it could be on the frontier"
      : candidate.end == DesignRun::End::TooLong
          ? "bounds only: its run takes more work than the search allows one"
          : "bounds only: they are no better than designs that were run, or break a constraint";
}

DesignRun runDesign(const Workload& plain, const KnobValues& knobs, const DesignTask& task,
                    const std::stop_token& stop) {
  Candidate candidate{.schedule = task.schedule, .horizon = task.horizon};
  prepare(candidate, {plain, knobs}, {}, stop);
  if (!candidate.refused.empty()) {
    if (stop.stop_requested()) return {.end = DesignRun::End::Stopped};
    return {DesignRun::End::Done, refusedPoint({knobs}, candidate.refused).point, {}};
  }
  simulate(candidate, knobs, task.most_resumptions, stop);
  if (candidate.end != DesignRun::End::Done) return {.end = candidate.end};
  return {candidate.end, std::move(candidate.point), std::move(candidate.bound)};
}

void simulateUnder(const DesignRequest& request, const Workload& plain, Candidate& candidate,
                   const KnobValues& knobs, Executor& executor, const std::function<void(double)>& on_run,
                   const std::stop_token& stop) {
  forgetProgram(candidate);
  WorkloadSet set = *request.traces;
  set.workload = std::make_shared<const Workload>(withSchedule(plain, candidate.schedule));
  std::vector<std::string> objectives = request.objectives;
  std::vector<Constraint> constraints = request.constraints;
  SetOptions options = setRequest(objectives, constraints).options;
  options.on_run = [&](std::uint64_t runs, std::uint64_t of) {
    on_run(static_cast<double>(runs) / static_cast<double>(std::max<std::uint64_t>(of, 1)));
  };
  TraceEvaluator evaluator(set, executor, std::move(options));
  const PointTask task{knobs, Fidelity::Count};
  candidate.end = DesignRun::End::Stopped;
  evaluator.evaluate(
      std::span(&task, 1),
      [&](std::size_t, PointOutcome outcome) {
        candidate.end = DesignRun::End::Done;
        candidate.point = std::move(outcome.point);
      },
      stop);
}

}  // namespace sluice::inline designer
