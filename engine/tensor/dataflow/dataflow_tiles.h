#pragma once
// Tiles with their elements, and the external memory that they come from and go to: what the interpreter of
// dataflow designs and the functional mode of lowered ones share.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/float_tensor.h"
#include "engine/tensor/dataflow/dataflow.h"
#include "engine/tensor/dataflow/external_layout.h"

namespace sluice::inline tensor {

using TileShape = std::vector<std::int64_t>;
using TileElements = std::vector<float>;
inline constexpr float nothing =
    std::numeric_limits<float>::quiet_NaN();  ///< of an element that was not written

std::int64_t elementsOf(std::span<const std::int64_t> shape);
TileShape tileShape(const ITensor& type);

/// Calls `visit` with the index of every element of a box in row-major order, counted from `offset`.
template <class F>
void forEachIndex(std::span<const std::int64_t> offset, std::span<const std::int64_t> extents, F&& visit) {
  TileShape index(offset.begin(), offset.end());
  for (std::int64_t n = elementsOf(extents); n > 0; --n) {
    visit(std::span<const std::int64_t>(index));
    for (std::size_t k = index.size(); k-- > 0;) {
      if (++index[k] < offset[k] + extents[k]) break;
      index[k] = offset[k];
    }
  }
}

std::int64_t rowMajor(std::span<const std::int64_t> index, std::span<const std::int64_t> shape);

/// Where each element that a tile is sent as lies in the tile, row-major.
std::vector<std::size_t> sendingOrder(const ITensor& type, std::span<const std::int64_t> vector);

/// Tiles of one shape at their offsets, put together.
FloatTensor assembled(std::span<const std::pair<TileShape, TileElements>> tiles, const TileShape& tile);

/// External memory: one range per storage, laid out as its tensor says.
class ExternalMemory {
 public:
  ExternalMemory(const DataflowDesign& design, const TensorSet& given);

  TileElements read(std::size_t tensor, std::span<const std::int64_t> offset, const TileShape& tile) const;
  /// Gives the operands of a lookup, one place and its table, the row that the place names in place of the
  /// table. Fails where it names none (region_values.h).
  Result<Done> fetchRow(const TensorOperator& lookup, std::vector<FloatTensor>& operands) const;
  void write(std::size_t tensor, std::span<const std::int64_t> offset, const TileShape& tile,
             const TileElements& values);
  /// Row-major, as the host sees it.
  FloatTensor unpacked(std::size_t tensor) const;

 private:
  template <class F>
  void visit(std::size_t tensor, std::span<const std::int64_t> offset, const TileShape& tile, F&& use) const;
  void pack(std::size_t storage, const TileElements& values);

  const DataflowDesign& design_;
  std::vector<std::size_t> storage_;
  std::vector<TileElements> contents_;  ///< of each storage
  std::vector<std::size_t> named_;      ///< each storage: the tensor whose layout it has
};

}  // namespace sluice::inline tensor
