#include "engine/explorer/given_inputs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "engine/operators/metadata.h"
#include "engine/operators/operator.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"
#include "engine/program/trace_source.h"

namespace sluice::inline explorer {
namespace {

using Files = std::map<std::string, std::filesystem::path>;

Location placeOf(const Files::value_type& source) {
  if (source.second.empty()) return Location(Where::Input, source.first);
  return Location(Where::Input, source.first, source.second.string());
}

/// Of the inputs whose values are not written in the document.
Files sourcesOf(const Workload& workload) {
  if (!workload.files) return {};
  Files sources = workload.files->given;
  for (const Input& input : workload.document.inputs) {
    if (input.file.empty()) continue;
    sources.emplace(input.name, isTraceSet(input.file) ? std::filesystem::path(input.file)
                                                       : workload.files->folder / input.file);
  }
  return sources;
}

/// Whether the program fits together where some of the inputs that are given have the document's own values.
bool fitsWithOwn(const Workload& workload, const KnobValues& knobs, const std::vector<std::string>& own) {
  Files files = workload.files->given;
  for (const std::string& name : own) files.erase(name);
  const auto made = makeWorkload(workload.document, workload.files->folder, files);
  if (!made) return false;
  const Result<FlatGraph> graph = elaborate((*made)->document, knobs, builtInCatalog());
  return graph && inferTypes(*graph, (*made)->inputs);
}

/// The one of the given files, else the first of several, that is at fault that the program has no types.
std::optional<Location> givenAtFault(const Workload& workload, const KnobValues& knobs) {
  const Files& files = workload.files->given;
  std::vector<std::string> all;
  for (const auto& [name, file] : files) all.push_back(name);
  if (all.empty() || !fitsWithOwn(workload, knobs, all)) return std::nullopt;
  if (all.size() > 1)
    for (const auto& given : files)
      if (fitsWithOwn(workload, knobs, {given.first})) return placeOf(given);
  return placeOf(*files.begin());
}

/// The source that the first operator takes which is refused and takes one.
std::optional<Location> takenWhereRefused(const FlatGraph& graph, const Diagnostics& problems,
                                          const Files& sources) {
  for (const Diagnostic& problem : problems) {
    const std::string at = operatorIn(problem.place);
    const auto op = std::ranges::find(graph.operators, at, &FlatOperator::name);
    if (op == graph.operators.end()) continue;
    for (const ParameterSpec& parameter : op->spec->parameters) {
      if (parameter.kind != ParameterKind::Input) continue;
      const auto source = sources.find(op->parameters.string(parameter.name));
      if (source != sources.end()) return placeOf(*source);
    }
  }
  return std::nullopt;
}

Diagnostic doesNotFit(Location place, const Diagnostics& problems, bool own_fits) {
  const std::size_t more = problems.size() - 1;
  return error("trace-mismatch", std::move(place),
               std::string("the program does not fit together with these values") +
                   (own_fits ? ", and does with the document's own: " : ": ") + text(problems.front().place) +
                   ": " + problems.front().cause +
                   (more > 0 ? "; and " + std::to_string(more) + " more like this" : ""),
               std::string("give as many values, in the shape, as the ") +
                   (own_fits ? "document has itself" : "program takes") + ", or change the program as well");
}

/// `problems`: those of the graph's types.
std::optional<Diagnostic> blame(const Workload& workload, const KnobValues& knobs, const FlatGraph& graph,
                                const Diagnostics& problems, const Files& sources) {
  if (auto given = givenAtFault(workload, knobs)) return doesNotFit(*std::move(given), problems, true);
  if (auto taken = takenWhereRefused(graph, problems, sources))
    return doesNotFit(*std::move(taken), problems, false);
  return std::nullopt;
}

/// Up to which position operators take the values of an input; nothing: none does.
std::optional<std::size_t> endOf(const FlatGraph& graph, const InputSet& inputs, const std::string& name) {
  std::optional<std::size_t> end;
  for (const FlatOperator& op : graph.operators) {
    for (const ParameterSpec& parameter : op.spec->parameters) {
      if (parameter.kind != ParameterKind::Input || op.parameters.string(parameter.name) != name) continue;
      const bool numbers = definitionOf(op).schedule == ScheduleRole::Numbers;
      const std::size_t own = numbers ? metadataEnd(op, inputs) : inputs.at(name).tensor.data.size();
      end = std::max(end.value_or(0), own);
    }
  }
  return end;
}

/// Sources of the numbers that arrive on a stream, through operators that pass such elements on.
std::set<OperatorId> numbersOf(const FlatGraph& graph, const Inference& typed, StreamId stream) {
  std::set<OperatorId> sources, seen;
  std::vector<StreamId> open{stream};
  while (!open.empty()) {
    const StreamId at = open.back();
    open.pop_back();
    const OperatorId id = graph.streams[at].producer;
    if (!seen.insert(id).second) continue;
    const FlatOperator& op = graph.operators[id];
    if (definitionOf(op).schedule == ScheduleRole::Numbers) sources.insert(id);
    for (const StreamId in : op.inputs)
      if (text(typed.streams[in].element) == text(typed.streams[at].element)) open.push_back(in);
  }
  return sources;
}

/// A cache whose requests ask for as many tiles as an input says.
struct AskedCache {
  const FlatOperator* numbers;
  std::string addresses;  ///< the node
  std::uint64_t tiles;    ///< of a request
};

std::vector<AskedCache> cachesOf(const FlatGraph& graph, const Inference& typed) {
  std::vector<AskedCache> caches;
  for (const FlatOperator& op : graph.operators) {
    const std::optional<RequestCache> cache = requestCache(op);
    if (!cache || cache->tiles == 0) continue;
    for (const OperatorId source : numbersOf(graph, typed, cache->asked))
      caches.push_back({&graph.operators[source], op.origin, cache->tiles});
  }
  return caches;
}

/// That a request asks for more than it has room for, of the first cache in which one does.
std::optional<Diagnostic> beyondCache(const std::vector<AskedCache>& caches, const InputSet& inputs,
                                      const std::string& name, const Location& place) {
  for (const AskedCache& cache : caches) {
    if (cache.numbers->parameters.string("input") != name) continue;
    const IntTensor asked = metadataOf(*cache.numbers, inputs);
    const auto most = std::ranges::max_element(asked.data);
    if (most == asked.data.end() || static_cast<std::uint64_t>(*most) <= cache.tiles) continue;
    return warning("trace-mismatch", place,
                   "request " + std::to_string(most - asked.data.begin()) + " asks for " +
                       std::to_string(*most) + " tiles of its cache, which has " +
                       std::to_string(cache.tiles) + " ('" + cache.addresses +
                       "'): it goes on in that of the next one",
                   "give shorter requests, or the program a larger cache");
  }
  return std::nullopt;
}

std::optional<Diagnostic> beyondEnd(const FlatGraph& graph, const InputSet& inputs, const std::string& name,
                                    const Location& place) {
  const std::size_t values = inputs.at(name).tensor.data.size();
  const auto end = endOf(graph, inputs, name);
  if (!end || *end >= values) return std::nullopt;
  return warning("trace-mismatch", place,
                 "it has " + std::to_string(values) + " values, of which operators take " +
                     std::to_string(*end) + "; the others have no effect",
                 "give as many as the program takes, or have it take more");
}

/// The first of the traces of which there is something to be said, with how many more there are.
template <class Check>
void ofTraces(const Workload& workload, std::span<const TraceMember> traces, const Files::value_type& source,
              Diagnostics& found, const Check& check) {
  std::optional<Diagnostic> first;
  std::size_t more = 0;
  InputSet inputs = workload.inputs;
  for (std::size_t at = 0; at < std::max<std::size_t>(traces.size(), 1); ++at) {
    Location place = placeOf(source);
    if (!traces.empty()) {
      if (at > 0 && !traces[at].inputs.contains(source.first)) break;  // the same under every trace
      for (const auto& [name, data] : traces[at].inputs) inputs[name] = data;
      if (traces[at].inputs.contains(source.first)) place /= Location("'" + traces[at].name + "'");
    }
    std::optional<Diagnostic> told = check(inputs, place);
    if (told) first ? void(++more) : void(first = std::move(told));
  }
  if (!first) return;
  if (more > 0)
    first->cause += "; likewise of " + std::to_string(more) + (more == 1 ? " more trace" : " more traces");
  found.push_back(*std::move(first));
}

}  // namespace

std::optional<Diagnostic> blameInputs(const Workload& workload, const KnobValues& knobs) {
  const Files sources = sourcesOf(workload);
  if (sources.empty()) return std::nullopt;
  const Result<FlatGraph> graph = elaborate(workload.document, knobs, builtInCatalog());
  if (!graph) return std::nullopt;
  const Result<Inference> typed = inferTypes(*graph, workload.inputs);
  return typed ? std::nullopt : blame(workload, knobs, *graph, typed.diagnostics(), sources);
}

Diagnostics checkInputs(const Workload& workload, std::span<const TraceMember> traces,
                        const KnobValues& knobs) {
  const Files sources = sourcesOf(workload);
  if (sources.empty()) return {};
  const Result<FlatGraph> graph = elaborate(workload.document, knobs, builtInCatalog());
  if (!graph) return {};
  const Result<Inference> typed = inferTypes(*graph, workload.inputs);
  if (!typed) {
    auto wrong = blame(workload, knobs, *graph, typed.diagnostics(), sources);
    return wrong ? Diagnostics{*std::move(wrong)} : Diagnostics();
  }
  const std::vector<AskedCache> caches = cachesOf(*graph, *typed);
  Diagnostics found;
  for (const auto& source : sources) {
    ofTraces(workload, traces, source, found, [&](const InputSet& inputs, const Location& place) {
      return beyondEnd(*graph, inputs, source.first, place);
    });
    ofTraces(workload, traces, source, found, [&](const InputSet& inputs, const Location& place) {
      return beyondCache(caches, inputs, source.first, place);
    });
  }
  return found;
}

}  // namespace sluice::inline explorer
