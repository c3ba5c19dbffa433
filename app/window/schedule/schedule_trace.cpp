#include "app/window/schedule/schedule_trace.h"

#include "engine/explorer/given_inputs.h"
#include "engine/schedule/schedule.h"
#include "widgets/common/document_paths.h"

namespace sluice::ui {
namespace {

using State = ScheduleTrace::Step::State;

/// The program that a step compiles or whose design it rewrites.
std::string programOf(const ScheduleStep& step, const Transformation& transformation) {
  for (const ArgumentSpec& argument : transformation.spec.arguments) {
    const auto given = step.arguments.find(argument.name);
    const bool names = argument.kind == ArgumentKind::CompiledProgram ||
                       (argument.kind == ArgumentKind::Operator && step.transformation == "compile_tensors");
    if (names && given != step.arguments.end()) return text(given->second);
  }
  return {};
}

/// The region or operator that a step works on.
std::string targetOf(const ScheduleStep& step, const Transformation& transformation) {
  for (const ArgumentSpec& argument : transformation.spec.arguments) {
    const auto given = step.arguments.find(argument.name);
    const bool names = argument.kind == ArgumentKind::Region || argument.kind == ArgumentKind::Operator;
    if (names && given != step.arguments.end()) return text(given->second);
  }
  return {};
}

std::string parentOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

/// The only node of a name that stands in a graph, however deep; empty where there are none or several.
void findNamed(const Graph& graph, const std::string& path, std::string_view name,
               std::vector<std::string>& found) {
  for (const Node& node : graph.nodes) {
    const std::string own = path.empty() ? node.name : path + "." + node.name;
    if (node.name == name) found.push_back(own);
    if (node.body) findNamed(node.body->body, own, name, found);
  }
}

/// What a node that a step has made was before it: of the same name where the step worked, or where it
/// worked.
std::string beforeStep(const Document& before, const ScheduleTrace::Step& step, const std::string& path) {
  if (!step.program.empty() && findNode(before, step.program)) return step.program;
  const Node* target = step.target.empty() ? nullptr : findNode(before, step.target);
  if (!target) return {};
  const std::string region = target->body ? step.target : parentOf(step.target);
  const Node* around = region.empty() ? nullptr : findNode(before, region);
  std::vector<std::string> named;
  const std::size_t dot = path.rfind('.');
  const std::string_view name = std::string_view(path).substr(dot == std::string::npos ? 0 : dot + 1);
  findNamed(around && around->body ? around->body->body : before.program, around ? region : "", name, named);
  return named.size() == 1 ? named.front() : step.target;
}

/// The last rewrite of a program's design, where it has more of them than before.
std::optional<RewriteMade> rewriteMade(const CompiledPrograms& before, const CompiledPrograms& after,
                                       const std::string& program) {
  const auto was = before.find(program), is = after.find(program);
  if (was == before.end() || is == after.end()) return std::nullopt;
  const std::vector<RewriteMade>& made = is->second->compilation.compiled.rewrites;
  return made.size() > was->second->compilation.compiled.rewrites.size() ? std::optional(made.back())
                                                                         : std::nullopt;
}

/// Of rewrites in a row the last one is lowered, for all of them. What the step before them compiles is
/// lowered for itself, unless only the rewrites make it possible.
Result<ScheduledProgram> applied(const ScheduledProgram& scheduled, const std::vector<ScheduleStep>& steps,
                                 std::size_t position, const KnobValues& knobs, const std::stop_token& stop) {
  const ScheduleStep& step = steps[position];
  const Location place = placeOf(step, position);
  const bool more = rewriteFollows(steps, position);
  if (!(more && isRewrite(step))) {
    Result<ScheduledProgram> next = applyStep(scheduled, step, knobs, place, stop);
    if (next || !more) return next;
  }
  return applyStep(scheduled, step, knobs, place, stop, Lowering::Later);
}

struct Tracing {
  const Workload& workload;
  const std::vector<ScheduleStep>& steps;
  const KnobValues& knobs;
  const std::stop_token& stop;
  const ScheduledProgram* whole;  ///< null: not known
};

/// Applies one step; whether the next can be.
bool advance(ScheduleTrace& trace, ScheduledProgram& scheduled, const Tracing& tracing,
             std::size_t position) {
  const ScheduleStep& step = tracing.steps[position];
  ScheduleTrace::Step& told = trace.steps[position];
  if (const Transformation* known = findTransformation(step.transformation)) {
    told.program = programOf(step, *known);
    told.target = targetOf(step, *known);
    told.rewrites = known->rewrite;
  }
  if (!step.enabled) {
    told.state = State::Disabled;
    trace.addStage(scheduled);
    return true;
  }
  const bool last = std::none_of(tracing.steps.begin() + static_cast<std::ptrdiff_t>(position) + 1,
                                 tracing.steps.end(), [](const ScheduleStep& more) { return more.enabled; });
  Result<ScheduledProgram> next =
      last && tracing.whole ? *tracing.whole
                            : applied(scheduled, tracing.steps, position, tracing.knobs, tracing.stop);
  if (!next) {
    told.state = State::Refused;
    // Without types no step is legal, whatever it does; the session tells the same of the program.
    const auto input =
        tracing.stop.stop_requested() ? std::nullopt : blameInputs(tracing.workload, tracing.knobs);
    told.diagnostics = input ? Diagnostics{*input} : next.diagnostics();
    return false;
  }
  told.state = State::Applied;
  const ScheduledPatch patch = difference(scheduled, *next);
  told.summary = summary(patch);
  told.streams = streamsIn(patch.program);
  told.rewrite = rewriteMade(scheduled.compiled, next->compiled, told.program);
  for (const std::string& path : told.summary.added) trace.made_by[path] = position;
  for (const std::string& path : told.summary.changed) trace.changed_by[path] = position;
  scheduled = *std::move(next);
  trace.addStage(scheduled);
  return true;
}

/// `whole`: null where it is not known.
ScheduleTrace traced(const Workload& workload, const KnobValues& knobs, const ScheduledProgram* whole,
                     const std::stop_token& stop) {
  ScheduleTrace trace;
  const std::vector<ScheduleStep>& steps = workload.document.schedule;
  trace.steps.resize(steps.size());
  ScheduledProgram scheduled{workload.document, workload.inputs};
  scheduled.document.schedule.clear();
  trace.addStage(scheduled);
  if (steps.empty()) return trace;
  if (Result<SymbolicResult> plain =
          evaluateSymbolic({scheduled.document, scheduled.inputs}, knobs, {}, stop))
    trace.plain = std::make_shared<const SymbolicResult>(*std::move(plain));
  const Tracing tracing{workload, steps, knobs, stop, whole};
  for (std::size_t i = 0; i < steps.size() && advance(trace, scheduled, tracing, i); ++i) {
  }
  return trace;
}

}  // namespace

std::string ScheduleTrace::originOf(const std::string& path) const {
  std::string at = path;
  // Behind the last stage are nodes that no document has, such as copies that are inferred.
  while (!at.empty() && !stages.empty() && !findNode(stages.back(), at)) at = parentOf(at);
  for (std::size_t stage = stages.size(); stage-- > 1 && !at.empty();) {
    if (findNode(stages[stage - 1], at)) continue;
    at = beforeStep(stages[stage - 1], steps[stage - 1], at);
  }
  return at;
}

void ScheduleTrace::addStage(const ScheduledProgram& scheduled) {
  stages.push_back(scheduled.document);
  compiled.push_back(scheduled.compiled);
}

std::size_t streamsIn(const GraphPatch& patch) {
  std::size_t count = 0;
  for (const Hunk<Stream>& hunk : patch.streams) count += hunk.added.size();
  for (const auto& [name, inside] : patch.bodies) count += streamsIn(inside);
  return count;
}

ScheduleTrace traceSchedule(const Workload& workload, const KnobValues& knobs, const std::stop_token& stop) {
  return traced(workload, knobs, nullptr, stop);
}

ScheduleTrace traceSchedule(const Workload& workload, const KnobValues& knobs, const ScheduledProgram& whole,
                            const std::stop_token& stop) {
  return traced(workload, knobs, &whole, stop);
}

}  // namespace sluice::ui
