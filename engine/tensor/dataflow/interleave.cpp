#include "engine/tensor/dataflow/interleave.h"

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"

namespace sluice::inline tensor {
namespace {

Diagnostic illegal(const DataflowDesign& design, std::size_t task, std::string cause, std::string fix) {
  return error("illegal-rewrite", Location(Where::Task, design.tasks[task].name), std::move(cause),
               std::move(fix));
}

}  // namespace

Result<Done> checkInterleave(const DesignIndex& index, std::size_t load, std::int64_t ways) {
  const DataflowDesign& design = index.design();
  if (design.tasks[load].kind != TaskKind::Load)
    return illegal(design, load, "it is no load", "interleave load tasks");
  if (ways < 2 || ways > 64)
    return illegal(design, load, "it cannot be interleaved " + std::to_string(ways) + " ways", "use 2 to 64");
  const ITensor& type = design.tasks[load].outputs[0].type;
  if (!interleavedSlice(type, static_cast<std::size_t>(ways), 0))
    return illegal(design, load,
                   std::to_string(ways) + " does not divide the innermost loop of " + text(type),
                   "use a divisor of the innermost loop that runs more than once");
  return Done{};
}

Result<DataflowDesign> interleave(const DataflowDesign& design, std::size_t load, std::int64_t ways) {
  SLUICE_CHECK(checkInterleave(design, load, ways));
  DataflowDesign changed = design;
  const Task whole = design.tasks[load];
  const auto count = static_cast<std::size_t>(ways);
  Task join;
  TaskNames names(changed);
  join.name = names.take("join " + design.program.tensors[whole.outputs[0].tensor].name);
  join.kind = TaskKind::Join;
  join.outputs = whole.outputs;
  join.group = whole.group;
  const std::size_t joined = changed.tasks.size();
  changed.tasks.push_back(join);
  moveStreams(changed, load, {joined, 0});
  // The load itself fetches the first of every `ways` tiles.
  for (std::size_t part = 0; part < count; ++part) {
    TaskPort slice = whole.outputs[0];
    slice.type = *interleavedSlice(slice.type, count, part);
    changed.tasks[joined].inputs.push_back(slice);
    std::size_t source = load;
    if (part > 0) {
      source = changed.tasks.size();
      Task copy = whole;
      copy.name = names.take(whole.name);
      changed.tasks.push_back(std::move(copy));
    }
    changed.tasks[source].outputs[0] = slice;
    changed.streams.push_back({{source, 0}, {joined, part}, {}, false, {}});
  }
  return changed;
}

Result<Done> checkMergeLoads(const DesignIndex& index, std::size_t join) {
  const DataflowDesign& design = index.design();
  if (design.tasks[join].kind != TaskKind::Join)
    return illegal(design, join, "it is no join", "choose a join of load tasks");
  for (std::size_t part = 0; part < design.tasks[join].inputs.size(); ++part) {
    const PortRef source = design.streams[*index.streamInto({join, part})].from;
    if (design.tasks[source.task].kind != TaskKind::Load || index.streamsFrom(source).size() > 1)
      return illegal(design, join, "its input " + std::to_string(part) + " is not fed by a load of its own",
                     "choose a join of load tasks");
  }
  return Done{};
}

Result<DataflowDesign> mergeLoads(const DataflowDesign& design, std::size_t join) {
  SLUICE_CHECK(checkMergeLoads(design, join));
  DataflowDesign changed = design;
  std::vector<bool> removed(design.tasks.size(), false);
  const std::size_t first = design.streams[*streamInto(design, {join, 0})].from.task;
  for (std::size_t part = 1; part < design.tasks[join].inputs.size(); ++part)
    removed[design.streams[*streamInto(design, {join, part})].from.task] = true;
  removed[join] = true;
  changed.tasks[first].outputs = design.tasks[join].outputs;
  removeStream(changed, *streamInto(changed, {join, 0}));
  moveStreams(changed, join, {first, 0});
  removeTasks(changed, removed);
  return changed;
}

}  // namespace sluice::inline tensor
