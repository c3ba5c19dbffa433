#include "engine/tensor/dataflow/share_converters.h"

#include <map>
#include <utility>

#include "engine/itensor/canonical.h"
#include "engine/itensor/converter_sharing.h"
#include "engine/tensor/dataflow/dataflow_graph.h"

namespace sluice::inline tensor {
namespace {

/// Other converters that turn the same output into the same stream.
std::vector<std::size_t> twinsOf(const DesignIndex& index, std::size_t converter) {
  const DataflowDesign& design = index.design();
  const Task& own = design.tasks[converter];
  if (own.kind != TaskKind::Converter) return {};
  std::vector<std::size_t> twins;
  for (const std::size_t stream : index.streamsFrom(design.streams[*index.streamInto({converter, 0})].from)) {
    const std::size_t other = design.streams[stream].to.task;
    if (other != converter && design.tasks[other].kind == TaskKind::Converter &&
        sameStream(own.outputs[0].type, design.tasks[other].outputs[0].type))
      twins.push_back(other);
  }
  return twins;
}

/// Feeds the readers of some converters from another one, and removes them.
void replaceConverters(DataflowDesign& design, const std::vector<std::size_t>& replacement) {
  std::vector<bool> removed(design.tasks.size(), false);
  for (std::size_t task = 0; task < replacement.size(); ++task) removed[task] = replacement[task] != task;
  std::vector<std::size_t> moved;
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
    PortRef& from = design.streams[stream].from;
    if (!removed[from.task]) continue;
    from.task = replacement[from.task];
    moved.push_back(stream);
  }
  resetStreams(design, moved);
  removeTasks(design, removed);
}

std::vector<std::size_t> themselves(const DataflowDesign& design) {
  std::vector<std::size_t> numbers(design.tasks.size());
  for (std::size_t task = 0; task < numbers.size(); ++task) numbers[task] = task;
  return numbers;
}

}  // namespace

Result<Done> checkShareConverter(const DesignIndex& index, std::size_t converter) {
  if (!twinsOf(index, converter).empty()) return Done{};
  return error("illegal-rewrite", Location(Where::Task, index.design().tasks[converter].name),
               "no other converter turns the same output into the same stream",
               "share converters that have the same source and the same result type");
}

Result<DataflowDesign> shareConverter(const DataflowDesign& design, std::size_t converter) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkShareConverter(index, converter));
  DesignEdit edit(index);
  replaceTwins(edit, converter);
  return std::move(edit).finished();
}

void replaceTwins(DesignEdit& edit, std::size_t converter) {
  const std::vector<std::size_t> twins = twinsOf(edit.before, converter);
  std::vector<std::size_t> all = twins;
  all.push_back(converter);
  if (!edit.claim(all)) return;
  for (const std::size_t twin : twins) {
    edit.moveStreams(twin, {converter, 0});
    edit.remove(twin);
  }
}

DataflowDesign withConvertersShared(const DataflowDesign& design) {
  std::vector<std::size_t> converters;
  std::vector<ConverterUse> uses;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> sources;
  for (const DataflowStream& stream : design.streams) {
    const Task& task = design.tasks[stream.to.task];
    if (task.kind != TaskKind::Converter) continue;
    const std::size_t source =
        sources.try_emplace({stream.from.task, stream.from.port}, sources.size()).first->second;
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

}  // namespace sluice::inline tensor
