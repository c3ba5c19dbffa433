#include "engine/tensor/dataflow/fan_out.h"

#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"

namespace sluice::inline tensor {
Result<Done> checkInsertFork(const DesignIndex& index, PortRef output) {
  const std::size_t readers = index.streamsFrom(output).size();
  if (readers >= 2) return Done{};
  return error("illegal-rewrite", "port '" + nameOf(index.design(), output, true) + "'",
               std::to_string(readers) + " stream" + (readers == 1 ? " leaves it" : "s leave it"),
               "fork outputs that several tasks read");
}

Result<DataflowDesign> insertFork(const DataflowDesign& design, PortRef output) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkInsertFork(index, output));
  DesignEdit edit(index);
  addFork(edit, output);
  return std::move(edit.design);
}

void addFork(DesignEdit& edit, PortRef output) {
  DataflowDesign& changed = edit.design;
  TaskPort port = outputPort(changed, output);
  port.external = false;
  Task task;
  task.name = edit.names.take("fork " + changed.program.tensors[port.tensor].name);
  task.kind = TaskKind::Fork;
  task.inputs = {port};
  task.group = changed.tasks[output.task].group;
  const std::size_t fork = changed.tasks.size();
  for (const std::size_t stream : edit.before.streamsFrom(output)) {
    changed.streams[stream].from = {fork, task.outputs.size()};
    task.outputs.push_back(port);
  }
  changed.tasks.push_back(std::move(task));
  changed.streams.push_back({output, {fork, 0}, {}, false, {}});
}

Result<Done> checkRemoveFork(const DesignIndex& index, std::size_t fork) {
  const DataflowDesign& design = index.design();
  const auto illegal = [&](std::string cause, std::string fix) {
    return error("illegal-rewrite", Location(Where::Task, design.tasks[fork].name), std::move(cause),
                 std::move(fix));
  };
  if (design.tasks[fork].kind != TaskKind::Fork) return illegal("it is no fork", "choose a fork task");
  const TaskPort& source = sourceOf(design, design.streams[*index.streamInto({fork, 0})]);
  for (const std::size_t stream : index.streamsFrom(fork)) {
    const TaskPort& target = targetOf(design, design.streams[stream]);
    if (source.tensor != target.tensor && !isReassociated(design.program, index.writers(), source, target))
      return illegal("it forks a reshaped tensor that a reader takes in another order",
                     "materialise the converters behind it first");
  }
  return Done{};
}

Result<DataflowDesign> removeFork(const DataflowDesign& design, std::size_t fork) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkRemoveFork(index, fork));
  DesignEdit edit(index);
  dissolveFork(edit, fork);
  return std::move(edit).finished();
}

void dissolveFork(DesignEdit& edit, std::size_t fork) {
  if (!edit.claim({&fork, 1})) return;
  edit.moveStreams(fork, edit.design.streams[*edit.before.streamInto({fork, 0})].from);
  edit.remove(fork);
}

}  // namespace sluice::inline tensor
