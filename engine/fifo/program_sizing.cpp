#include "engine/fifo/program_sizing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "engine/core/cancelled.h"
#include "engine/explorer/precheck.h"
#include "engine/program/stream_id.h"
#include "engine/tensor/sizing/fifo_blocks.h"

namespace sluice::inline fifo {
namespace {

constexpr const char* unlock_tells =
    "'sluice-cli unlock', or the window's deadlock screen, tells why, and finds the depths that free it, "
    "where "
    "depths do";

/// `run`: which one is told of, "the run with the depths found".
Diagnostic unfinished(const PointResult& point, const std::string& run) {
  if (point.simulation.cancelled) return cancelledDiagnostic();
  const std::string cause = run + " does not come to its end: " + point.point.cause;
  if (point.simulation.deadlock) return error("deadlock", "simulation", cause, unlock_tells);
  return error("run-not-finished", "simulation", cause, "fix the fault first: simulate the program");
}

/// The depths by the strategy. Of a program that deadlocks, and goes on doing so or fails with the depths
/// that are tried, that is told, as a strategy only knows its own runs.
Result<ChosenDepths> depthsBy(const DepthStrategy& strategy, const DepthRequest& request,
                              const PointResult& base) {
  const bool locked = base.simulation.deadlock && !strategy.of_design;
  const auto refused = [&] {
    return error("deadlock", "simulation", "no depths were found that free it: " + base.point.cause,
                 unlock_tells);
  };
  // With unlimited FIFOs such a program runs for ever.
  if (locked && !endlessLoops(base.symbolic.graph).empty()) return refused();
  Result<ChosenDepths> chosen = chooseDepths(strategy, request);
  if (chosen || !locked || isCancelled(chosen.diagnostics())) return chosen;
  return chosen.diagnostics().front().code == "conflicting-options" ? chosen : refused();
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

/// The FIFOs that are sized, as they are.
std::vector<SizedFifoGroup> fifosOf(const Workload& workload, const PointResult& point,
                                    const DepthProblem& problem) {
  const ScheduledProgram* scheduled = point.symbolic.scheduled.get();
  const auto streams = streamsById(scheduled ? scheduled->document : workload.document);
  std::vector<SizedFifoGroup> fifos;
  for (const DepthGroup& group : problem.groups)
    fifos.push_back({group.origin, fifoName(*streams.at(group.origin), group.origin), group.streams.size(),
                     group.depth, group.bytes});
  return fifos;
}

std::vector<Repair::Change> changesOf(const std::vector<SizedFifoGroup>& fifos,
                                      std::span<const std::int64_t> before,
                                      std::span<const std::int64_t> depths) {
  std::vector<Repair::Change> changes;
  for (std::size_t at = 0; at < fifos.size(); ++at) {
    if (depths[at] == before[at]) continue;
    changes.push_back({fifos[at].origin, fifos[at].name, fifos[at].instances,
                       static_cast<std::uint64_t>(before[at]), static_cast<std::uint64_t>(depths[at]),
                       static_cast<double>(depths[at] - before[at]) * fifos[at].bytes});
  }
  return changes;
}

std::vector<std::int64_t> depthsNow(const ProgramSizing& sizing) {
  std::vector<std::int64_t> depths;
  for (const SizedFifoGroup& fifo : sizing.fifos) depths.push_back(static_cast<std::int64_t>(fifo.depth));
  return depths;
}

/// Puts these depths into the document, not yet tried.
void propose(const Workload& workload, std::span<const std::int64_t> depths, ProgramSizing& sizing) {
  Repair repair;
  repair.changes = changesOf(sizing.fifos, depthsNow(sizing), depths);
  sizing.document = repaired(workload.document, sizing.scheduled.get(), repair);
  sizing.changes = std::move(repair.changes);
}

/// Runs the program with the depths in the document.
Result<PointResult> tryOut(const Workload& workload, const KnobValues& knobs, const ProgramSizing& sizing,
                           const std::stop_token& stop) {
  const Workload tried{sizing.document, workload.inputs};
  SLUICE_TRY(PointResult after, evaluate(tried, knobs, RecordMode::Count, stop));
  if (!after.simulation.finished()) return unfinished(after, "the run with the depths found");
  return after;
}

/// Blocks of BRAM of the FIFOs that were not sized: those between an output and its inferred Broadcast, and
/// those of other regions.
std::int64_t otherBlocks(const DepthProblem& problem, const std::vector<double>& bytes) {
  std::vector<bool> sized(problem.graph.streams.size(), false);
  for (const DepthGroup& group : problem.groups)
    for (const StreamId stream : group.streams) sized[stream] = true;
  std::int64_t blocks = 0;
  for (StreamId id = 0; id < sized.size(); ++id) {
    if (sized[id]) continue;
    const DepthGroup alone{.origin = "", .streams = {id}, .bytes = std::max(1.0, bytes[id])};
    const auto depth = static_cast<std::int64_t>(std::min(problem.graph.streams[id].depth, unlimited_depth));
    blocks += fifoBlocks(alone.tokenBits(), depth);
  }
  return blocks;
}

/// Room before and after and along the frontier, as every run of the program counts it: of all FIFOs. Only
/// the run with the depths found knows every token's size where the one before it deadlocks.
void measure(const PointResult& base, const PointResult& after, DepthProblem problem,
             std::span<const std::int64_t> depths, ProgramSizing& sizing) {
  const std::vector<double> bytes = tokenBytes(base, after.simulation);
  setTokenBytes(problem, bytes);
  for (std::size_t at = 0; at < sizing.fifos.size(); ++at) sizing.fifos[at].bytes = problem.groups[at].bytes;
  sizing.changes = changesOf(sizing.fifos, depthsNow(sizing), depths);
  const auto room = [](const PointResult& point) {
    return static_cast<double>(point.point.metrics.fifo_bytes);
  };
  sizing.bytes_after = sizing.bytes_before = room(after);
  for (const Repair::Change& change : sizing.changes) sizing.bytes_before -= change.bytes;
  if (measured(base.point)) sizing.bytes_before = room(base);
  const std::int64_t others = otherBlocks(problem, bytes);
  sizing.blocks_before = others + fifoBlocks(problem, presentDepths(problem));
  sizing.blocks_after = others + fifoBlocks(problem, depths);
  for (SimulatedSizing& point : sizing.front) {
    double more = 0;
    for (const Repair::Change& change : changesOf(sizing.fifos, depths, point.depths)) more += change.bytes;
    point.bytes = static_cast<Bytes>(std::llround(std::max(0.0, sizing.bytes_after + more)));
    point.blocks = others + fifoBlocks(problem, point.depths);
  }
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
    return unfinished(base, "the run that is to tell how full FIFOs get");
  const DepthProblem problem = problemOf(workload, base, region);
  std::vector<TimedDesign> designs;
  if (compiles) {
    SLUICE_TRY(designs, designsOf(workload, base, problem, options.stop));
  }
  SLUICE_TRY(ChosenDepths chosen, depthsBy(strategy, {problem, designs, options}, base));
  ProgramSizing sizing;
  sizing.scheduled = base.symbolic.scheduled;
  sizing.fifos = fifosOf(workload, base, problem);
  sizing.front = std::move(chosen.front);
  propose(workload, chosen.depths, sizing);
  SLUICE_TRY(const PointResult after, tryOut(workload, knobs, sizing, options.stop));
  sizing.cycles_after = after.simulation.cycles;
  if (!base.simulation.deadlock) sizing.cycles_before = base.simulation.cycles;
  measure(base, after, problem, chosen.depths, sizing);
  return sizing;
}

Result<ProgramSizing> pickFromFront(const Workload& workload, const KnobValues& knobs, ProgramSizing sizing,
                                    std::size_t number, const std::stop_token& stop) {
  if (number < 1 || number > sizing.front.size())
    return error("out-of-range", "point " + std::to_string(number) + " of the frontier",
                 "there is no such point: the frontier has " + std::to_string(sizing.front.size()),
                 "pick one from 1 to " + std::to_string(sizing.front.size()));
  const SimulatedSizing& point = sizing.front[number - 1];
  propose(workload, point.depths, sizing);
  SLUICE_TRY(const PointResult after, tryOut(workload, knobs, sizing, stop));
  sizing.cycles_after = after.simulation.cycles;
  sizing.bytes_after = static_cast<double>(after.point.metrics.fifo_bytes);
  sizing.blocks_after = point.blocks;
  return sizing;
}

}  // namespace sluice::inline fifo
