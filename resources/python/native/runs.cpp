// Runs: a program with its inputs, one design point of it, its whole design space, two runs beside each
// other.

#include <chrono>

#include "engine/explorer/compare.h"
#include "engine/explorer/constraint_report.h"
#include "engine/explorer/explore.h"
#include "engine/explorer/given_inputs.h"
#include "engine/explorer/store/sqlite_point_store.h"
#include "engine/explorer/tables.h"
#include "engine/interchange/chrome_trace.h"
#include "engine/operators/fault_diagnostic.h"
#include "engine/program/chosen_knobs.h"
#include "engine/program/spelling.h"
#include "engine/schedule/graph_hash.h"
#include "engine/simulator/explanation.h"
#include "engine/simulator/timeline.h"
#include "engine/traces/check_trace.h"
#include "native/attend.h"
#include "native/conversions.h"
#include "native/parts.h"
#include "native/run.h"
#include "native/workload.h"

namespace sluice::python {
namespace {

IntTensor tensorFrom(const py::buffer& buffer) {
  const py::buffer_info info = buffer.request();
  const bool whole = info.itemsize == 8 && (info.format == "l" || info.format == "q");
  if (!whole || !PyBuffer_IsContiguous(info.view(), 'C'))
    throw py::type_error("expected a contiguous array of int64");
  IntTensor tensor;
  for (const py::ssize_t extent : info.shape) tensor.shape.push_back(static_cast<std::size_t>(extent));
  const auto* const values = static_cast<const std::int64_t*>(info.ptr);
  tensor.data.assign(values, values + info.size);
  return tensor;
}

void setInput(Document& document, const std::string& name, const py::buffer& values) {
  const auto input = std::ranges::find(document.inputs, name, &Input::name);
  if (input == document.inputs.end()) {
    std::vector<std::string> names;
    for (const Input& known : document.inputs) names.push_back(known.name);
    throw Refused(
        {error("unknown-input", Location(Where::Input, name), "the program has no input of that name",
               spellingFix(name, names, "the program has no inputs; leave it out"))});
  }
  // What the generator of a synthetic trace needs, but for the number of experts, goes with it.
  Input bound;
  bound.name = input->name;
  bound.kind = input->kind;
  bound.data = tensorFrom(values);
  if (Diagnostics wrong = checkTrace(*input, *bound.data, Location(Where::Input, name)); !wrong.empty())
    throw Refused(std::move(wrong));
  bound.experts = input->experts > 0 ? input->experts : static_cast<std::int64_t>(input->counts.size());
  *input = std::move(bound);
}

Opened opened(Document document, const std::string& folder, const py::dict& files, const py::dict& arrays) {
  for (const auto& [name, values] : arrays)
    setInput(document, py::str(name).cast<std::string>(), values.cast<py::buffer>());
  std::map<std::string, std::filesystem::path> paths;
  for (const auto& [name, values] : arrays) paths[py::str(name).cast<std::string>()] = "";
  for (const auto& [name, file] : files)
    paths[py::str(name).cast<std::string>()] = std::filesystem::absolute(py::str(file).cast<std::string>());
  return {taken(makeWorkload(std::move(document), folder, paths))};
}

RecordMode modeOf(const std::string& name) {
  constexpr RecordMode modes[] = {RecordMode::Count, RecordMode::Record, RecordMode::Timeline};
  return modes[choiceOf("record", name, {"count", "record", "timeline"})];
}

py::tuple simulate(const Opened& program, const py::dict& given, const std::string& mode,
                   const py::object& heard) {
  const KnobValues knobs = knobsFrom(program.workload->document, given);
  const RecordMode record = modeOf(mode);
  std::optional<Result<PointResult>> result;
  const py::object interruption = attend(heard, [&](const std::stop_token& stop, Told& told) {
    SimulationProgress tell;
    if (!heard.is_none())
      tell = [&told](double fraction, Cycles cycle) { told.tell({.fraction = fraction, .done = cycle}); };
    result = evaluate(*program.workload, knobs, record, stop, tell);
  });
  if (!interruption.is_none() && !*result) return py::make_tuple(py::none(), interruption);
  return py::make_tuple(Run{program.workload, knobs, taken(*std::move(result))}, interruption);
}

Diagnostics diagnosticsOf(const Run& run) {
  Diagnostics told = run.result.symbolic.warnings;
  for (Diagnostic& unfit : checkInputs(*run.workload, {}, run.knobs)) told.push_back(std::move(unfit));
  const FlatGraph& graph = run.result.symbolic.graph;
  if (const auto& fault = run.result.simulation.fault) told.push_back(faultDiagnostic(graph, *fault));
  if (auto without = withoutNumbers(run.result)) told.push_back(*std::move(without));
  if (const auto& deadlock = run.result.simulation.deadlock)
    told.push_back(error("deadlock", "the run", text(*deadlock, Naming{graph, true}),
                         "sluice.unlock() finds the depths that free it, where depths do"));
  return told;
}

py::dict operatorsOf(const Run& run) {
  py::list name, origin, kind, finished, busy, on_input, on_output, flops, bytes;
  const auto& operators = run.result.symbolic.graph.operators;
  for (std::size_t i = 0; i < run.result.simulation.operators.size(); ++i) {
    const OperatorStats& stats = run.result.simulation.operators[i];
    name.append(operators[i].name);
    origin.append(operators[i].origin);
    kind.append(operators[i].spec->kind);
    finished.append(stats.finished);
    busy.append(stats.busy);
    on_input.append(stats.blocked_on_input);
    on_output.append(stats.blocked_on_output);
    flops.append(stats.flops);
    bytes.append(stats.off_chip_bytes);
  }
  using namespace py::literals;
  return py::dict("name"_a = name, "origin"_a = origin, "kind"_a = kind, "finished"_a = finished,
                  "busy"_a = busy, "blocked_on_input"_a = on_input, "blocked_on_output"_a = on_output,
                  "flops"_a = flops, "off_chip_bytes"_a = bytes);
}

py::dict streamsOf(const Run& run) {
  py::list name, origin, type, depth, tokens, most;
  const auto& streams = run.result.symbolic.graph.streams;
  for (std::size_t i = 0; i < run.result.simulation.streams.size(); ++i) {
    const StreamStats& stats = run.result.simulation.streams[i];
    name.append(streams[i].name);
    origin.append(streams[i].origin);
    type.append(text(run.result.symbolic.inference.streams[i]));
    depth.append(streams[i].depth);
    tokens.append(stats.tokens);
    most.append(stats.max_occupancy);
  }
  using namespace py::literals;
  return py::dict("name"_a = name, "origin"_a = origin, "type"_a = type, "depth"_a = depth,
                  "tokens"_a = tokens, "max_occupancy"_a = most);
}

py::dict occupancyOf(const Run& run, const std::string& stream) {
  const auto& streams = run.result.symbolic.graph.streams;
  const auto found = std::ranges::find(streams, stream, &FlatStream::name);
  if (found == streams.end()) throw py::key_error(stream);
  const auto i = static_cast<std::size_t>(found - streams.begin());
  py::list time, low, high, last;
  if (i < run.result.simulation.occupancy.size()) {
    for (const OccupancySeries::Sample& sample : run.result.simulation.occupancy[i].samples) {
      time.append(sample.time);
      low.append(sample.low);
      high.append(sample.high);
      last.append(sample.last);
    }
  }
  using namespace py::literals;
  return py::dict("time"_a = time, "low"_a = low, "high"_a = high, "last"_a = last);
}

ExploreOptions optionsFrom(const py::dict& given) {
  ExploreOptions options;
  options.strategy = given["strategy"].cast<std::string>();
  if (const auto objectives = textsFrom(given["objectives"]); !objectives.empty())
    options.objectives = objectives;
  options.budget = given["budget"].cast<std::uint64_t>();
  options.seed = given["seed"].cast<std::uint64_t>();
  const std::vector<std::string> levels{"symbolic", "count", "record"};
  options.fidelity = *fidelityOf(levels[choiceOf("level", given["level"].cast<std::string>(), levels)]);
  options.constraints = constraintsFrom(textsFrom(given["constraints"]));
  options.warm_start = given["warm_start"].cast<bool>();
  return options;
}

py::dict explorationOf(const Document& document, const Exploration& result) {
  py::list points;
  for (const DesignPoint& point : result.points) points.append(toPython(document, point));
  using namespace py::literals;
  return py::dict("points"_a = points, "frontier"_a = listOf(result.frontier),
                  "order"_a = listOf(result.order), "strategy"_a = result.strategy,
                  "objectives"_a = listOf(result.objectives), "hypervolume"_a = result.hypervolume,
                  "reference"_a = listOf(result.reference), "pruned"_a = result.pruned,
                  "reused"_a = result.reused, "retimed"_a = result.retimed, "cancelled"_a = result.cancelled,
                  "wall_seconds"_a = result.wall_seconds);
}

/// What is explored goes into this store, too, if one is named.
std::unique_ptr<SqlitePointStore> storeFor(const py::dict& given, const Opened& program,
                                           ExploreOptions& options, std::stop_source trouble) {
  const auto file = given["store"].cast<std::string>();
  if (file.empty()) return nullptr;
  auto store = taken(
      SqlitePointStore::open(file, recordOf(*program.workload, options, given["file"].cast<std::string>()),
                             given["resume"].cast<bool>(), std::move(trouble)));
  options.store = store.get();
  return store;
}

py::tuple exploreAll(const Opened& program, const py::dict& given, unsigned threads,
                     const py::object& heard) {
  ExploreOptions options = optionsFrom(given);
  const Document& document = program.workload->document;
  const py::dict fixed = given["fixed"].cast<py::dict>();
  std::vector<std::string> kept;
  for (const auto& [name, value] : fixed) kept.push_back(py::str(name).cast<std::string>());
  options.fixed = chosenKnobs(knobsFrom(document, fixed), kept);
  if (const Diagnostics wrong = checkExploration(document, options); !wrong.empty()) throw Refused(wrong);
  std::stop_source stop;
  const auto store = storeFor(given, program, options, stop);
  options.stop = stop.get_token();
  std::optional<Result<Exploration>> result;
  const py::object interruption = attend(heard, [&](const std::stop_token& asked, Told& told) {
    const std::stop_callback pass_on(asked, [&stop] { stop.request_stop(); });
    options.on_point = [&told](std::uint64_t, const DesignPoint&, const ExploreProgress& progress) {
      told.tell({static_cast<double>(progress.evaluated) /
                     static_cast<double>(std::max<std::uint64_t>(1, progress.total)),
                 progress.evaluated, progress.total, progress.seconds_left});
    };
    const std::unique_ptr<Executor> executor = makeExecutor(threads);
    result = explore(*program.workload, *executor, options);
  });
  if (store) taken(store->finish());
  if (!interruption.is_none() && !*result) return py::make_tuple(py::none(), interruption);
  py::dict found = explorationOf(document, taken(*std::move(result)));
  KnobValues knobs = defaultKnobs(document);
  for (const auto& [name, value] : options.fixed) knobs[name] = value;
  found["diagnostics"] = toPython(checkInputs(*program.workload, {}, knobs));
  return py::make_tuple(std::move(found), interruption);
}

py::object orNone(const std::optional<double>& value) {
  return value ? py::object(py::float_(*value)) : py::none();
}

py::dict compared(const std::string& name, const ComparedValue& value) {
  using namespace py::literals;
  return py::dict("name"_a = name, "a"_a = orNone(value.a), "b"_a = orNone(value.b),
                  "change"_a = orNone(value.change()));
}

py::dict comparison(const Run& a, const Run& b) {
  const Comparison found = compare(a.result, b.result);
  py::list metrics, operators, streams, causes;
  for (const ComparedMetric& each : found.metrics) metrics.append(compared(each.metric->name, each.value));
  for (const ComparedOperator& each : found.operators) {
    py::dict entry = compared(each.place, each.busy);
    entry["kind"] = each.kind;
    entry["starved_a"] = orNone(each.starved.a);
    entry["starved_b"] = orNone(each.starved.b);
    entry["blocked_a"] = orNone(each.blocked.a);
    entry["blocked_b"] = orNone(each.blocked.b);
    operators.append(entry);
  }
  for (const ComparedStream& each : found.streams) streams.append(compared(each.name, each.most));
  for (const ComparedCause& each : found.causes) causes.append(compared(each.cause, each.lost));
  using namespace py::literals;
  return py::dict("metrics"_a = metrics, "operators"_a = operators, "streams"_a = streams,
                  "causes"_a = causes);
}

}  // namespace

void addRuns(py::module_& module) {
  py::class_<Opened>(module, "Workload")
      .def(py::init([](const Document& document, const std::string& folder, const py::dict& files,
                       const py::dict& arrays) { return opened(document, folder, files, arrays); }));
  py::class_<Run>(module, "Run")
      .def("point", [](const Run& self) { return toPython(self.workload->document, self.result.point); })
      .def("diagnostics", [](const Run& self) { return toPython(diagnosticsOf(self)); })
      .def("operators", operatorsOf)
      .def("streams", streamsOf)
      .def("occupancy", occupancyOf)
      .def("cancelled", [](const Run& self) { return self.result.simulation.cancelled; })
      .def("graph_hash",
           [](const Run& self) { return graphHash(self.result.symbolic.graph, self.workload->inputs); })
      .def("chrome_trace", [](const Run& self) {
        if (!self.result.simulation.timeline)
          throw Refused({error("missing-data", Location("the run"), "it has no record of who did what when",
                               "simulate it with record=\"timeline\"")});
        return chromeTrace(self.result.symbolic.graph, *self.result.simulation.timeline);
      });
  module.def("simulate", simulate);
  module.def("explore", exploreAll);
  module.def("compare", comparison);
}

}  // namespace sluice::python
