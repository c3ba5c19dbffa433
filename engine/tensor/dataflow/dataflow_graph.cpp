#include "engine/tensor/dataflow/dataflow_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "engine/tensor/dataflow/dataflow_types.h"

namespace sluice::inline tensor {

const TaskPort& outputPort(const DataflowDesign& design, PortRef port) {
  return design.tasks[port.task].outputs[port.port];
}

const TaskPort& inputPort(const DataflowDesign& design, PortRef port) {
  return design.tasks[port.task].inputs[port.port];
}

bool looksUp(const Task& task, std::size_t input, const TensorProgram& program) {
  return task.kind == TaskKind::Compute && isLookedUp(program.operators[task.subject], input);
}

const TaskPort& sourceOf(const DataflowDesign& design, const DataflowStream& stream) {
  return outputPort(design, stream.from);
}

const TaskPort& targetOf(const DataflowDesign& design, const DataflowStream& stream) {
  return inputPort(design, stream.to);
}

std::string endsOf(const DataflowDesign& design, const DataflowStream& stream) {
  return nameOf(design, stream.from, true) + " -> " + nameOf(design, stream.to, false);
}

std::string nameOf(const DataflowDesign& design, const DataflowStream& stream) {
  return "stream '" + endsOf(design, stream) + "'";
}

std::vector<std::size_t> streamsFrom(const DataflowDesign& design, PortRef output) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < design.streams.size(); ++i)
    if (design.streams[i].from == output) found.push_back(i);
  return found;
}

std::optional<std::size_t> streamInto(const DataflowDesign& design, PortRef input) {
  for (std::size_t i = 0; i < design.streams.size(); ++i)
    if (design.streams[i].to == input) return i;
  return {};
}

std::vector<std::size_t> taskOrder(const DataflowDesign& design) {
  std::vector<std::vector<std::size_t>> readers(design.tasks.size());
  std::vector<std::size_t> waiting(design.tasks.size(), 0), order;
  for (const DataflowStream& stream : design.streams) {
    readers[stream.from.task].push_back(stream.to.task);
    ++waiting[stream.to.task];
  }
  for (std::size_t task = 0; task < waiting.size(); ++task)
    if (waiting[task] == 0) order.push_back(task);
  for (std::size_t next = 0; next < order.size(); ++next)
    for (const std::size_t reader : readers[order[next]])
      if (--waiting[reader] == 0) order.push_back(reader);
  return order;
}

TaskNames::TaskNames(const DataflowDesign& design) {
  for (const Task& task : design.tasks) taken_.insert(task.name);
}

std::string TaskNames::take(const std::string& name) {
  if (taken_.insert(name).second) return name;
  std::size_t& last = last_.try_emplace(name, 1).first->second;
  std::string free;
  do free = name + " " + std::to_string(++last);
  while (!taken_.insert(free).second);
  return free;
}

std::string freeTaskName(const DataflowDesign& design, const std::string& name) {
  return TaskNames(design).take(name);
}

std::int64_t vectorsPerTile(const DataflowDesign& design, const DataflowStream& stream) {
  const ITensor& type = sourceOf(design, stream).type;
  std::int64_t vectors = 1;
  for (std::size_t k = 0; k < stream.vector.size(); ++k) vectors *= type.extent(k) / stream.vector[k];
  return vectors;
}

bool isCut(const DataflowDesign& design, const DataflowStream& stream) {
  const TaskKind kind = design.tasks[stream.from.task].kind;
  return !stream.vector.empty() && kind != TaskKind::Converter && kind != TaskKind::Load;
}

void resetEnds(DataflowDesign& design, std::span<const std::size_t> streams) {
  for (const std::size_t stream : streams) {
    DataflowStream& changed = design.streams[stream];
    const TaskPort &from = sourceOf(design, changed), &to = targetOf(design, changed);
    changed.depth.reset();
    if (from.tensor != to.tensor || !vectorDivides(changed.vector, from.type) ||
        !vectorDivides(changed.vector, to.type))
      changed.vector.clear();
    changed.folded = false;
  }
}

void resetStreams(DataflowDesign& design, std::span<const std::size_t> streams) {
  resetEnds(design, streams);
  std::set<std::pair<std::size_t, std::size_t>> sources;
  for (const std::size_t stream : streams)
    sources.emplace(design.streams[stream].from.task, design.streams[stream].from.port);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> first;  // stream of each of the sources
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
    const std::pair source(design.streams[stream].from.task, design.streams[stream].from.port);
    if (!sources.contains(source)) continue;
    const auto [sibling, alone] = first.try_emplace(source, stream);
    if (!alone) design.streams[sibling->second].folded = design.streams[stream].folded = false;
  }
}

void moveStreams(DataflowDesign& design, std::size_t task, PortRef output) {
  std::vector<std::size_t> moved;
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream) {
    if (design.streams[stream].from.task != task) continue;
    design.streams[stream].from = output;
    moved.push_back(stream);
  }
  resetStreams(design, moved);
}

void removeTasks(DataflowDesign& design, const std::vector<bool>& removed) {
  std::vector<std::size_t> number(design.tasks.size(), 0);
  std::vector<Task> kept;
  for (std::size_t task = 0; task < removed.size(); ++task) {
    number[task] = kept.size();
    if (!removed[task]) kept.push_back(std::move(design.tasks[task]));
  }
  design.tasks = std::move(kept);
  std::erase_if(design.streams, [&](const DataflowStream& stream) {
    return removed[stream.from.task] || removed[stream.to.task];
  });
  for (DataflowStream& stream : design.streams) {
    stream.from.task = number[stream.from.task];
    stream.to.task = number[stream.to.task];
  }
}

void removeStream(DataflowDesign& design, std::size_t stream) {
  design.streams.erase(design.streams.begin() + static_cast<std::ptrdiff_t>(stream));
}

std::vector<std::size_t> storages(const DataflowDesign& design) {
  const TensorProgram& program = design.program;
  std::vector<bool> computed(program.operators.size(), false);
  for (const Task& task : design.tasks)
    if (task.kind == TaskKind::Compute) computed[task.subject] = true;
  std::vector<std::size_t> storage(program.tensors.size());
  for (std::size_t tensor = 0; tensor < storage.size(); ++tensor) storage[tensor] = tensor;
  for (std::size_t op = 0; op < program.operators.size(); ++op)
    if (!computed[op] && !program.operators[op].inputs.empty())
      storage[program.operators[op].output] = storage[program.operators[op].inputs[0]];
  return storage;
}

}  // namespace sluice::inline tensor
