#include "engine/tensor/regroup.h"

#include <algorithm>

#include "engine/tensor/dataflow_graph.h"
#include "engine/tensor/dataflow_types.h"
#include "engine/tensor/design_summary.h"
#include "engine/tensor/pack.h"

namespace sluice {
namespace {

Diagnostic illegal(std::string place, std::string cause, std::string mend) {
  return {Severity::Error, std::move(place), std::move(cause), std::move(mend)};
}

std::size_t groupCount(const DataflowDesign& design) {
  std::size_t count = 0;
  for (const Task& task : design.tasks) count = std::max(count, task.group + 1);
  return count;
}

bool isResult(const DataflowDesign& design, std::size_t tensor) {
  const std::vector<std::size_t> storage = storages(design);
  return std::any_of(design.program.results.begin(), design.program.results.end(),
                     [&](std::size_t result) { return storage[result] == storage[tensor]; });
}

// ---- fuse -------------------------------------------------------------------------------------------------

/// The transfers of one group into the next.
struct Crossing {
  ExternalAccess writer, reader;
};

std::vector<Crossing> crossings(const DataflowDesign& design, std::size_t group) {
  std::vector<Crossing> found;
  const std::vector<std::size_t> storage = storages(design);
  const std::vector<ExternalAccess> accesses = externalAccesses(design);
  for (const ExternalAccess& writer : accesses)
    for (const ExternalAccess& reader : accesses)
      if (writer.written && !reader.written && writer.group == group && reader.group == group + 1 &&
          storage[writer.port.tensor] == storage[reader.port.tensor])
        found.push_back({writer, reader});
  return found;
}

/// The output of a task that a transfer to memory takes: the compute task's own, or what feeds the store.
PortRef producerOf(const DataflowDesign& design, const ExternalAccess& writer) {
  if (design.tasks[writer.at.task].kind != TaskKind::Store) return writer.at;
  return design.streams[*streamInto(design, writer.at)].from;
}

/// What a transfer from memory feeds: the compute task's own input, or the readers of the load.
std::vector<TaskPort> targetsOf(const DataflowDesign& design, const ExternalAccess& reader) {
  if (design.tasks[reader.at.task].kind != TaskKind::Load) return {reader.port};
  std::vector<TaskPort> targets;
  for (const std::size_t stream : streamsFrom(design, reader.at))
    targets.push_back(targetOf(design, design.streams[stream]));
  return targets;
}

/// Joins the reader of a tensor to its producer; load tasks that are no longer used are marked.
void stream(DataflowDesign& design, const Crossing& crossing, std::vector<bool>& removed) {
  const PortRef source = producerOf(design, crossing.writer), reader = crossing.reader.at;
  if (design.tasks[reader.task].kind != TaskKind::Load) {
    design.tasks[reader.task].inputs[reader.port].external = false;
    design.streams.push_back({source, reader, {}, false, {}});
    resetStream(design, design.streams.size() - 1);
    return;
  }
  for (std::size_t i = 0; i < design.streams.size(); ++i) {
    if (design.streams[i].from.task != reader.task) continue;
    design.streams[i].from = source;
    resetStream(design, i);
  }
  removed[reader.task] = true;
}

/// Takes back what stores a tensor that nobody reads from memory any more.
void keepOnChip(DataflowDesign& design, std::size_t tensor, std::vector<bool>& removed) {
  const std::vector<std::size_t> storage = storages(design);
  const std::vector<ExternalAccess> accesses = externalAccesses(design);
  const auto reads = [&](const ExternalAccess& access) {
    return !access.written && storage[access.port.tensor] == storage[tensor] && !removed[access.at.task];
  };
  if (isResult(design, tensor) || std::any_of(accesses.begin(), accesses.end(), reads)) return;
  for (const ExternalAccess& access : accesses) {
    if (!access.written || storage[access.port.tensor] != storage[tensor]) continue;
    if (design.tasks[access.at.task].kind == TaskKind::Store)
      removed[access.at.task] = true;
    else
      design.tasks[access.at.task].outputs[access.at.port].external = false;
  }
}

// ---- split ------------------------------------------------------------------------------------------------

/// Marks the task, everything that depends on it, and transport that serves nothing else.
std::vector<bool> movedWith(const DataflowDesign& design, std::size_t task) {
  std::vector<bool> moved(design.tasks.size(), false), transport(design.tasks.size(), false);
  moved[task] = true;
  const std::vector<std::size_t> order = taskOrder(design);
  for (const std::size_t at : order) {
    transport[at] = design.tasks[at].kind != TaskKind::Compute;
    for (const DataflowStream& stream : design.streams) {
      if (stream.to.task != at) continue;
      moved[at] = moved[at] || moved[stream.from.task];
      transport[at] = transport[at] && transport[stream.from.task];
    }
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    const auto leads = [&](bool to_moved) {
      return std::any_of(design.streams.begin(), design.streams.end(), [&](const DataflowStream& stream) {
        return stream.from.task == order[i] && moved[stream.to.task] == to_moved;
      });
    };
    if (transport[order[i]] && leads(true) && !leads(false)) moved[order[i]] = true;
  }
  return moved;
}

/// Back through converters and forks to what makes the tokens, or loads them.
PortRef originOf(const DataflowDesign& design, PortRef output) {
  const TaskKind kind = design.tasks[output.task].kind;
  if (kind != TaskKind::Converter && kind != TaskKind::Fork) return output;
  return originOf(design, design.streams[*streamInto(design, {output.task, 0})].from);
}

bool isStored(const DataflowDesign& design, std::size_t tensor) {
  const std::vector<std::size_t> storage = storages(design);
  for (const ExternalAccess& access : externalAccesses(design))
    if (access.written && storage[access.port.tensor] == storage[tensor]) return true;
  return false;
}

/// Converters that nothing reads any more, back to an output that something reads.
void removeUnread(DataflowDesign& design) {
  for (std::size_t task = 0; task < design.tasks.size(); ++task) {
    if (design.tasks[task].kind != TaskKind::Converter || !streamsFrom(design, {task, 0}).empty()) continue;
    removeTask(design, task);
    return removeUnread(design);
  }
}

bool crosses(const DataflowStream& stream, const std::vector<bool>& moved) {
  return !moved[stream.from.task] && moved[stream.to.task];
}

}  // namespace

Result<Done> checkFuseGroups(const DataflowDesign& design, std::size_t group,
                             std::optional<std::int64_t> capacity) {
  const std::string place = "group " + std::to_string(group);
  if (group + 1 >= groupCount(design))
    return illegal(place, "no group runs after it", "fuse a group with the one that follows");
  for (const Crossing& crossing : crossings(design, group)) {
    const PortRef source = producerOf(design, crossing.writer);
    for (const std::size_t stream : streamsFrom(design, crossing.reader.at))
      if (design.tasks[design.streams[stream].to.task].kind == TaskKind::Join)
        return illegal(place, "'" + crossing.reader.task + "' is one of several interleaved loads",
                       "merge the loads first");
    for (const TaskPort& target : targetsOf(design, crossing.reader))
      if (target.tensor != outputPort(design, source).tensor &&
          !isReassociated(design.program, outputPort(design, source), target))
        return illegal(place,
                       "'" + crossing.reader.task + "' takes a reshaped tensor in another order than '" +
                           design.tasks[source.task].name + "' makes it",
                       "keep the groups apart, or fuse them before reshapes are dropped");
  }
  if (!capacity) return Done{};
  const Result<DataflowDesign> fused = fuseGroups(design, group);
  if (!fused) return fused.diagnostics();
  const std::int64_t bytes = onChipBytes(*fused, group);
  if (bytes <= *capacity) return Done{};
  return illegal(place,
                 "fused with the next one it needs " + std::to_string(bytes) + " bytes on chip, of " +
                     std::to_string(*capacity),
                 "choose smaller tiles, or a device with more memory");
}

Result<DataflowDesign> fuseGroups(const DataflowDesign& design, std::size_t group,
                                  std::optional<std::int64_t> capacity) {
  if (const auto legal = checkFuseGroups(design, group, capacity); !legal) return legal.diagnostics();
  DataflowDesign changed = design;
  std::vector<bool> removed(design.tasks.size(), false);
  const std::vector<Crossing> crossed = crossings(design, group);
  for (const Crossing& crossing : crossed) stream(changed, crossing, removed);
  for (const Crossing& crossing : crossed) keepOnChip(changed, crossing.writer.port.tensor, removed);
  for (Task& task : changed.tasks)
    if (task.group > group) --task.group;
  removeTasks(changed, removed);
  settleLayouts(changed);
  return changed;
}

Result<Done> checkSplitGroup(const DataflowDesign& design, std::size_t task) {
  const Task& own = design.tasks[task];
  const std::string place = "task '" + own.name + "'";
  if (own.kind != TaskKind::Compute)
    return illegal(place, "it only moves data", "split before a compute task");
  const std::vector<bool> moved = movedWith(design, task);
  bool stays = false;
  for (std::size_t other = 0; other < moved.size(); ++other)
    stays = stays || (!moved[other] && design.tasks[other].group == own.group &&
                      design.tasks[other].kind == TaskKind::Compute);
  if (!stays)
    return illegal(place, "everything in its group depends on it", "split before a task further down");
  for (const DataflowStream& stream : design.streams) {
    if (!crosses(stream, moved)) continue;
    for (PortRef at = stream.from;; at = design.streams[*streamInto(design, {at.task, 0})].from) {
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
  if (const auto legal = checkSplitGroup(design, task); !legal) return legal.diagnostics();
  DataflowDesign changed = design;
  const std::vector<bool> moved = movedWith(design, task);
  const std::size_t group = design.tasks[task].group;
  for (const DataflowStream& stream : design.streams) {
    if (!crosses(stream, moved)) continue;
    const PortRef origin = originOf(design, stream.from);
    changed.tasks[stream.to.task].inputs[stream.to.port].external = true;
    if (isStored(changed, outputPort(design, origin).tensor) ||
        design.tasks[origin.task].kind != TaskKind::Compute)
      continue;
    changed.tasks[origin.task].outputs[origin.port].external = true;
    for (const std::size_t other : streamsFrom(changed, origin)) changed.streams[other].folded = false;
  }
  std::erase_if(changed.streams, [&](const DataflowStream& stream) { return crosses(stream, moved); });
  for (std::size_t other = 0; other < moved.size(); ++other)
    if (moved[other] || design.tasks[other].group > group) ++changed.tasks[other].group;
  removeUnread(changed);
  settleLayouts(changed);
  return changed;
}

}  // namespace sluice
