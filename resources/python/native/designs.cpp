// Designs: schedules found by search, compiled tensor programs, depths of FIFOs, repairs of deadlocks.

#include "engine/designer/design_report.h"
#include "engine/designer/designer.h"
#include "engine/fifo/program_sizing.h"
#include "engine/fifo/unlock.h"
#include "engine/program/spelling.h"
#include "engine/schedule/compile_tensors.h"
#include "engine/tensor/dataflow/dataflow_text.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "native/attend.h"
#include "native/conversions.h"
#include "native/parts.h"
#include "native/workload.h"

namespace sluice::python {
namespace {

using namespace py::literals;

std::set<std::string> setFrom(const py::handle& list) {
  const std::vector<std::string> texts = textsFrom(list);
  return {texts.begin(), texts.end()};
}

DesignRequest requestFrom(const py::dict& given) {
  DesignRequest request;
  if (const auto objectives = textsFrom(given["objectives"]); !objectives.empty())
    request.objectives = objectives;
  request.constraints = constraintsFrom(textsFrom(given["constraints"]));
  request.budget = given["budget"].cast<std::uint64_t>();
  if (!given["seconds"].is_none()) request.seconds = given["seconds"].cast<double>();
  request.seed = given["seed"].cast<std::uint64_t>();
  request.most_steps = given["steps"].cast<std::size_t>();
  request.allowed = setFrom(given["allow"]);
  request.forbidden = setFrom(given["forbid"]);
  request.locked = setFrom(given["lock"]);
  return request;
}

py::list designsOf(const Document& document, const DesignResult& result) {
  py::list designs;
  for (const Design& design : result.designs) {
    py::dict entry = toPython(document, design.point);
    entry["schedule"] = toPython(design.schedule);
    py::dict gaps;
    for (const BoundGap& gap : design.gaps) gaps[py::str(gap.metric->name)] = gap.ratio;
    entry["times_bound"] = gaps;
    entry["parent"] = design.parent ? py::object(py::int_(*design.parent)) : py::none();
    designs.append(entry);
  }
  return designs;
}

py::list provedOf(const std::vector<DesignReport>& reports) {
  py::list proved;
  for (const DesignReport& report : reports)
    proved.append(py::dict("design"_a = report.design, "verdict"_a = text(report.sameness.verdict),
                           "why"_a = report.sameness.why));
  return proved;
}

py::tuple design(const Opened& program, const py::dict& knobs_given, const py::dict& given, unsigned threads,
                 const py::object& heard) {
  const Document& document = program.workload->document;
  const KnobValues knobs = knobsFrom(document, knobs_given);
  const DesignRequest request = requestFrom(given);
  const bool prove = given["prove"].cast<bool>();
  std::optional<Result<DesignResult>> result;
  std::vector<DesignReport> reports;
  const py::object interruption = attend(heard, [&](const std::stop_token& stop, Told& told) {
    const std::unique_ptr<Executor> executor = makeExecutor(threads);
    DesignObserver observer;
    observer.progress = [&told](const DesignProgress& progress) {
      told.tell({static_cast<double>(progress.simulated) /
                     static_cast<double>(std::max<std::uint64_t>(1, progress.budget)),
                 progress.simulated, progress.budget, -1});
    };
    result = findDesigns(*program.workload, knobs, request, *executor, observer, stop);
    if (*result && prove && !(**result).cancelled)
      reports = reportFrontier(*program.workload, knobs, request, **result, *executor, stop);
  });
  if (!interruption.is_none() && !*result) return py::make_tuple(py::none(), interruption);
  const DesignResult found = taken(*std::move(result));
  py::dict entry("points"_a = designsOf(document, found), "frontier"_a = listOf(found.frontier),
                 "objectives"_a = listOf(request.objectives), "hypervolume"_a = found.hypervolume,
                 "simulated"_a = found.simulated, "duplicates"_a = found.duplicates,
                 "pruned"_a = found.pruned, "complete"_a = found.complete, "cancelled"_a = found.cancelled,
                 "proved"_a = provedOf(reports), "remarks"_a = toPython(found.remarks),
                 "wall_seconds"_a = found.wall_seconds);
  return py::make_tuple(entry, interruption);
}

py::list kernelsOf(const CompiledDesign& compiled) {
  py::list kernels;
  for (const Task& task : compiled.design.tasks)
    if (task.kind == TaskKind::Compute)
      kernels.append(py::dict("name"_a = task.name, "group"_a = task.group));
  return kernels;
}

py::list fifosOf(const CompiledDesign& compiled) {
  py::list fifos;
  const DataflowDesign& made = compiled.design;
  for (const DataflowStream& stream : made.streams)
    fifos.append(py::dict("from"_a = made.tasks[stream.from.task].name,
                          "to"_a = made.tasks[stream.to.task].name,
                          "depth"_a = stream.depth ? py::object(py::int_(*stream.depth)) : py::none(),
                          "folded"_a = stream.folded));
  return fifos;
}

py::dict compilationOf(const TensorCompilation& compilation) {
  const CompiledDesign& compiled = compilation.compiled;
  const DesignSummary summary = summarise(compiled.design);
  return py::dict("program"_a = compilation.node, "sizing"_a = compilation.sizing,
                  "kernels"_a = kernelsOf(compiled), "fifos"_a = fifosOf(compiled),
                  "predicted_cycles"_a = listOf(predictedCycles(compiled)),
                  "fifo_bytes"_a = summary.fifo_bytes, "on_chip_bytes"_a = summary.on_chip_bytes,
                  "largest_group_bytes"_a = summary.largest_group_bytes,
                  "external_bytes"_a = summary.external_bytes, "text"_a = text(compiled.design));
}

py::tuple compileTensors(const Opened& program, const py::dict& given) {
  const KnobValues knobs = knobsFrom(program.workload->document, given);
  std::optional<Result<std::vector<CompiledProgram>>> result;
  const py::object interruption = attend(py::none(), [&](const std::stop_token& stop, Told&) {
    result = compiledPrograms(program.workload->document, program.workload->inputs, knobs, stop);
  });
  if (!interruption.is_none() && !*result) return py::make_tuple(py::none(), interruption);
  py::list programs;
  for (const CompiledProgram& each : taken(*std::move(result)))
    programs.append(compilationOf(each.compilation));
  return py::make_tuple(programs, interruption);
}

py::list changesOf(const std::vector<Repair::Change>& changes) {
  py::list list;
  for (const Repair::Change& change : changes)
    list.append(py::dict("stream"_a = change.stream, "origin"_a = change.origin,
                         "instances"_a = change.instances, "from"_a = change.from, "to"_a = change.to,
                         "bytes"_a = change.bytes));
  return list;
}

py::list frontOf(const ProgramSizing& sizing) {
  py::list list;
  for (const SimulatedSizing& point : sizing.front) {
    py::dict depths;
    for (std::size_t at = 0; at < point.depths.size(); ++at)
      depths[py::str(sizing.fifos[at].name)] = point.depths[at];
    list.append(py::dict("bytes"_a = point.bytes, "bram_blocks"_a = point.blocks, "cycles"_a = point.cycles,
                         "depths"_a = depths));
  }
  return list;
}

const DepthStrategy& strategyNamed(const std::string& name) {
  if (const DepthStrategy* strategy = findDepthStrategy(name)) return *strategy;
  std::vector<std::string> names;
  for (const DepthStrategy& strategy : depthStrategies()) names.emplace_back(strategy.name);
  throw Refused({error("unknown-strategy", "the depths of FIFOs",
                       "there is no way to find depths called '" + name + "'",
                       spellingFix(name, names, "name one of them"))});
}

py::tuple sizeFifos(const Opened& program, const py::dict& given, const std::string& name,
                    const std::string& region, double tolerance, bool front, std::size_t pick, bool same,
                    const py::object& seconds) {
  const KnobValues knobs = knobsFrom(program.workload->document, given);
  const DepthStrategy& strategy = strategyNamed(name);
  const double most_seconds = seconds.is_none() ? DepthOptions{}.seconds : seconds.cast<double>();
  std::optional<Result<ProgramSizing>> result;
  const py::object interruption = attend(py::none(), [&](const std::stop_token& stop, Told&) {
    DepthOptions options;
    options.tolerance = tolerance;
    options.front = front || pick > 0;
    options.grouped = same;
    options.seconds = most_seconds;
    options.stop = stop;
    result = sizeProgram(*program.workload, knobs, region, strategy, options);
    if (*result && pick > 0)
      result = pickFromFront(*program.workload, knobs, **std::move(result), pick, stop);
  });
  if (!interruption.is_none() && !*result) return py::make_tuple(py::none(), interruption);
  const ProgramSizing sizing = taken(*std::move(result));
  Document document = program.workload->document;
  if (sizing.changes.empty() && !region.empty() && findGraph(document, region) == nullptr)
    throw Refused({error("unknown-region", Location(Where::Argument, "region"),
                         "there is no region '" + region + "' in the program",
                         "name one by its path, such as 'layer.expert', or leave it out")});
  py::dict entry(
      "changes"_a = changesOf(sizing.changes), "document"_a = sizing.document,
      "cycles_before"_a = sizing.cycles_before ? py::object(py::int_(*sizing.cycles_before)) : py::none(),
      "cycles_after"_a = sizing.cycles_after, "bytes_before"_a = sizing.bytes_before,
      "bytes_after"_a = sizing.bytes_after, "bram_blocks_before"_a = sizing.blocks_before,
      "bram_blocks_after"_a = sizing.blocks_after, "front"_a = frontOf(sizing));
  return py::make_tuple(entry, interruption);
}

/// What unlock() found of a run that is deadlocked; `point` is that run.
py::dict unlockedOf(const Workload& workload, const PointResult& point, const Unlock& found) {
  const Naming names{point.symbolic.graph, true};
  py::list reasons;
  for (const LockReason& reason : found.reasons) reasons.append(text(reason, names));
  py::dict entry("kind"_a = text(found.kind), "why"_a = text(*point.simulation.deadlock, names),
                 "reasons"_a = reasons, "runs"_a = found.runs, "gave_up"_a = found.gave_up,
                 "changes"_a = py::list(), "bytes"_a = py::none(), "cycles"_a = py::none(),
                 "minimal"_a = false, "document"_a = py::none());
  if (!found.repair) return entry;
  entry["changes"] = changesOf(found.repair->changes);
  entry["bytes"] = found.repair->bytes;
  entry["cycles"] = found.repair->cycles;
  entry["minimal"] = found.repair->minimal;
  entry["document"] = repaired(workload.document, point.symbolic.scheduled.get(), *found.repair);
  return entry;
}

py::tuple unlockPoint(const Opened& program, const py::dict& given, double seconds) {
  const KnobValues knobs = knobsFrom(program.workload->document, given);
  std::optional<Result<PointResult>> point;
  std::optional<Unlock> found;
  const py::object interruption = attend(py::none(), [&](const std::stop_token& stop, Told&) {
    point = evaluate(*program.workload, knobs, RecordMode::Count, stop);
    if (!*point || !(**point).simulation.deadlock) return;
    SearchBudget budget;
    budget.time =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    budget.stop = stop;
    found = unlock(*program.workload, **point, budget);
  });
  if (!interruption.is_none() && !*point) return py::make_tuple(py::none(), interruption);
  const PointResult run = taken(*std::move(point));
  if (!found) return py::make_tuple(py::none(), interruption);
  return py::make_tuple(unlockedOf(*program.workload, run, *found), interruption);
}

}  // namespace

void addDesigns(py::module_& module) {
  module.def("design", design);
  module.def("compile", compileTensors);
  module.def("size_fifos", sizeFifos);
  module.def("unlock", unlockPoint);
}

}  // namespace sluice::python
