#include "engine/tensor/dataflow/materialise.h"

#include "engine/itensor/canonical.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/share_converters.h"

namespace sluice::inline tensor {
namespace {

Result<Done> insertConverter(DataflowDesign& design, std::size_t number, ConverterOrder order,
                             TaskNames& names) {
  const DataflowStream stream = design.streams[number];
  const TaskPort source = sourceOf(design, stream), result = targetOf(design, stream);
  const TensorValue& tensor = design.program.tensors[result.tensor];
  SLUICE_TRY(const Converter converter, inferConverter(source.type, result.type, tensor.shape, order));
  Task task;
  task.name = names.take("convert " + tensor.name);
  task.kind = TaskKind::Converter;
  task.inputs = {source};
  task.inputs[0].external = false;
  task.outputs = {result};
  task.buffer = converter.buffer;
  task.before_loop = converter.before_loop;
  task.group = design.tasks[stream.to.task].group;
  const std::size_t added = design.tasks.size();
  design.tasks.push_back(std::move(task));
  design.streams[number] = {stream.from, {added, 0}, stream.vector, false, {}};
  design.streams.push_back({{added, 0}, stream.to, stream.vector, false, {}});
  return Done{};
}

void insertTransfer(DataflowDesign& design, PortRef port, bool output, TaskNames& names) {
  TaskPort& side = (output ? design.tasks[port.task].outputs : design.tasks[port.task].inputs)[port.port];
  side.external = false;
  const TaskPort own = side;
  Task task;
  task.name = names.take((output ? "store " : "load ") + design.program.tensors[own.tensor].name);
  task.kind = output ? TaskKind::Store : TaskKind::Load;
  (output ? task.inputs : task.outputs) = {own};
  task.buffer = own.type.tile;
  task.group = design.tasks[port.task].group;
  const PortRef transfer{design.tasks.size(), 0};
  design.tasks.push_back(std::move(task));
  design.streams.push_back({output ? port : transfer, output ? transfer : port, {}, false, {}});
}

}  // namespace

bool needsConverter(const DataflowDesign& design, const DataflowStream& stream) {
  const TaskPort &from = sourceOf(design, stream), &to = targetOf(design, stream);
  return from.tensor == to.tensor && !sameStream(from.type, to.type);
}

Result<Done> checkMaterialiseConverter(const DesignIndex& index, std::size_t stream) {
  const DataflowDesign& design = index.design();
  if (needsConverter(design, design.streams[stream])) return Done{};
  return error("illegal-rewrite", nameOf(design, design.streams[stream]),
               "both ends are the same stream already", "join them by a FIFO alone");
}

Result<DataflowDesign> materialiseConverter(const DataflowDesign& design, std::size_t stream) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkMaterialiseConverter(index, stream));
  DesignEdit edit(index);
  SLUICE_CHECK(addConverter(edit, stream));
  return std::move(edit.design);
}

Result<Done> addConverter(DesignEdit& edit, std::size_t stream) {
  return insertConverter(edit.design, stream, ConverterOrder::OrderFree, edit.names);
}

Result<Done> checkMaterialiseTransfer(const DesignIndex& index, PortRef port, bool output) {
  const DataflowDesign& design = index.design();
  if (!output && looksUp(design.tasks[port.task], port.port, design.program))
    return error("illegal-rewrite", Location(Where::Port, nameOf(design, port, output)),
                 "data says which rows of the table it reads", "leave the lookup to read them itself");
  if ((output ? outputPort(design, port) : inputPort(design, port)).external) return Done{};
  return error("illegal-rewrite", Location(Where::Port, nameOf(design, port, output)),
               "it does not reach external memory by itself",
               "materialise ports that are external: weights, inputs, results, tensors between groups");
}

Result<DataflowDesign> materialiseTransfer(const DataflowDesign& design, PortRef port, bool output) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkMaterialiseTransfer(index, port, output));
  DesignEdit edit(index);
  addTransfer(edit, port, output);
  return std::move(edit.design);
}

void addTransfer(DesignEdit& edit, PortRef port, bool output) {
  insertTransfer(edit.design, port, output, edit.names);
}

Result<DataflowDesign> materialised(const DataflowDesign& design, ConverterOrder order) {
  DataflowDesign changed = design;
  TaskNames names(design);
  for (std::size_t stream = 0; stream < design.streams.size(); ++stream)
    if (needsConverter(changed, changed.streams[stream]))
      SLUICE_CHECK(insertConverter(changed, stream, order, names));
  changed = withConvertersShared(changed);
  names = TaskNames(changed);
  for (std::size_t task = 0; task < changed.tasks.size(); ++task) {
    for (std::size_t port = 0; port < changed.tasks[task].inputs.size(); ++port)
      if (changed.tasks[task].inputs[port].external && !looksUp(changed.tasks[task], port, changed.program))
        insertTransfer(changed, {task, port}, false, names);
    for (std::size_t port = 0; port < changed.tasks[task].outputs.size(); ++port)
      if (changed.tasks[task].outputs[port].external) insertTransfer(changed, {task, port}, true, names);
  }
  return changed;
}

}  // namespace sluice::inline tensor
