#include "engine/tensor/dataflow/pack.h"

#include <algorithm>
#include <array>
#include <map>

#include "engine/itensor/itensor_text.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/dataflow/external_layout.h"

namespace sluice::inline tensor {
namespace {

using Shape = std::vector<std::int64_t>;

std::optional<std::size_t> firstInput(const TensorProgram& program) {
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor)
    if (program.tensors[tensor].role == TensorRole::Input) return tensor;
  return {};
}

/// Whether the tensor is what one layer hands to the next, in the same layout on both sides.
bool handedOn(const DataflowDesign& design, std::size_t tensor) {
  const auto input = firstInput(design.program);
  if (!input || design.program.results.empty()) return false;
  const std::size_t result = design.program.results.front();
  if (tensor != *input && tensor != result) return false;
  const TensorValue &from = design.program.tensors[result], &to = design.program.tensors[*input];
  return from.shape == to.shape && from.scalar == to.scalar &&
         design.layouts[result] == design.layouts[*input];
}

}  // namespace

Diagnostic illegalLayout(const DataflowDesign& design, std::size_t tensor, std::string cause,
                         std::string fix) {
  return error("illegal-rewrite", Location(Where::Tensor, design.program.tensors[tensor].name),
               std::move(cause), std::move(fix));
}

Result<Done> checkLayoutChange(const DesignIndex& index, std::size_t tensor) {
  const DataflowDesign& design = index.design();
  if (index.accessesOfTensor(tensor).empty())
    return illegalLayout(design, tensor, "no task transfers it",
                         "choose a tensor that lies in external memory");
  const std::size_t storage = index.storageOf(tensor);
  const auto renames = [&](std::size_t other) {
    return other != tensor && index.storageOf(other) == storage;
  };
  if (std::ranges::any_of(
          index.accessesOfStorage(storage),
          [&](std::size_t access) { return renames(index.accesses()[access].port.tensor); }) ||
      std::ranges::any_of(design.program.results, renames))
    return illegalLayout(design, tensor, "its memory is also used under the shape of a reshape of it",
                         "leave it row-major, or let a task compute the reshape");
  return Done{};
}

Result<Done> checkPack(const DesignIndex& index, std::size_t tensor, std::span<const std::int64_t> tile) {
  const DataflowDesign& design = index.design();
  if (auto legal = checkLayoutChange(index, tensor); !legal) return legal;
  const Shape packed(tile.begin(), tile.end());
  if (!design.layouts[tensor].tile.empty())
    return illegalLayout(design, tensor, "it is packed already", "unpack it first");
  if (packed == design.program.tensors[tensor].shape)
    return illegalLayout(design, tensor, "one tile is the whole tensor", "pack in smaller tiles");
  if (std::ranges::none_of(index.accessesOfTensor(tensor), [&](std::size_t access) {
        return index.accesses()[access].port.type.tile == packed;
      }))
    return illegalLayout(design, tensor, "none of its transfers moves tiles of " + shapeText(packed),
                         "pack in the tiles that are transferred");
  return verify(ExternalLayout{packed, design.layouts[tensor].vector}, design.program.tensors[tensor]);
}

Result<DataflowDesign> pack(const DataflowDesign& design, std::size_t tensor,
                            std::span<const std::int64_t> tile) {
  SLUICE_CHECK(checkPack(design, tensor, tile));
  DataflowDesign changed = design;
  changed.layouts[tensor].tile.assign(tile.begin(), tile.end());
  return changed;
}

std::vector<std::int64_t> suggestedPacking(const DesignIndex& index, std::size_t tensor) {
  std::map<Shape, int> moved;
  for (const std::size_t access : index.accessesOfTensor(tensor))
    ++moved[index.accesses()[access].port.type.tile];
  const auto most = std::max_element(moved.begin(), moved.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == moved.end() ? Shape{} : most->first;
}

Result<Done> checkUnpack(const DesignIndex& index, std::size_t tensor) {
  const DataflowDesign& design = index.design();
  if (!design.layouts[tensor].tile.empty()) return Done{};
  return illegalLayout(design, tensor, "it is not packed", "choose a packed tensor");
}

Result<DataflowDesign> unpack(const DataflowDesign& design, std::size_t tensor) {
  SLUICE_CHECK(checkUnpack(design, tensor));
  DataflowDesign changed = design;
  changed.layouts[tensor].tile.clear();
  return changed;
}

void settleLayouts(DataflowDesign& design) {
  const DesignIndex index(design);
  for (std::size_t tensor = 0; tensor < design.layouts.size(); ++tensor)
    if (design.layouts[tensor] != ExternalLayout{} && !checkLayoutChange(index, tensor))
      design.layouts[tensor] = {};
  for (const ExternalAccess& access : index.accesses()) {
    std::vector<std::int64_t>& word = design.layouts[access.port.tensor].vector;
    if (!vectorDivides(word, access.port.type)) word.clear();
  }
}

std::string_view text(LayoutWork work) {
  constexpr std::array<std::string_view, 5> names{"none", "constant", "tasks", "cancels", "host"};
  return names.at(static_cast<std::size_t>(work));
}

LayoutWork layoutWork(const DataflowDesign& design, std::size_t tensor, bool stacked) {
  if (design.layouts[tensor] == ExternalLayout{}) return LayoutWork::None;
  const TensorRole role = design.program.tensors[tensor].role;
  if (role == TensorRole::Weight || role == TensorRole::Table) return LayoutWork::Constant;
  if (stacked && handedOn(design, tensor)) return LayoutWork::Cancels;
  const auto& results = design.program.results;
  const bool leaves = std::find(results.begin(), results.end(), tensor) != results.end();
  return role == TensorRole::Input || leaves ? LayoutWork::Host : LayoutWork::Tasks;
}

}  // namespace sluice::inline tensor
