// makeWorkload: every input of a document as numbers, from inline data, a NumPy file, the synthetic generator
// or a set of traces, checked against what the document says of it; and the technology of its machine.

#include <algorithm>
#include <set>

#include "engine/core/quantity_text.h"
#include "engine/energy/technology.h"
#include "engine/explorer/evaluate.h"
#include "engine/explorer/routing.h"
#include "engine/explorer/workload_set.h"
#include "engine/interchange/numpy.h"
#include "engine/program/spelling.h"
#include "engine/traces/check_trace.h"
#include "engine/traces/trace_set.h"

namespace sluice::inline explorer {
namespace {

using Files = std::map<std::string, std::filesystem::path>;

/// The document's input with the source that replaces it.
Input sourced(const Input& document, const Files& files) {
  Input input = document;
  const auto replaced = files.find(input.name);
  if (replaced == files.end()) return input;
  input.file = replaced->second.string();
  return input;
}

/// The values of an input that is no set of traces.
Result<InputData> valuesOf(Input input, const std::filesystem::path& folder) {
  Location place(Where::Input, input.name);
  if (input.experts == 0) input.experts = static_cast<std::int64_t>(input.counts.size());
  Result<IntTensor> tensor = IntTensor{};
  if (!input.file.empty()) {
    const std::filesystem::path file = folder / input.file;
    place = Location(Where::Input, input.name, file.string());
    tensor = loadNumpy(file);
  } else if (input.data) {
    tensor = *input.data;
  } else if (input.kind == InputKind::Routing) {
    tensor = syntheticRouting(input);
  } else {
    return error("missing-data", place, "it has neither data nor a file", "give one of the two");
  }
  if (!tensor) {
    Diagnostics wrong = tensor.diagnostics();
    if (!input.file.empty()) wrong.front().place = Location(Where::Input, input.name) / wrong.front().place;
    if (wrong.front().code == "unknown-name")
      wrong.front().fix = "name the array, " + std::string(trace_set_prefix) + input.file + ",key=NAME, or " +
                          wrong.front().fix;
    return wrong;
  }
  if (Diagnostics wrong = checkTrace(input, *tensor, place); !wrong.empty()) return wrong;
  const std::int64_t experts = expertsOf(input, *tensor);
  return InputData{input.kind, *std::move(tensor), experts};
}

Diagnostics unknownInputs(const Document& document, const Files& files) {
  std::vector<std::string> names;
  for (const Input& input : document.inputs) names.push_back(input.name);
  Diagnostics wrong;
  for (const auto& [name, file] : files) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    wrong.push_back(error("unknown-input", Location(Where::Input, name),
                          "the document has no input of that name",
                          spellingFix(name, names, "the document has no inputs; leave it out")));
  }
  return wrong;
}

/// A trace that stays out as a set beside it has none of its number.
Diagnostic alone(const std::string& input, const std::string& trace, std::size_t number) {
  return warning("trace-mismatch", Location(Where::Input, input) / Location("'" + trace + "'"),
                 "the set of another input has no trace number " + std::to_string(number) + " to go with it",
                 "give sets of as many traces: the first of one goes with the first of the other");
}

/// Traces of the same number belong together; one that is missing in a set takes the others out.
Result<Done> pair(WorkloadSet& all, const Input& input, TraceSet set) {
  const auto data = [&](Trace& trace) { return InputData{input.kind, std::move(trace.values), set.experts}; };
  std::map<std::size_t, Trace*> by_number;
  for (Trace& trace : set.traces) by_number[trace.number] = &trace;
  const std::size_t chosen = set.traces[set.chosen].number;
  all.left_out.insert(all.left_out.end(), set.left_out.begin(), set.left_out.end());
  if (all.traces.empty()) {
    for (Trace& trace : set.traces)
      all.traces.push_back({trace.name, trace.number, {{input.name, data(trace)}}});
    all.chosen = chosen;
    return Done{};
  }
  std::set<std::size_t> there;
  for (const TraceMember& member : all.traces) {
    there.insert(member.number);
    if (!by_number.contains(member.number))
      all.left_out.push_back(alone(member.inputs.begin()->first, member.name, member.number));
  }
  for (const Trace& trace : set.traces)
    if (!there.contains(trace.number)) all.left_out.push_back(alone(input.name, trace.name, trace.number));
  std::erase_if(all.traces, [&](const TraceMember& member) { return !by_number.contains(member.number); });
  if (all.traces.empty()) {
    return error("trace-mismatch", Location(Where::Input, input.name),
                 "none of its traces has the number of a trace of the inputs before it",
                 "give sets of as many traces: the first of one goes with the first of the other");
  }
  for (TraceMember& member : all.traces) {
    Trace& trace = *by_number.at(member.number);
    member.name += " + " + trace.name;
    member.inputs.emplace(input.name, data(trace));
  }
  return Done{};
}

}  // namespace

std::optional<TraceName> WorkloadSet::chosenName() const {
  if (empty()) return std::nullopt;
  return TraceName{traces[chosen].name, traces[chosen].number};
}

std::string WorkloadSet::description() const {
  std::string text = grouped(traces.size()) + (traces.size() == 1 ? " trace" : " traces");
  for (const auto& [input, source] : sources)
    text += (input == sources.begin()->first ? " of " : ", ") + input + "=" + source;
  return text;
}

Workload WorkloadSet::at(std::size_t trace) const {
  Workload one = *workload;
  for (const auto& [name, data] : traces[trace].inputs) one.inputs[name] = data;
  one.files.reset();  // what does not fit is told of the trace
  return one;
}

Result<WorkloadSet> makeWorkloadSet(Document document, const std::filesystem::path& folder,
                                    const Files& files) {
  Diagnostics wrong = unknownInputs(document, files);
  WorkloadSet set;
  auto workload = std::make_shared<Workload>();
  const auto keep = [&](const auto& result) {
    if (!result) wrong.insert(wrong.end(), result.diagnostics().begin(), result.diagnostics().end());
    return static_cast<bool>(result);
  };
  for (const Input& each : document.inputs) {
    const Input input = sourced(each, files);
    if (!isTraceSet(input.file)) {
      Result<InputData> values = valuesOf(input, folder);
      if (keep(values)) workload->inputs.emplace(input.name, *std::move(values));
      continue;
    }
    Result<TraceSet> traces = loadTraceSet(input, input.file, folder);
    if (keep(traces)) keep(pair(set, input, *std::move(traces)));
    set.sources.emplace(input.name, input.file);
  }
  if (const std::string& technology = document.machine.technology; !technology.empty()) {
    Result<Technology> read = technologyNamed(technology, folder);
    if (read) {
      workload->technology = std::make_shared<const Technology>(*std::move(read));
    } else {
      wrong.insert(wrong.end(), read.diagnostics().begin(), read.diagnostics().end());
    }
  }
  if (!wrong.empty()) return wrong;
  if (!set.traces.empty()) {
    const auto at = std::ranges::find(set.traces, set.chosen, &TraceMember::number);
    set.chosen = at == set.traces.end() ? 0 : static_cast<std::size_t>(at - set.traces.begin());
    for (const auto& [name, data] : set.traces[set.chosen].inputs) workload->inputs.emplace(name, data);
  }
  workload->document = std::move(document);
  workload->files = InputFiles{folder, files};
  set.workload = std::move(workload);
  return set;
}

Result<std::shared_ptr<const Workload>> makeWorkload(Document document, const std::filesystem::path& folder,
                                                     const Files& files) {
  SLUICE_TRY(WorkloadSet set, makeWorkloadSet(std::move(document), folder, files));
  return std::move(set.workload);
}

}  // namespace sluice::inline explorer
