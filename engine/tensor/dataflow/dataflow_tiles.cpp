#include "engine/tensor/dataflow/dataflow_tiles.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "engine/core/csv.h"
#include "engine/itensor/access_sequence.h"
#include "engine/tensor/dataflow/dataflow_graph.h"
#include "engine/tensor/dataflow/dataflow_types.h"
#include "engine/tensor/programs/region_values.h"
#include "engine/tensor/programs/tensor_values.h"

namespace sluice::inline tensor {
std::int64_t elementsOf(std::span<const std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

TileShape tileShape(const ITensor& type) {
  return type.tile.empty() ? TileShape(type.rank(), 1) : type.tile;
}

std::int64_t rowMajor(std::span<const std::int64_t> index, std::span<const std::int64_t> shape) {
  std::int64_t at = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) at = at * shape[k] + index[k];
  return at;
}

std::vector<std::size_t> sendingOrder(const ITensor& type, std::span<const std::int64_t> vector) {
  ITensor tile;
  tile.tile = tileShape(type);
  tile.map.resize(type.rank());
  const ITensor sent = vectorisedType(tile, vector);
  std::vector<std::size_t> order;
  for (AccessSequence at(sent); !at.atEnd(); at.advance())
    forEachIndex(at.offset(), tileShape(sent), [&](std::span<const std::int64_t> index) {
      order.push_back(static_cast<std::size_t>(rowMajor(index, tile.tile)));
    });
  return order;
}

FloatTensor assembled(std::span<const std::pair<TileShape, TileElements>> tiles, const TileShape& tile) {
  if (tiles.empty()) return {{}, {nothing}};
  TileShape begin = tiles.front().first, end = begin;
  for (const auto& [offset, elements] : tiles) {
    for (std::size_t k = 0; k < offset.size(); ++k) {
      begin[k] = std::min(begin[k], offset[k]);
      end[k] = std::max(end[k], offset[k] + tile[k]);
    }
  }
  TileShape shape(begin.size()), local(begin.size());
  for (std::size_t k = 0; k < shape.size(); ++k) shape[k] = end[k] - begin[k];
  FloatTensor whole{{shape.begin(), shape.end()},
                    TileElements(static_cast<std::size_t>(elementsOf(shape)), nothing)};
  for (const auto& [offset, elements] : tiles) {
    for (std::size_t k = 0; k < shape.size(); ++k) local[k] = offset[k] - begin[k];
    std::size_t element = 0;
    forEachIndex(local, tile, [&](std::span<const std::int64_t> index) {
      whole.data[static_cast<std::size_t>(rowMajor(index, shape))] = elements[element++];
    });
  }
  return whole;
}

namespace {

/// What the tensor follows from, as who gives it knows it: "'input_ids'"; its own name where that is nothing.
std::string outsideNames(const TensorProgram& program, std::size_t tensor) {
  std::map<std::size_t, const TensorOperator*> makers;
  for (const TensorOperator& op : program.operators) makers[op.output] = &op;
  std::set<std::size_t> seen{tensor};
  std::vector<std::size_t> open{tensor};
  std::string names;
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    if (program.tensors[next].role == TensorRole::Input)
      names += (names.empty() ? "'" : ", '") + program.tensors[next].name + "'";
    if (const auto maker = makers.find(next); maker != makers.end())
      for (const std::size_t read : readTensors(*maker->second))
        if (seen.insert(read).second) open.push_back(read);
  }
  return names.empty() ? "'" + program.tensors[tensor].name + "'" : names;
}

}  // namespace

ExternalMemory::ExternalMemory(const DataflowDesign& design, const TensorSet& given)
    : design_(design), storage_(storages(design)), contents_(storage_.size()), named_(storage_) {
  for (std::size_t tensor = 0; tensor < storage_.size(); ++tensor)
    if (design.layouts[tensor] != ExternalLayout{}) named_[storage_[tensor]] = tensor;
  for (std::size_t tensor = 0; tensor < storage_.size(); ++tensor) {
    if (storage_[tensor] != tensor) continue;
    const TensorValue& value = design.program.tensors[tensor];
    contents_[tensor].assign(static_cast<std::size_t>(elementCount(value)), nothing);
    if (value.role != TensorRole::Activation) pack(tensor, outsideTensor(value, given).data);
  }
}

template <class F>
void ExternalMemory::visit(std::size_t tensor, std::span<const std::int64_t> offset, const TileShape& tile,
                           F&& use) const {
  const ExternalAddresses addresses(design_.layouts[tensor], design_.program.tensors[tensor].shape);
  forEachIndex(offset, tile, [&](std::span<const std::int64_t> index) {
    use(static_cast<std::size_t>(addresses.at(index)));
  });
}

TileElements ExternalMemory::read(std::size_t tensor, std::span<const std::int64_t> offset,
                                  const TileShape& tile) const {
  TileElements values;
  visit(tensor, offset, tile, [&](std::size_t at) { values.push_back(contents_[storage_[tensor]][at]); });
  return values;
}

Result<Done> ExternalMemory::fetchRow(const TensorOperator& lookup,
                                      std::vector<FloatTensor>& operands) const {
  const TensorValue& table = design_.program.tensors[lookup.inputs[1]];
  float& place = operands[0].data[0];
  const std::optional<std::size_t> row = rowNamed(place, static_cast<std::size_t>(table.shape[0]));
  if (!row)
    return error("out-of-range", Location(Where::Operator, lookup.name),
                 "it looks up place " + csvNumber(double{place}) + " of '" + table.name + "', which has " +
                     std::to_string(table.shape[0]) + " rows",
                 "give " + outsideNames(design_.program, lookup.inputs[0]) + " whole numbers from 0 to " +
                     std::to_string(table.shape[0] - 1) +
                     ", as with --tensors FILE.npz, which has an array of that name");
  operands[1] = {{1, static_cast<std::size_t>(table.shape[1])},
                 read(lookup.inputs[1], TileShape{static_cast<std::int64_t>(*row), 0}, {1, table.shape[1]})};
  place = 0;
  return Done{};
}

void ExternalMemory::write(std::size_t tensor, std::span<const std::int64_t> offset, const TileShape& tile,
                           const TileElements& values) {
  std::size_t next = 0;
  visit(tensor, offset, tile, [&](std::size_t at) { contents_[storage_[tensor]][at] = values[next++]; });
}

FloatTensor ExternalMemory::unpacked(std::size_t tensor) const {
  const std::size_t name = named_[storage_[tensor]];
  const TileShape &shape = design_.program.tensors[name].shape, &own = design_.program.tensors[tensor].shape;
  return {{own.begin(), own.end()}, read(name, TileShape(shape.size(), 0), shape)};
}

void ExternalMemory::pack(std::size_t storage, const TileElements& values) {
  const TileShape& shape = design_.program.tensors[named_[storage]].shape;
  write(named_[storage], TileShape(shape.size(), 0), shape, values);
}

}  // namespace sluice::inline tensor
