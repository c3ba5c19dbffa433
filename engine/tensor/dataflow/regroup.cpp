#include "engine/tensor/dataflow/regroup.h"

#include <algorithm>

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/dataflow/design_summary.h"
#include "engine/tensor/dataflow/pack.h"

namespace sluice::inline tensor {
namespace {

Diagnostic illegal(Location place, std::string cause, std::string fix) {
  return error("illegal-rewrite", std::move(place), std::move(cause), std::move(fix));
}

// ---- fuse -------------------------------------------------------------------------------------------------

/// The transfers of one group into the next.
struct Crossing {
  ExternalAccess writer, reader;
};

std::vector<Crossing> crossings(const DesignIndex& index, std::size_t group) {
  std::vector<Crossing> found;
  for (const std::size_t from : index.accessesOfGroup(group)) {
    const ExternalAccess& writer = index.accesses()[from];
    if (!writer.written) continue;
    for (const std::size_t to : index.accessesOfStorage(index.storageOf(writer.port.tensor)))
      if (const ExternalAccess& reader = index.accesses()[to]; !reader.written && reader.group == group + 1)
        found.push_back({writer, reader});
  }
  return found;
}

/// The output of a task that a transfer to memory takes: the compute task's own, or what feeds the store.
PortRef producerOf(const DesignIndex& index, const ExternalAccess& writer) {
  const DataflowDesign& design = index.design();
  if (design.tasks[writer.at.task].kind != TaskKind::Store) return writer.at;
  return design.streams[*index.streamInto(writer.at)].from;
}

/// What a transfer from memory feeds: the compute task's own input, or the readers of the load.
std::vector<TaskPort> targetsOf(const DesignIndex& index, const ExternalAccess& reader) {
  const DataflowDesign& design = index.design();
  if (design.tasks[reader.at.task].kind != TaskKind::Load) return {reader.port};
  std::vector<TaskPort> targets;
  for (const std::size_t stream : index.streamsFrom(reader.at))
    targets.push_back(targetOf(design, design.streams[stream]));
  return targets;
}

/// Joins the reader of a tensor to what makes it; load tasks that are no longer used are marked.
void stream(DataflowDesign& design, PortRef source, PortRef reader, std::vector<bool>& removed) {
  if (design.tasks[reader.task].kind != TaskKind::Load) {
    design.tasks[reader.task].inputs[reader.port].external = false;
    design.streams.push_back({source, reader, {}, false, {}});
    return resetStreams(design, std::vector{design.streams.size() - 1});
  }
  moveStreams(design, reader.task, source);
  removed[reader.task] = true;
}

/// Takes back what stores a tensor that is no longer read from memory. `index` is of the design before.
void keepOnChip(DataflowDesign& design, const DesignIndex& index, std::size_t storage,
                std::vector<bool>& removed) {
  const auto lies = [&](std::size_t tensor) { return index.storageOf(tensor) == storage; };
  const auto reads = [&](std::size_t number) {
    const ExternalAccess& access = index.accesses()[number];
    if (access.written) return false;
    if (design.tasks[access.at.task].kind == TaskKind::Load) return !removed[access.at.task];
    return inputPort(design, access.at).external;
  };
  const std::span<const std::size_t> accesses = index.accessesOfStorage(storage);
  if (std::ranges::any_of(design.program.results, lies) || std::ranges::any_of(accesses, reads)) return;
  for (const std::size_t number : accesses) {
    const ExternalAccess& access = index.accesses()[number];
    if (!access.written) continue;
    if (design.tasks[access.at.task].kind == TaskKind::Store)
      removed[access.at.task] = true;
    else
      design.tasks[access.at.task].outputs[access.at.port].external = false;
  }
}

// ---- split ------------------------------------------------------------------------------------------------

/// Marks the task, everything that depends on it, and transport that serves nothing else.
std::vector<bool> movedWith(const DesignIndex& index, std::size_t task) {
  const DataflowDesign& design = index.design();
  std::vector<bool> moved(design.tasks.size(), false), transport(design.tasks.size(), false);
  moved[task] = true;
  for (const std::size_t at : index.order()) {
    transport[at] = design.tasks[at].kind != TaskKind::Compute;
    for (const std::size_t stream : index.streamsInto(at)) {
      const std::size_t producer = design.streams[stream].from.task;
      moved[at] = moved[at] || moved[producer];
      transport[at] = transport[at] && transport[producer];
    }
  }
  for (std::size_t i = index.order().size(); i-- > 0;) {
    const std::size_t at = index.order()[i];
    const std::span<const std::size_t> readers = index.streamsFrom(at);
    if (transport[at] && !readers.empty() && std::ranges::all_of(readers, [&](std::size_t stream) {
          return moved[design.streams[stream].to.task];
        }))
      moved[at] = true;
  }
  return moved;
}

/// Whether all compute tasks of its group depend on the task: it is the only one that depends on none.
bool startsGroupAlone(const DesignIndex& index, std::size_t task) {
  const std::vector<std::size_t>& starts = index.group(index.design().tasks[task].group).starts;
  return starts.size() == 1 && starts.front() == task;
}

/// Back through converters and forks to what makes the tokens, or loads them.
PortRef originOf(const DesignIndex& index, PortRef output) {
  const TaskKind kind = index.design().tasks[output.task].kind;
  if (kind != TaskKind::Converter && kind != TaskKind::Fork) return output;
  return originOf(index, index.design().streams[*index.streamInto({output.task, 0})].from);
}

/// Converters that nothing reads any more, back to an output that something reads.
void removeUnread(DataflowDesign& design) {
  const DesignIndex index(design);
  std::vector<bool> removed(design.tasks.size(), false);
  for (std::size_t i = index.order().size(); i-- > 0;) {
    const std::size_t task = index.order()[i];
    removed[task] = design.tasks[task].kind == TaskKind::Converter &&
                    std::ranges::all_of(index.streamsFrom(task), [&](std::size_t stream) {
                      return removed[design.streams[stream].to.task];
                    });
  }
  removeTasks(design, removed);
}

bool crosses(const DataflowStream& stream, const std::vector<bool>& moved) {
  return !moved[stream.from.task] && moved[stream.to.task];
}

}  // namespace

Result<Done> checkFuseGroups(const DesignIndex& index, std::size_t group,
                             std::optional<std::int64_t> capacity) {
  const DataflowDesign& design = index.design();
  const Location place = "group " + std::to_string(group);
  if (group + 1 >= index.groups())
    return illegal(place, "no group runs after it", "fuse a group with the one that follows");
  for (const Crossing& crossing : crossings(index, group)) {
    const PortRef source = producerOf(index, crossing.writer);
    const bool interleaved =
        design.tasks[crossing.reader.at.task].kind == TaskKind::Load &&
        std::ranges::any_of(index.streamsFrom(crossing.reader.at), [&](std::size_t stream) {
          return design.tasks[design.streams[stream].to.task].kind == TaskKind::Join;
        });
    if (interleaved)
      return illegal(place, "'" + crossing.reader.task + "' is one of several interleaved loads",
                     "merge the loads first");
    for (const TaskPort& target : targetsOf(index, crossing.reader))
      if (target.tensor != outputPort(design, source).tensor &&
          !isReassociated(design.program, index.writers(), outputPort(design, source), target))
        return illegal(place,
                       "'" + crossing.reader.task + "' takes a reshaped tensor in another order than '" +
                           design.tasks[source.task].name + "' makes it",
                       "keep the groups apart, or fuse them before reshapes are dropped");
  }
  if (!capacity) return Done{};
  SLUICE_TRY(const DataflowDesign fused, fuseGroups(design, group));
  const std::int64_t bytes = onChipBytes(fused, group);
  if (bytes <= *capacity) return Done{};
  return illegal(place,
                 "fused with the next one it needs " + std::to_string(bytes) + " bytes on chip, of " +
                     std::to_string(*capacity),
                 "choose smaller tiles, or a device with more memory");
}

Result<DataflowDesign> fuseGroups(const DataflowDesign& design, std::size_t group,
                                  std::optional<std::int64_t> capacity) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkFuseGroups(index, group, capacity));
  DataflowDesign changed = design;
  std::vector<bool> removed(design.tasks.size(), false);
  const std::vector<Crossing> crossed = crossings(index, group);
  for (const Crossing& crossing : crossed)
    stream(changed, producerOf(index, crossing.writer), crossing.reader.at, removed);
  for (const Crossing& crossing : crossed)
    keepOnChip(changed, index, index.storageOf(crossing.writer.port.tensor), removed);
  for (Task& task : changed.tasks)
    if (task.group > group) --task.group;
  removeTasks(changed, removed);
  settleLayouts(changed);
  return changed;
}

Result<Done> checkSplitGroup(const DesignIndex& index, std::size_t task) {
  const DataflowDesign& design = index.design();
  const Task& own = design.tasks[task];
  const Location place(Where::Task, own.name);
  if (own.kind != TaskKind::Compute)
    return illegal(place, "it only moves data", "split before a compute task");
  if (startsGroupAlone(index, task))
    return illegal(place, "everything in its group depends on it", "split before a task further down");
  if (!index.group(own.group).forks) return Done{};
  const std::vector<bool> moved = movedWith(index, task);
  for (const DataflowStream& stream : design.streams) {
    if (!crosses(stream, moved)) continue;
    for (PortRef at = stream.from;; at = design.streams[*index.streamInto({at.task, 0})].from) {
      const TaskKind kind = design.tasks[at.task].kind;
      if (kind == TaskKind::Fork)
        return illegal(place, "'" + design.tasks[at.task].name + "' forks a stream across the border",
                       "remove the fork first");
      if (kind != TaskKind::Converter) break;
    }
  }
  return Done{};
}

Result<DataflowDesign> splitGroup(const DataflowDesign& design, std::size_t task) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkSplitGroup(index, task));
  DataflowDesign changed = design;
  const std::vector<bool> moved = movedWith(index, task);
  std::vector<bool> stored(design.program.tensors.size(), false);  // by storage
  for (const ExternalAccess& access : index.accesses())
    if (access.written) stored[index.storageOf(access.port.tensor)] = true;
  const std::size_t group = design.tasks[task].group;
  for (const DataflowStream& stream : design.streams) {
    if (!crosses(stream, moved)) continue;
    const PortRef origin = originOf(index, stream.from);
    changed.tasks[stream.to.task].inputs[stream.to.port].external = true;
    const std::size_t storage = index.storageOf(outputPort(design, origin).tensor);
    if (stored[storage] || design.tasks[origin.task].kind != TaskKind::Compute) continue;
    stored[storage] = true;
    changed.tasks[origin.task].outputs[origin.port].external = true;
    for (const std::size_t other : index.streamsFrom(origin)) changed.streams[other].folded = false;
  }
  std::erase_if(changed.streams, [&](const DataflowStream& stream) { return crosses(stream, moved); });
  for (std::size_t other = 0; other < moved.size(); ++other)
    if (moved[other] || design.tasks[other].group > group) ++changed.tasks[other].group;
  removeUnread(changed);
  settleLayouts(changed);
  return changed;
}

}  // namespace sluice::inline tensor
