#include "engine/tensor/dataflow/vectorise.h"

#include <algorithm>
#include <numeric>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"

namespace sluice::inline tensor {

Result<Done> checkVectorise(const DesignIndex& index, std::size_t stream,
                            std::span<const std::int64_t> vector) {
  const DataflowDesign& design = index.design();
  const DataflowStream& own = design.streams[stream];
  const auto illegal = [&](std::string cause, std::string fix) {
    return error("illegal-rewrite", nameOf(design, own), std::move(cause), std::move(fix));
  };
  if (own.folded)
    return illegal("it is folded: tiles are handed over whole", "unfold it, or choose another stream");
  if (sourceOf(design, own).tensor != targetOf(design, own).tensor)
    return illegal("its ends name the dimensions of its tiles differently",
                   "vectorise the streams of a tensor before its reshape is dropped");
  if (std::equal(vector.begin(), vector.end(), own.vector.begin(), own.vector.end()))
    return illegal("it sends these vectors already", "choose other vectors, or another stream");
  for (const TaskPort* port : {&sourceOf(design, own), &targetOf(design, own)}) {
    if (vectorDivides(vector, port->type)) continue;
    return illegal("vectors of " + shapeText(vector) + " do not divide tiles of " + elementText(port->type),
                   "give one extent per dimension, each a divisor of both ends' tiles");
  }
  const std::vector<std::int64_t>& tile = sourceOf(design, own).type.tile;
  if (std::vector<std::int64_t>(vector.begin(), vector.end()) == tile &&
      tile == targetOf(design, own).type.tile)
    return illegal("a vector of " + shapeText(vector) + " is the whole tile", "use a smaller one");
  return Done{};
}

Result<DataflowDesign> vectorise(const DataflowDesign& design, std::size_t stream,
                                 std::span<const std::int64_t> vector) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkVectorise(index, stream, vector));
  DesignEdit edit(index);
  setVector(edit, stream, vector);
  return std::move(edit.design);
}

std::vector<std::int64_t> suggestedVector(const DesignIndex& index, std::size_t stream, std::int64_t bits) {
  const DataflowDesign& design = index.design();
  const TaskPort &from = sourceOf(design, design.streams[stream]),
                 &to = targetOf(design, design.streams[stream]);
  if (from.tensor != to.tensor) return {};
  std::vector<std::int64_t> common;
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < from.type.rank(); ++k) {
    common.push_back(std::gcd(from.type.extent(k), to.type.extent(k)));
    elements *= common.back();
  }
  const std::int64_t most = std::min(bits / from.type.scalar.bits, elements > 1 ? elements / 2 : 1);
  return widestVector(common, most);
}

Result<Done> checkUnvectorise(const DesignIndex& index, std::size_t stream) {
  const DataflowDesign& design = index.design();
  if (!design.streams[stream].vector.empty()) return Done{};
  return error("illegal-rewrite", nameOf(design, design.streams[stream]), "it sends whole tiles already",
               "choose a stream with vectors");
}

Result<DataflowDesign> unvectorise(const DataflowDesign& design, std::size_t stream) {
  const DesignIndex index(design);
  SLUICE_CHECK(checkUnvectorise(index, stream));
  DesignEdit edit(index);
  setVector(edit, stream, {});
  return std::move(edit.design);
}

void setVector(DesignEdit& edit, std::size_t stream, std::span<const std::int64_t> vector) {
  edit.design.streams[stream].vector.assign(vector.begin(), vector.end());
  edit.design.streams[stream].depth.reset();  // it counted tokens of another size
}

ITensor streamType(const DataflowDesign& design, const DataflowStream& stream) {
  return vectorisedType(targetOf(design, stream).type, stream.vector);
}

}  // namespace sluice::inline tensor
