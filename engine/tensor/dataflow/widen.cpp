#include "engine/tensor/dataflow/widen.h"

#include <algorithm>
#include <numeric>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/dataflow/external_layout.h"
#include "engine/tensor/dataflow/pack.h"

namespace sluice::inline tensor {
Result<Done> checkWiden(const DesignIndex& index, std::size_t tensor, std::span<const std::int64_t> vector) {
  const DataflowDesign& design = index.design();
  if (auto legal = checkLayoutChange(index, tensor); !legal) return legal;
  if (!design.layouts[tensor].vector.empty())
    return illegalLayout(design, tensor, "it is widened already", "unwiden it first");
  if (std::all_of(vector.begin(), vector.end(), [](std::int64_t extent) { return extent == 1; }))
    return illegalLayout(design, tensor, "a word of one element is not wider",
                         "use words of several elements");
  for (const std::size_t number : index.accessesOfTensor(tensor))
    if (const ExternalAccess& access = index.accesses()[number]; !vectorDivides(vector, access.port.type))
      return illegalLayout(design, tensor,
                           "words of " + shapeText(vector) + " do not divide the tiles of " +
                               elementText(access.port.type) + " that '" + access.task + "' transfers",
                           "use words that divide every transferred tile in every dimension");
  return verify(ExternalLayout{design.layouts[tensor].tile, {vector.begin(), vector.end()}},
                design.program.tensors[tensor]);
}

Result<DataflowDesign> widen(const DataflowDesign& design, std::size_t tensor,
                             std::span<const std::int64_t> vector) {
  SLUICE_CHECK(checkWiden(design, tensor, vector));
  DataflowDesign changed = design;
  changed.layouts[tensor].vector.assign(vector.begin(), vector.end());
  return changed;
}

std::vector<std::int64_t> suggestedWord(const DesignIndex& index, std::size_t tensor) {
  const DataflowDesign& design = index.design();
  const TensorValue& value = design.program.tensors[tensor];
  std::vector<std::int64_t> common =
      design.layouts[tensor].tile.empty() ? value.shape : design.layouts[tensor].tile;
  for (const std::size_t access : index.accessesOfTensor(tensor))
    for (std::size_t k = 0; k < common.size(); ++k)
      common[k] = std::gcd(common[k], index.accesses()[access].port.type.extent(k));
  return widestVector(common, bus_bits / value.scalar.bits);
}

Result<Done> checkUnwiden(const DesignIndex& index, std::size_t tensor) {
  const DataflowDesign& design = index.design();
  if (!design.layouts[tensor].vector.empty()) return Done{};
  return illegalLayout(design, tensor, "it is not widened", "choose a widened tensor");
}

Result<DataflowDesign> unwiden(const DataflowDesign& design, std::size_t tensor) {
  SLUICE_CHECK(checkUnwiden(design, tensor));
  DataflowDesign changed = design;
  changed.layouts[tensor].vector.clear();
  return changed;
}

}  // namespace sluice::inline tensor
