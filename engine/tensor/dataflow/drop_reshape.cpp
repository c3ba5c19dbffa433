#include "engine/tensor/dataflow/drop_reshape.h"

#include "engine/itensor/canonical.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/programs/program_kernels.h"

namespace sluice::inline tensor {

Result<Done> checkDropReshape(const DesignIndex& index, std::size_t task) {
  const DataflowDesign& design = index.design();
  const Task& own = design.tasks[task];
  const auto illegal = [&](std::string cause, std::string fix) {
    return error("illegal-rewrite", Location(Where::Task, own.name), std::move(cause), std::move(fix));
  };
  if (own.kind != TaskKind::Compute || !isPlainReshape(design.program.operators[own.subject]))
    return illegal("it computes something", "choose a plain reshape");
  const std::optional<std::size_t> stream = index.streamInto({task, 0});
  if (!stream || own.outputs[0].external)
    return illegal("it reads or writes external memory itself", "materialise its transfers first");
  const TaskPort& source = sourceOf(design, design.streams[*stream]);
  if (!index.accessesOfStorage(index.storageOf(own.inputs[0].tensor)).empty() &&
      !index.accessesOfStorage(own.outputs[0].tensor).empty())
    return illegal("what it reads and what it makes both lie in external memory",
                   "keep it where the two must not share their memory");
  const auto& tensors = design.program.tensors;
  const auto renamed = reassociatedType(own.inputs[0].type, tensors[own.inputs[0].tensor].shape,
                                        tensors[own.outputs[0].tensor].shape);
  if (!renamed || !sameStream(*renamed, own.outputs[0].type))
    return illegal("its tiles leave in another order than they come",
                   "choose tiles that divide what it splits");
  if (source.tensor == own.inputs[0].tensor && !sameStream(source.type, own.inputs[0].type))
    return illegal("a converter is needed before it", "materialise the converter first");
  for (const std::size_t reader : index.streamsFrom({task, 0}))
    if (const TaskPort& target = targetOf(design, design.streams[reader]);
        target.tensor == own.outputs[0].tensor && !sameStream(target.type, own.outputs[0].type))
      return illegal("a converter is needed behind it", "materialise the converter first");
  return Done{};
}

Result<DataflowDesign> dropReshape(const DataflowDesign& design, std::size_t task) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkDropReshape(index, task));
  DesignEdit edit(index);
  omitReshape(edit, task);
  return std::move(edit).finished();
}

void omitReshape(DesignEdit& edit, std::size_t task) {
  const Task& own = edit.design.tasks[task];
  const std::size_t tensors[] = {own.inputs[0].tensor, own.outputs[0].tensor};
  if (!edit.claimMemory(tensors) || !edit.claim({&task, 1})) return;
  edit.moveStreams(task, edit.design.streams[*edit.before.streamInto({task, 0})].from);
  edit.remove(task);
}

}  // namespace sluice::inline tensor
