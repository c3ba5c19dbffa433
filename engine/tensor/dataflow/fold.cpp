#include "engine/tensor/dataflow/fold.h"

#include "engine/itensor/canonical.h"
#include "engine/tensor/dataflow/dataflow_graph.h"

namespace sluice::inline tensor {

Result<Done> checkFold(const DesignIndex& index, std::size_t stream) {
  const DataflowDesign& design = index.design();
  const DataflowStream& own = design.streams[stream];
  const auto illegal = [&](std::string cause, std::string fix) {
    return error("illegal-rewrite", nameOf(design, own), std::move(cause), std::move(fix));
  };
  const TaskPort &from = sourceOf(design, own), &to = targetOf(design, own);
  if (own.folded) return illegal("it is folded already", "choose another stream");
  if (from.tensor != to.tensor || !sameStream(from.type, to.type))
    return illegal("its ends do not have exactly the same access pattern",
                   "materialise the converter between them and fold the stream into or out of it");
  for (const std::size_t task : {own.from.task, own.to.task})
    if (design.tasks[task].kind == TaskKind::Fork || design.tasks[task].kind == TaskKind::Join)
      return illegal("'" + design.tasks[task].name + "' has no buffer to share",
                     "fold streams between tasks that hold tiles");
  if (!own.vector.empty())
    return illegal("its tiles are sent in vectors", "fold streams of whole tiles: undo the vectors first");
  if (from.external || index.streamsFrom(own.from).size() > 1)
    return illegal("other tasks read the same output", "fold outputs with a single reader");
  return Done{};
}

Result<DataflowDesign> fold(const DataflowDesign& design, std::size_t stream) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkFold(index, stream));
  DesignEdit edit(index);
  setFolded(edit, stream, true);
  return std::move(edit.design);
}

Result<Done> checkUnfold(const DesignIndex& index, std::size_t stream) {
  const DataflowDesign& design = index.design();
  if (design.streams[stream].folded) return Done{};
  return error("illegal-rewrite", nameOf(design, design.streams[stream]), "it is not folded",
               "choose a folded stream");
}

Result<DataflowDesign> unfold(const DataflowDesign& design, std::size_t stream) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkUnfold(index, stream));
  DesignEdit edit(index);
  setFolded(edit, stream, false);
  return std::move(edit.design);
}

void setFolded(DesignEdit& edit, std::size_t stream, bool folded) {
  edit.design.streams[stream].folded = folded;
  edit.design.streams[stream].depth.reset();
}

}  // namespace sluice::inline tensor
