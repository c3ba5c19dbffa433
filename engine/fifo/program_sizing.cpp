#include "engine/fifo/program_sizing.h"

#include <algorithm>
#include <map>

#include "engine/core/cancelled.h"
#include "engine/program/stream_id.h"

namespace sluice::inline fifo {
namespace {

Diagnostic unfinished(const PointResult& point, const std::string& with) {
  if (point.simulation.cancelled) return cancelledDiagnostic();
  return error("run-not-finished", "simulation",
               "the run" + with + " does not come to its end: " + point.point.cause,
               point.simulation.deadlock ? "free it first, by the strategy 'unlock' or 'unlimited'"
                                         : "fix the fault first: simulate the program");
}

/// The open FIFOs of the point in the region, with the bytes of their tokens.
DepthProblem problemOf(const Workload& workload, const PointResult& point, const std::string& region) {
  const ScheduledProgram* scheduled = point.symbolic.scheduled.get();
  DepthProblem problem = depthProblem(point.symbolic.graph, scheduled ? scheduled->inputs : workload.inputs);
  const SimulationResult& run = point.simulation;
  setTokenBytes(problem, tokenBytes(point, run));
  std::erase_if(problem.groups,
                [&](const DepthGroup& group) { return !region.empty() && !isWithin(group.origin, region); });
  return problem;
}

/// What the document's steps compile, by the streams of the program that they became.
Result<std::vector<TimedDesign>> designsOf(const Workload& workload, const PointResult& point,
                                           const DepthProblem& problem, const std::stop_token& stop) {
  SLUICE_TRY(std::vector<CompiledProgram> steps,
             compiledPrograms(workload.document, workload.inputs, point.point.knobs, stop));
  const auto streams = streamsById(point.symbolic.scheduled->document);
  std::map<std::string, std::size_t> group_of;  // by the ends of the stream
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    const std::string& origin = problem.groups[group].origin;
    group_of[fifoName(*streams.at(origin), origin)] = group;
  }
  std::vector<TimedDesign> designs;
  for (CompiledProgram& step : steps) {
    const std::string& node = step.compilation.node;
    const std::string region = node.substr(0, node.rfind('.') == std::string::npos ? 0 : node.rfind('.') + 1);
    TimedDesign& design = designs.emplace_back();
    design.timed = step.compilation.compiled.timed;
    for (const std::size_t stream : step.lowered.streams) {
      const Stream& made = step.lowered.graph.streams[stream];
      const auto at = group_of.find(region + text(made.from) + " -> " + region + text(made.to));
      design.groups.push_back(at == group_of.end() ? std::nullopt : std::optional(at->second));
    }
    design.compilation = std::move(step.compilation);
  }
  return designs;
}

/// The document with these depths in it, not yet tried.
ProgramSizing proposal(const Workload& workload, const PointResult& point, const DepthProblem& problem,
                       std::span<const std::int64_t> depths) {
  const ScheduledProgram* scheduled = point.symbolic.scheduled.get();
  const auto streams = streamsById(scheduled ? scheduled->document : workload.document);
  ProgramSizing sizing;
  sizing.blocks_before = fifoBlocks(problem, presentDepths(problem));
  sizing.blocks_after = fifoBlocks(problem, depths);
  Repair repair;
  for (std::size_t at = 0; at < problem.groups.size(); ++at) {
    const DepthGroup& group = problem.groups[at];
    const auto depth = static_cast<std::uint64_t>(depths[at]);
    sizing.fifos.push_back(fifoName(*streams.at(group.origin), group.origin));
    sizing.bytes_before += static_cast<double>(group.depth) * group.bytes;
    sizing.bytes_after += static_cast<double>(depth) * group.bytes;
    if (depth == group.depth) continue;
    const double more = (static_cast<double>(depth) - static_cast<double>(group.depth)) * group.bytes;
    repair.changes.push_back(
        {group.origin, sizing.fifos.back(), group.streams.size(), group.depth, depth, more});
  }
  sizing.document = repaired(workload.document, scheduled, repair);
  sizing.changes = std::move(repair.changes);
  if (!point.simulation.deadlock) sizing.cycles_before = point.simulation.cycles;
  return sizing;
}

}  // namespace

Result<ProgramSizing> sizeProgram(const Workload& workload, const KnobValues& knobs,
                                  const std::string& region, const DepthStrategy& strategy,
                                  const DepthOptions& options) {
  const bool compiles = compilesTensors(workload.document);
  if (strategy.of_design && !compiles)
    return error("unknown-method", std::string("strategy '") + strategy.name + "'",
                 "the program compiles no tensor program, so the pace of its operators is not known",
                 "choose depths by its runs: 'simulated' and 'bram' find the least that are as fast as "
                 "unlimited FIFOs, "
                 "'unlimited' and 'peaks' what a run fills");
  SLUICE_TRY(const PointResult base, evaluate(workload, knobs, RecordMode::Count, options.stop));
  if (!base.simulation.finished() && (strategy.of_run || !base.simulation.deadlock))
    return unfinished(base, "");
  const DepthProblem problem = problemOf(workload, base, region);
  std::vector<TimedDesign> designs;
  if (compiles) {
    SLUICE_TRY(designs, designsOf(workload, base, problem, options.stop));
  }
  SLUICE_TRY(ChosenDepths chosen, chooseDepths(strategy, {problem, designs, options}));
  ProgramSizing sizing = proposal(workload, base, problem, chosen.depths);
  sizing.front = std::move(chosen.front);
  const Workload tried{sizing.document, workload.inputs};
  SLUICE_TRY(const PointResult after, evaluate(tried, knobs, RecordMode::Count, options.stop));
  if (!after.simulation.finished()) return unfinished(after, " with the depths found");
  sizing.cycles_after = after.simulation.cycles;
  return sizing;
}

}  // namespace sluice::inline fifo
