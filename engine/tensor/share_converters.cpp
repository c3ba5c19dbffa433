#include "engine/tensor/share_converters.h"

#include "engine/tensor/canonical.h"
#include "engine/tensor/converter_sharing.h"
#include "engine/tensor/dataflow_graph.h"

namespace sluice {
namespace {

bool areTwins(const DataflowDesign& design, std::size_t a, std::size_t b) {
  const Task &first = design.tasks[a], &second = design.tasks[b];
  if (a == b || first.kind != TaskKind::Converter || second.kind != TaskKind::Converter) return false;
  const auto one = streamInto(design, {a, 0}), other = streamInto(design, {b, 0});
  return design.streams[*one].from == design.streams[*other].from &&
         sameStream(first.outputs[0].type, second.outputs[0].type);
}

/// Feeds the readers of some converters from another one, and removes them.
void replaceConverters(DataflowDesign& design, const std::vector<std::size_t>& replacement) {
  std::vector<bool> removed(design.tasks.size(), false);
  for (std::size_t task = 0; task < replacement.size(); ++task) removed[task] = replacement[task] != task;
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
    PortRef& from = design.streams[stream].from;
    if (!removed[from.task]) continue;
    from.task = replacement[from.task];
    resetStream(design, stream);
  }
  removeTasks(design, removed);
}

std::vector<std::size_t> themselves(const DataflowDesign& design) {
  std::vector<std::size_t> numbers(design.tasks.size());
  for (std::size_t task = 0; task < numbers.size(); ++task) numbers[task] = task;
  return numbers;
}

}  // namespace

Result<Done> checkShareConverter(const DataflowDesign& design, std::size_t converter) {
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (areTwins(design, converter, task)) return Done{};
  return Diagnostic{Severity::Error, "task '" + design.tasks[converter].name + "'",
                    "no other converter turns the same output into the same stream",
                    "share converters that have the same source and the same result type"};
}

Result<DataflowDesign> shareConverter(const DataflowDesign& design, std::size_t converter) {
  if (const auto legal = checkShareConverter(design, converter); !legal) return legal.diagnostics();
  std::vector<std::size_t> replacement = themselves(design);
  for (std::size_t task = 0; task < design.tasks.size(); ++task)
    if (areTwins(design, converter, task)) replacement[task] = converter;
  DataflowDesign shared = design;
  replaceConverters(shared, replacement);
  return shared;
}

DataflowDesign withConvertersShared(const DataflowDesign& design) {
  std::vector<std::size_t> converters;
  std::vector<ConverterUse> uses;
  std::vector<PortRef> sources;
  for (const DataflowStream& stream : design.streams) {
    const Task& task = design.tasks[stream.to.task];
    if (task.kind != TaskKind::Converter) continue;
    std::size_t source = 0;
    while (source < sources.size() && !(sources[source] == stream.from)) ++source;
    if (source == sources.size()) sources.push_back(stream.from);
    converters.push_back(stream.to.task);
    uses.push_back({source, task.outputs[0].type});
  }
  std::vector<std::size_t> replacement = themselves(design);
  for (const ConverterGroup& group : shareConverters(uses))
    for (const std::size_t use : group) replacement[converters[use]] = converters[group.front()];
  DataflowDesign shared = design;
  replaceConverters(shared, replacement);
  return shared;
}

}  // namespace sluice
