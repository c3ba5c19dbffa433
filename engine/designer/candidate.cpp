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
Diagnostics changesLocked(const Schedule& schedule, const Workload& plain, const ScheduledProgram& scheduled,
                          const std::set<std::string>& locked) {
  if (locked.empty() || schedule.empty()) return {};
  const ScheduledPatch patch = difference({plain.document, plain.inputs}, scheduled);
  for (const std::string& path : locked)
    if (isChanged(path, patch))
      return {error("illegal-step", placeOf(schedule.back(), schedule.size() - 1),
                    "it changes '" + path + "', which is locked", "unlock it, or forbid the transformation")};
  return {};
}

/// Of what was run. Steps want symbols in its types: where these are numbers, they are typed when a step
/// asks.
std::shared_ptr<const ScheduledProgram> programOf(Prepared& prepared, SymbolicResult symbolic) {
  ScheduledProgram program{std::move(prepared.program.document), std::move(prepared.program.inputs),
                           std::move(prepared.compiled)};
  if (!inNumbers(program.inputs))
    program.typed = std::make_shared<const TypedProgram>(
        TypedProgram{std::move(symbolic.graph), std::move(symbolic.inference)});
  return std::make_shared<const ScheduledProgram>(std::move(program));
}

}  // namespace

std::uint64_t Prepared::tokens() {
  std::call_once(counted_, [this] {
    if (!symbolic) return;
    for (const StreamCount& stream :
         countTokens(symbolic->graph, symbolic->inference, program.inputs).streams) {
      if (addWithin<63>(tokens_, stream.tokens.value_or(0))) continue;
      tokens_ = largest_count;
      return;
    }
  });
  return tokens_;
}

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

std::shared_ptr<Prepared> prepare(const Schedule& schedule, const Beginning& begun, const Preparation& how,
                                  const std::set<std::string>& known, const std::stop_token& stop) {
  const auto& [plain, knobs, locked, priced] = how;
  auto prepared = std::make_shared<Prepared>();
  const ThreadClock applying;
  Result<ScheduledProgram> program = programBehind(plain, schedule, begun, knobs, stop);
  prepared->seconds = applying.seconds();
  prepared->refused = program ? changesLocked(schedule, plain, *program, locked) : program.diagnostics();
  if (!prepared->refused.empty()) return prepared;
  prepared->program = {std::move(program->document), std::move(program->inputs), plain.technology};
  prepared->compiled = std::move(program->compiled);
  const ThreadClock elaborating;
  Result<FlatGraph> graph = elaborate(prepared->program.document, knobs, builtInCatalog(), stop);
  prepared->seconds += elaborating.seconds();
  if (!graph) {
    prepared->refused = graph.diagnostics();
    return prepared;
  }
  prepared->graph = graphHash(*graph, prepared->program.inputs);
  if (known.contains(prepared->graph)) {
    forgetProgram(*prepared);
    return prepared;
  }
  const ThreadClock typing;
  Result<SymbolicResult> symbolic = evaluateSymbolic(prepared->program, knobs, *std::move(graph), stop);
  prepared->seconds += typing.seconds();
  if (!symbolic) {
    prepared->refused = symbolic.diagnostics();
    return prepared;
  }
  prepared->bounded = true;
  prepared->bounds = boundsOf(*symbolic, knobs, priced);
  prepared->symbolic = std::move(*symbolic);
  return prepared;
}

void forgetProgram(Prepared& prepared) {
  prepared.symbolic.reset();
  prepared.program = {};
  prepared.compiled = {};
}

namespace {

/// The run itself, without the end of what it was made of.
OwnRun runOf(Prepared& prepared, const KnobValues& knobs, const SimulationOptions& options) {
  OwnRun run;
  const auto simulated = [&](const SymbolicResult& symbolic, const InputSet& inputs) {
    return sluice::simulate(symbolic.graph, inputs, options);
  };
  PointResult result = simulatePoint(prepared.program, knobs, *std::move(prepared.symbolic), simulated);
  if (result.point.state == PointState::Cancelled) {
    const bool late = result.simulation.cycles >= options.horizon;
    run.end = options.stop.stop_requested() ? DesignRun::End::Stopped
              : late                        ? DesignRun::End::Late
                                            : DesignRun::End::TooLong;
  } else {
    run.end = DesignRun::End::Done;
    run.bound = bindingResource(result.symbolic.graph, result);
    run.point = std::move(result.point);
    run.program = programOf(prepared, std::move(result.symbolic));
  }
  return run;
}

}  // namespace

OwnRun simulate(Prepared& prepared, Cycles horizon, const KnobValues& knobs, std::uint64_t most_resumptions,
                const std::stop_token& stop) {
  OwnRun run;
  if (prepared.tokens() > most_resumptions) {
    // An operator before a deep FIFO pushes all its tokens without being resumed.
    run.end = DesignRun::End::TooLong;
    forgetProgram(prepared);
    return run;
  }
  const ThreadClock clock;
  SimulationOptions options;
  options.stop = stop;
  options.horizon = horizon;
  options.most_resumptions = most_resumptions;
  run = runOf(prepared, knobs, options);
  forgetProgram(prepared);
  run.seconds = clock.seconds();
  return run;
}

const char* whyBounded(DesignRun::End end) {
  if (end == DesignRun::End::Late)
    return "bounds only: its run was stopped once no end of it could be on the frontier";
  if (end == DesignRun::End::TooLong)
    return "bounds only: its run takes more work than the search allows one";
  return "bounds only: they are no better than designs that were run, or break a constraint";
}

DesignRun runDesign(const Workload& plain, const KnobValues& knobs, const DesignTask& task,
                    const std::stop_token& stop) {
  const std::shared_ptr<Prepared> prepared = prepare(task.schedule, {}, {plain, knobs}, {}, stop);
  if (!prepared->refused.empty()) {
    if (stop.stop_requested()) return {.end = DesignRun::End::Stopped};
    return {DesignRun::End::Done, refusedPoint({knobs}, prepared->refused).point, {}};
  }
  return simulate(*prepared, task.horizon, knobs, task.most_resumptions, stop);
}

DesignRun simulateUnder(const DesignRequest& request, const Workload& plain, const Schedule& schedule,
                        const KnobValues& knobs, Executor& executor,
                        const std::function<void(double)>& on_run, const std::stop_token& stop) {
  WorkloadSet set = *request.traces;
  set.workload = std::make_shared<const Workload>(withSchedule(plain, schedule));
  std::vector<std::string> objectives = request.objectives;
  std::vector<Constraint> constraints = request.constraints;
  SetOptions options = setRequest(objectives, constraints).options;
  options.on_run = [&](std::uint64_t runs, std::uint64_t of) {
    on_run(static_cast<double>(runs) / static_cast<double>(std::max<std::uint64_t>(of, 1)));
  };
  TraceEvaluator evaluator(set, executor, std::move(options));
  const PointTask task{knobs, Fidelity::Count};
  DesignRun run{.end = DesignRun::End::Stopped};
  evaluator.evaluate(
      std::span(&task, 1),
      [&](std::size_t, PointOutcome outcome) {
        run.end = DesignRun::End::Done;
        run.point = std::move(outcome.point);
      },
      stop);
  return run;
}

}  // namespace sluice::inline designer
