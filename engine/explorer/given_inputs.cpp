#include "engine/explorer/given_inputs.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "engine/operators/metadata.h"
#include "engine/operators/operator.h"
#include "engine/operators/registry.h"
#include "engine/program/elaborate.h"

namespace sluice::inline explorer {
namespace {

using Files = std::map<std::string, std::filesystem::path>;

Location placeOf(const Files::value_type& given) {
  return Location(Where::Input, given.first, given.second.string());
}

/// The document with its own values of some inputs; nothing where it has none.
std::optional<Diagnostics> problemsWithOwn(const Workload& workload, const KnobValues& knobs,
                                           const std::filesystem::path& folder, Files files,
                                           const std::vector<std::string>& own) {
  for (const std::string& name : own) files.erase(name);
  const auto made = makeWorkload(workload.document, folder, files);
  if (!made) return std::nullopt;
  const Result<FlatGraph> graph = elaborate((*made)->document, knobs, builtInCatalog());
  if (!graph) return std::nullopt;
  const Result<Inference> typed = inferTypes(*graph, (*made)->inputs);
  return typed ? Diagnostics() : typed.diagnostics();
}

/// Which of the files is at fault that the program has no types.
Diagnostics blame(const Diagnostics& problems, const Workload& workload, const KnobValues& knobs,
                  const std::filesystem::path& folder, const Files& files) {
  const auto fits = [&](const std::vector<std::string>& own) {
    const auto left = problemsWithOwn(workload, knobs, folder, files, own);
    return left && left->empty();
  };
  std::vector<std::string> all;
  for (const auto& [name, file] : files) all.push_back(name);
  if (!fits(all)) return {};
  Diagnostic told =
      error("trace-mismatch", {}, text(problems.front().place) + ": " + problems.front().cause,
            "give as many values, in the shape, as the document has itself, or change the program as well");
  for (const auto& given : files) {
    if (all.size() > 1 && !fits({given.first})) continue;
    told.place = placeOf(given);
    break;
  }
  if (told.place.empty()) told.place = placeOf(*files.begin());  // it takes several of them
  const std::size_t more = problems.size() - 1;
  told.cause =
      "the program does not fit together with these values, and does with the document's own: " + told.cause +
      (more > 0 ? "; and " + std::to_string(more) + " more like this" : "");
  return {told};
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
void ofTraces(const WorkloadSet& set, const Files::value_type& given, Diagnostics& found,
              const Check& check) {
  std::optional<Diagnostic> first;
  std::size_t more = 0;
  InputSet inputs = set.workload->inputs;
  for (std::size_t at = 0; at < std::max<std::size_t>(set.traces.size(), 1); ++at) {
    Location place = placeOf(given);
    if (!set.empty()) {
      for (const auto& [name, data] : set.traces[at].inputs) inputs[name] = data;
      if (set.traces[at].inputs.contains(given.first)) place /= Location("'" + set.traces[at].name + "'");
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

Diagnostics checkGivenInputs(const WorkloadSet& set, const KnobValues& knobs,
                             const std::filesystem::path& folder, const Files& files) {
  if (files.empty()) return {};
  const Workload& workload = *set.workload;
  const Result<FlatGraph> graph = elaborate(workload.document, knobs, builtInCatalog());
  if (!graph) return {};
  const Result<Inference> typed = inferTypes(*graph, workload.inputs);
  if (!typed) return blame(typed.diagnostics(), workload, knobs, folder, files);
  const std::vector<AskedCache> caches = cachesOf(*graph, *typed);
  Diagnostics found;
  for (const auto& given : files) {
    ofTraces(set, given, found, [&](const InputSet& inputs, const Location& place) {
      return beyondEnd(*graph, inputs, given.first, place);
    });
    ofTraces(set, given, found, [&](const InputSet& inputs, const Location& place) {
      return beyondCache(caches, inputs, given.first, place);
    });
  }
  return found;
}

}  // namespace sluice::inline explorer
